"""DS601: Java objects of the legacy engine."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "line",
    [
        "ssc._jssc.sparkContext()",
        "ssc._jssc",
        "ssc._jvm.System.currentTimeMillis()",
        "pairs._jdstream.dstream()",
        "pairs._jrdd_deserializer",
        "sc._jvm.org.apache.spark.streaming.Milliseconds(500)",
        "pairs.map(f)._jdstream",
    ],
)
def test_what_leads_to_the_legacy_engine(line: str) -> None:
    check_found("DS601", HEAD + f"{line}\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "ssc._jssc.stop(False)",
        "ssc._jssc . stop ( )",
        "ssc._sc.setLogLevel('WARN')",
        "pairs._ssc.start()",
        "pairs._slideDuration",
        "sc._jvm.java.lang.System.getProperty('user.dir')",
        "sc._jsc.hadoopConfiguration()",
        "sc._conf.get('spark.app.name')",
        "job._jssc",
        "self._jvm",
        "pairs.foreachRDD(lambda rdd: rdd._jrdd)",
        "pairs.__class__",
    ],
)
def test_what_is_still_there(line: str) -> None:
    check_noop("DS601", HEAD + f"{line}\n")
