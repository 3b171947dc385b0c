#!/usr/bin/env bash
# check.sh PYTHON [OPTION …]: formatting, lint, types, tests, with pytest's options; stops at the first that fails.
# The last line says what passed.
#
# A few failed tests are run once more, by themselves: with real brokers, crashes and executors on a busy machine, one in
# five thousand may meet a time-out. Those that pass then are named in the last line: each is a defect to look into.
set -euo pipefail

python=$1
shift
again=5  # at most so many
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
status=0
"$python" -m pytest -q --color=no "$@" | tee "$log" || status=$?

# "1 failed, 12 passed, 1 skipped in 3.45s (0:00:03)" → "1 failed, 12 passed, 1 skipped"
summary=$(grep -E '^=* ?([0-9]+ failed, )?[0-9]+ passed' "$log" | tail -n 1 | sed -E 's/^=* ?//; s/ in [0-9.]+s.*$//')
second=
count=0
if [ "$status" -eq 1 ]; then
    failed=$(grep -E '^(FAILED|ERROR) ' "$log" | sed -E 's/^(FAILED|ERROR) //; s/ - .*$//' | sort -u || true)
    count=$(wc -l <<< "$failed")
    if [ -z "$failed" ] || [ "$count" -gt "$again" ]; then exit 1; fi
    failed=$(paste -s -d ' ' <<< "$failed")
    echo "check: once more, by themselves: $failed"
    "$python" -m pytest -q --color=no --last-failed --last-failed-no-failures=none -n 0
    second="; $count only on a second try: $failed"
elif [ "$status" -ne 0 ]; then
    exit "$status"
fi
passed=${summary#*failed, }
passed=$((${passed%% passed*} + count))
rest=${summary#*passed}
rest=${rest#, }
echo "check: formatting, lint, types and ${passed} tests passed${rest:+ (${rest})}${second}"
