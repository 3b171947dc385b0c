"""One way to drive each engine."""
