"""Started by ``migrate verify``: a request on standard input, reports, an exit code."""

from __future__ import annotations

import signal
import sys

from dstream_compat.verify.coordinator import verify
from dstream_compat.verify.errors import Refused
from dstream_compat.verify.progress import Bar
from dstream_compat.verify.report import write_reports
from dstream_compat.verify.request import Request


def main() -> int:
    try:
        request = Request.from_json(sys.stdin.read())
    except Refused as refused:
        print(f"dstream_compat.verify: {refused}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the children end, too
    with Bar(sys.stderr) as bar:
        outcome = verify(request, bar)
    try:
        write_reports(outcome, request)
    except OSError as error:
        print(f"migrate verify: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return outcome.verdict.exit_code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("migrate verify: interrupted; there is no verdict", file=sys.stderr)
        sys.exit(130)
