"""Started by ``migrate verify``: a request on standard input, reports, an exit code."""

from __future__ import annotations

import signal
import sys
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ENDED_BY = 128  # a shell's exit code for a signal is this much higher


def main() -> int:
    from dstream_compat.verify.coordinator import verify
    from dstream_compat.verify.errors import Refused
    from dstream_compat.verify.progress import Bar
    from dstream_compat.verify.report import write_reports
    from dstream_compat.verify.request import Request

    try:
        request = Request.from_json(sys.stdin.read())
    except Refused as refused:
        print(f"dstream_compat.verify: {refused}", file=sys.stderr)
        return 2
    with Bar(sys.stderr) as bar:
        outcome = verify(request, bar)
    try:
        write_reports(outcome, request)
    except OSError as error:
        print(f"migrate verify: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return outcome.verdict.exit_code


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
