#!/usr/bin/env bash
# venv.sh PYTHON DIRECTORY: a virtual environment with this project and all extras, versions from constraints.txt.
set -euo pipefail
. "$(dirname "$0")/apt.sh"

python=$1
venv=$2

if ! command -v "$python" >/dev/null; then
    echo "$python was not found: install Python 3.10 or newer, or name one with make PYTHON=…" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "$python is $("$python" -V 2>&1): Python 3.10 or newer is needed; name one with make PYTHON=…" >&2
    exit 1
fi

# Debian and Ubuntu split the means to create environments off Python itself.
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if ! apt_install "$package"; then
        echo "$python cannot create virtual environments: install $package, then run make again." >&2
        exit 1
    fi
fi

echo "Setting up $venv (a minute or two, once) …"
"$python" -m venv "$venv"

install() {
    "$venv/bin/python" -m pip install --disable-pip-version-check \
        --editable ".[spark,zookeeper,kinesis,mqtt,test,dev,docs]" --constraint constraints.txt
}
if [ "${V:-0}" != 0 ]; then
    install
else
    # Build backends write warnings past --quiet, so keep everything and show it only when it matters.
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! install >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "pip could not install the project; make V=1 shows all it said." >&2
        exit 1
    fi
fi
