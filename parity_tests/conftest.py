"""The parity tests run on the same SparkContext as the other tests."""

from tests.conftest import live_sc, pytest_configure, sc

__all__ = ["live_sc", "pytest_configure", "sc"]
