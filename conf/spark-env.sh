# Spark asks the JVM for an incubator module, and the JVM says so on every start, outside of any log settings.
exec 2> >(grep --line-buffered -v "^WARNING: Using incubator modules" >&2)
