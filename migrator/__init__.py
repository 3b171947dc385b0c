"""Finds DStream code and rewrites it for Structured Streaming; needs neither Spark nor Java."""

__version__ = "0.1.0"
