"""The coordinator's side of a child process, with made-up news."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dstream_parity.verify.child.job import JobFile
from dstream_parity.verify.coordinator.children import ChildProcess
from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import Quiet
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import Feed


def test_a_job_that_is_ended_before_its_batches_are_through_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = ChildProcess("ours", str(tmp_path))
    (tmp_path / "ours").mkdir()

    def launch(job: JobFile) -> None:
        process: Any = SimpleNamespace(stdin=io.StringIO())
        child._process = process
        for event in ("ready", "started", "stuck"):
            child._news.put({"event": event, "batches": 1, "at": "job.py:3"})

    monkeypatch.setattr(child, "launch", launch)
    monkeypatch.setattr(child, "close", lambda: None)
    with pytest.raises(Refused, match="had to be ended before its last batch"):
        child.run(JobFile("/x/job.py", "/x"), Feed(), Request("/x/job.py"), Quiet)
