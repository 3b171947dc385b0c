"""What a shell on a cluster's machine says about Spark, and what reaches the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import verify
from dstream_parity.verify.judging.verdict import VerdictKind
from dstream_parity.verify.report.as_text import as_text
from tests.dstream_parity.verify.conftest import JOBS

ELSEWHERE = "<configuration><property><name>fs.defaultFS</name><value>hdfs://localhost:1</value></property></configuration>"


def test_settings_of_a_cluster_and_its_python_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("spark", "hadoop", "run"):
        (tmp_path / name).mkdir()
    (tmp_path / "spark" / "spark-defaults.conf").write_text(
        "spark.master yarn\nspark.jars.packages no.such:thing_2.13:1.0\n"
    )
    (tmp_path / "hadoop" / "core-site.xml").write_text(ELSEWHERE)
    batches = tmp_path / "batches.jsonl"
    batches.write_text('["a", "b"]\n[]\n["b"]\n')
    monkeypatch.chdir(tmp_path / "run")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "spark"))
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path / "hadoop"))
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/cluster/bin/python3.6")
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "blocks"))
    outcome = verify(Request(str(JOBS / "names_its_python.py"), inputs=(str(batches),)))
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.outputs[0].counts == (2, 2, 2)
    assert not (tmp_path / "blocks").exists()
    assert list((tmp_path / "run").iterdir()) == []
