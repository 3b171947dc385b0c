"""One way to drive each engine."""


class ContextStopped(Exception):
    """There is no next batch: the job itself stopped its StreamingContext."""
