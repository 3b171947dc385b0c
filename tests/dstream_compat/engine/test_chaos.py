"""Killed at random moments, a job with windows and state gives what it gives undisturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import Job, check, torment


@pytest.mark.timeout(900)
def test_a_job_killed_twice_gives_what_an_undisturbed_one_gives(tmp_path: Path) -> None:
    job = Job(tmp_path)
    try:
        torment(job, kills=2, seed=1, say=lambda text: None)
        assert check(job) > 50
    finally:
        job.close()
