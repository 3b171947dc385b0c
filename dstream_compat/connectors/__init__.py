"""One outside system, one place."""
