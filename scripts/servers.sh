#!/usr/bin/env bash
# Installs what the tests start servers with (Maven for Kafka's jars, Mosquitto) where that takes no questions. What is
# missing after that is no error here: the tests that need it are skipped, and say so.
set -euo pipefail
. "$(dirname "$0")/apt.sh"

PATH=$PATH:/usr/sbin:/usr/local/sbin
command -v mvn >/dev/null || apt_install maven || true
command -v mosquitto >/dev/null || apt_install mosquitto || true
