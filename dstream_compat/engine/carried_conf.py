"""Which settings a restored job keeps from its first run."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pyspark import SparkConf

from dstream_compat.base.pyspark_internals import launch_jvm

# legacy: a restored job has the settings of its first run, but for those that say where it runs
_NOT_CARRIED_OVER = {
    "spark.app.id",
    "spark.app.startTime",
    "spark.blockManager.port",
    "spark.driver.bindAddress",
    "spark.driver.host",
    "spark.driver.port",
    "spark.kubernetes.driver.pod.name",
    "spark.kubernetes.executor.podNamePrefix",
    "spark.ui.port",
}
_RENEWED = {
    "spark.kerberos.keytab",
    "spark.kerberos.principal",
    "spark.master",
    "spark.ui.filters",
    "spark.yarn.app.attemptId",
    "spark.yarn.app.id",
    "spark.yarn.jars",
    "spark.yarn.keytab",
    "spark.yarn.principal",
}
_RENEWED_PREFIX = "spark.org.apache.spark.deploy.yarn.AmIpFilter.param."


def carried_conf(saved: Mapping[str, str]) -> SparkConf:
    """The settings of a restored job."""
    before = SparkConf(loadDefaults=False)
    before.setAll([(key, value) for key, value in saved.items() if key not in _RENEWED])
    launch_jvm(conf=before)  # the JVM knows what this run was given
    conf = SparkConf()
    return conf.setAll(list(carried_over(saved, dict(conf.getAll()), _master_is_named()).items()))


def carried_over(
    saved: Mapping[str, str], given: Mapping[str, str], master_is_named: bool
) -> dict[str, str]:
    """The settings of an earlier run that this one, ``given`` others, keeps."""
    return {
        key: value
        for key, value in saved.items()
        if key not in _NOT_CARRIED_OVER
        and (
            key not in given
            or not (key in _RENEWED or key.startswith(_RENEWED_PREFIX))
            or (key == "spark.master" and given[key] == "local[*]" and not master_is_named)
        )
    }


def _master_is_named() -> bool:
    """Whether the user asked for ``local[*]``; without a master Spark fills it in."""
    under_spark_submit = "PYSPARK_GATEWAY_PORT" in os.environ
    return under_spark_submit or "--master" in os.environ.get("PYSPARK_SUBMIT_ARGS", "")
