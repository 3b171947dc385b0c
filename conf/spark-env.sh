# Spark asks the JVM for an incubator module, and the JVM says so on every start, outside of any log settings.
exec 2> >(grep --line-buffered -v "^WARNING: Using incubator modules" >&2)

# The tests' JVMs map Spark's classes from an archive (scripts/class_archive.py). A JVM takes none where a directory of
# its class path holds files, and this one would be there: what the other files say here is said by options instead.
if [ -n "$SPARK_CLASS_ARCHIVE" ]; then
    SPARK_SUBMIT_OPTS="$SPARK_SUBMIT_OPTS \
        \"${SPARK_CLASS_ARCHIVE_OPTION:--XX:SharedArchiveFile}=$SPARK_CLASS_ARCHIVE\" -Xlog:disable -Xlog:all=error:stderr \
        \"-Dlog4j2.configurationFile=$SPARK_CONF_DIR/log4j2.properties\" \
        -Dspark.ui.enabled=false -Dspark.ui.showConsoleProgress=false"
    SPARK_CONF_DIR=$(dirname "$SPARK_CLASS_ARCHIVE")/no-conf
fi
