"""Faults put in on purpose: importing this package makes all of them known."""

from parity_tests.mutants import elements, functions, shuffles, state, windows
from parity_tests.mutants.base import MUTANTS

__all__ = ["MUTANTS", "elements", "functions", "shuffles", "state", "windows"]
