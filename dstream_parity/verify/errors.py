"""What ends a verification before its outputs can be judged."""

from __future__ import annotations


class Refused(Exception):
    """It cannot be done. The text is one sentence for the user: what, where and what to do."""
