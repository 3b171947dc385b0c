"""Runs compiled stages on Spark."""
