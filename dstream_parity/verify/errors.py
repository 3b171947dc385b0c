"""What ends a verification before there is a verdict on the outputs."""

from __future__ import annotations


class Refused(Exception):
    """It cannot be done; the text is one sentence for the user: what, where, what to do."""
