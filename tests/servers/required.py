"""What a test cannot do without: where it is missing, the test is skipped; in CI, it fails."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """End a test that lacks something, saying what."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason} (with CI set, this is not skipped)")
    pytest.skip(reason)
