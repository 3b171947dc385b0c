#!/usr/bin/env bash
# Makes sure that Spark will find Java 17 or newer: installs it where that takes no questions, else says in one
# sentence what is missing.
set -euo pipefail
. "$(dirname "$0")/apt.sh"

# The major version of the Java that Spark's start script will take: JAVA_HOME where it is set, otherwise PATH.
# 17 for `openjdk version "17.0.15"`, 1 for the old numbering "1.8.0_402", 0 if there is none.
java_major() {
    local java major
    if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; else java=$(command -v java || true); fi
    major=$({ "$java" -version 2>&1 || true; } | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    echo "${major:-0}"
}

if [ "$(java_major)" -ge 17 ]; then exit 0; fi

# Newer distributions no longer carry 17. A JAVA_HOME that leads elsewhere would hide what is installed.
if [ -z "${JAVA_HOME:-}" ] && apt_install openjdk-17-jre-headless default-jre-headless &&
    [ "$(java_major)" -ge 17 ]; then
    exit 0
fi

where=${JAVA_HOME:+JAVA_HOME ($JAVA_HOME)}
echo "Spark needs Java 17 or newer and there is none in ${where:-PATH}:" \
    "install one (for example openjdk-17-jre-headless) or point JAVA_HOME to one." >&2
exit 1
