"""On real executors: they are sent all they need, and one may die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_executors_without_this_package_run_a_job_and_one_may_die(tmp_path: Path) -> None:
    # the tests' own environment has the package installed: hide it from whatever Spark starts
    hidden = tmp_path / "path"
    hidden.mkdir()
    (hidden / "dstream_compat.py").write_text('raise ImportError("not on this machine")\n')
    process = subprocess.run(
        [
            sys.executable,
            str(ROOT / "tests" / "jobs" / "on_a_cluster.py"),
            str(ROOT),
            str(tmp_path),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(hidden),
            "PYTHONHASHSEED": "0",
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["alone"] == [True, True]  # else this would prove nothing
    assert result["error"] is None
    assert result["finished"]
    assert len(result["killed"]) == 1
    factors = []
    for number in range(6):
        # the broadcast is renewed after every batch; batches that are late share one
        factor = result["counts"][str(number)][2][1]
        factors.append(factor)
        assert 1 <= factor <= number + 1
        counts = [["a", 2 * factor], [f"b{number}", factor], ["c", factor]]
        assert result["counts"][str(number)] == counts
        tags = [["a", "vowel"], [f"b{number}", "other"], ["c", "other"]]
        assert result["tagged"][str(number)] == tags
    assert factors == sorted(factors)
    assert factors[-1] > 1
    assert 1 <= result["files"] <= 3  # broadcasts of the last batches only
    assert result["received"] == ["RECEIVED", "LINES"]
    assert result["records"] == 12
