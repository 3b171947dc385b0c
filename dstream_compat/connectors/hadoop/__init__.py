"""Files that only Hadoop reaches."""
