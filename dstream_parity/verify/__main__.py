"""Started by ``migrate verify``: a request on standard input, reports, an exit code."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dstream_parity.verify.coordinator.request import Request

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ENDED_BY = 128  # a shell's exit code for a signal is this much higher


DIFFERENT = 3  # 1 is what Python ends with where it fails; `migrate verify` makes 1 of this


def main() -> int:
    from dstream_parity.verify.coordinator.request import Request
    from dstream_parity.verify.errors import Refused

    try:
        request = Request.from_json(sys.stdin.read())
    except Refused as refused:
        print(f"dstream_parity.verify: {refused}", file=sys.stderr)
        return 2
    try:
        return _verify(request)
    except Exception as error:
        if request.verbose:
            traceback.print_exc()
        # without its text, which may hold values
        name, line = _place(error)
        print(
            f"migrate verify: {type(error).__name__} at {name}:{line}, which should not happen; "
            "there is no verdict; --verbose shows the whole of it",
            file=sys.stderr,
        )
        return 2


def _verify(request: Request) -> int:
    from dstream_parity.verify.coordinator.progress import Bar
    from dstream_parity.verify.coordinator.verification import verify
    from dstream_parity.verify.judging.verdict import VerdictKind
    from dstream_parity.verify.report import write_reports

    with Bar(sys.stderr) as bar:
        outcome = verify(request, bar)
    try:
        write_reports(outcome, request)
    except OSError as error:
        print(f"migrate verify: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    verdict = outcome.verdict
    return DIFFERENT if verdict.kind is VerdictKind.DIFFERENT else verdict.exit_code


def _place(error: Exception) -> tuple[str, int | None]:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return os.path.basename(last.filename), last.lineno


class _Interrupted(BaseException):
    """Raised once, wherever the process is; what is on the way out cleans up undisturbed."""


def _interrupt(number: int, frame: Any) -> None:
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise _Interrupted(number)


if __name__ == "__main__":
    try:
        for each in _SIGNALS:
            signal.signal(each, _interrupt)
        # `migrate verify` has kept them back until there is somebody to take them
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        sys.exit(main())
    except _Interrupted as interrupted:
        print("migrate verify: interrupted; there is no verdict", file=sys.stderr)
        sys.exit(_ENDED_BY + interrupted.args[0])
