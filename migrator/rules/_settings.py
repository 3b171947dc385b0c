"""Settings of the legacy engine that have no effect on a moved job."""

PREFIX = "spark.streaming."

WITHOUT_EFFECT = {
    "concurrentJobs": "batches and outputs run one after another; for parallel outputs, use "
    "threads in foreachRDD",
    "receiver.writeAheadLog.enable": "a checkpoint directory is enough",
    "unpersist": "results are dropped as soon as nothing refers to them",
    "kafka.maxRetries": "Spark's connector retries on its own",
    "ui.retainedBatches": "there is no Streaming tab; use ssc.addStreamingListener",
    "extraListeners": "use ssc.addStreamingListener",
}
"""What to know instead, by the name without its prefix. docs/settings.md lists the same ones."""
