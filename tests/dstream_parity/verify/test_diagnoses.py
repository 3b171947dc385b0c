"""What a job raised before it was started, in a sentence that helps."""

from __future__ import annotations

import errno
import socket

import pytest

from dstream_parity.verify.child import diagnoses
from dstream_parity.verify.child.job import JobFile

JOB = JobFile("/x/job.py", "/x")
NoBrokersAvailable = type("NoBrokersAvailable", (RuntimeError,), {})
OperationalError = type("OperationalError", (Exception,), {})
AnalysisException = type("AnalysisException", (Exception,), {})


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
        TimeoutError(),
        socket.gaierror(-2, "Name or service not known"),
        OSError(errno.EHOSTUNREACH, "No route to host"),
        NoBrokersAvailable(),
        OperationalError("could not connect to server"),
        OperationalError(
            "could not translate host name to address: Temporary failure in name resolution"
        ),
    ],
)
def test_connections_are_called_so(error: Exception) -> None:
    assert "opens an outside connection" in diagnoses.of(error, JOB, False)


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(errno.EACCES, "Permission denied"),
        IsADirectoryError(errno.EISDIR, "Is a directory"),
        OSError(errno.ENOSPC, "No space left on device"),
        FileNotFoundError(errno.ENOENT, "No such file or directory", "connection.json"),
        AnalysisException("[UNRESOLVED_COLUMN] A column with name `x` cannot be resolved."),
        ValueError("could not resolve the schema"),
    ],
)
def test_other_errors_are_named_by_their_type(error: Exception) -> None:
    told = diagnoses.of(error, JOB, False)
    assert told.startswith(f"job.py raised {type(error).__name__} before the job was started")


def test_only_names_that_shell_defines_are_told_to_need_it() -> None:
    for name in ("sc", "spark", "sqlContext", "sqlCtx"):
        assert "use --shell" in diagnoses.of(NameError(name, name=name), JOB, False)
    assert "--shell" not in diagnoses.of(NameError("sqlc", name="sqlc"), JOB, False)
