"""Started by ``migrate verify``: takes a request on standard input, writes reports, exits."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dstream_parity.verify.coordinator.request import Request

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ENDED_BY = 128  # a shell adds this to the number of a signal


DIFFERENT = 3  # Python itself exits with 1 when it fails; `migrate verify` turns this into 1


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
            f"migrate verify: {type(error).__name__} at {name}:{line}, which is a bug; there is no "
            "verdict; --verbose shows the traceback",
            file=sys.stderr,
        )
        return 2


def _verify(request: Request) -> int:
    from dstream_parity.verify.coordinator.progress import Bar
    from dstream_parity.verify.coordinator.verification import verify
    from dstream_parity.verify.errors import Refused
    from dstream_parity.verify.judging.verdict import VerdictKind
    from dstream_parity.verify.report import write_reports

    with Bar(sys.stderr) as bar:
        outcome = verify(request, bar)
    try:
        write_reports(outcome, request)
    except Refused as refused:
        print(f"migrate verify: {refused}", file=sys.stderr)
        return 2
    verdict = outcome.verdict
    return DIFFERENT if verdict.kind is VerdictKind.DIFFERENT else verdict.exit_code


def _place(error: Exception) -> tuple[str, int | None]:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return os.path.basename(last.filename), last.lineno


class _Interrupted(BaseException):
    """Raised once, wherever the process is; the clean-up after it is not interrupted."""


def _interrupt(number: int, frame: Any) -> None:
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise _Interrupted(number)


if __name__ == "__main__":
    try:
        for each in _SIGNALS:
            signal.signal(each, _interrupt)
        # `migrate verify` holds them back until they can be handled here
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        sys.exit(main())
    except _Interrupted as interrupted:
        print("migrate verify: interrupted; there is no verdict", file=sys.stderr)
        sys.exit(_ENDED_BY + interrupted.args[0])
