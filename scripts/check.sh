#!/usr/bin/env bash
# check.sh PYTHON [OPTION …]: formatting, lint, types, tests, with pytest's options; stops at the first that fails.
# The last line says what passed.
set -euo pipefail

python=$1
shift
step=nothing
log=$(mktemp)
finish() {
    status=$?
    rm -f "$log"
    if [ "$status" -ne 0 ]; then echo "check: $step failed" >&2; fi
}
trap finish EXIT

step=formatting
"$python" -m ruff format --check --quiet .
step=lint
"$python" -m ruff check --quiet .
step=types
"$python" -m mypy --no-error-summary
step=tests
"$python" -m pytest -q --color=no "$@" | tee "$log"

# "12 passed, 1 skipped in 3.45s" → "12 passed, 1 skipped"
summary=$(grep -E '^=* ?[0-9]+ passed' "$log" | tail -n 1 | sed -E 's/^=* ?//; s/ in [0-9.]+.*$//')
passed=${summary%% passed*}
rest=${summary#*passed}
echo "check: formatting, lint, types and ${passed} tests passed${rest:+ (${rest#, })}"
