#!/bin/sh
# What Spark's workers run as Python in the tests: with PySpark from where it is installed. The zip that Spark would
# have them take has no bytecode, so every process would compile for a second first.
kept=
IFS=:
for entry in $PYTHONPATH; do
    case $entry in
        */python/lib/py*.zip) ;;
        *) kept=$kept${kept:+:}$entry ;;
    esac
done
export PYTHONPATH="$kept"
exec "$TESTS_PYTHON" "$@"
