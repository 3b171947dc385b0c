"""Time and input, without Spark."""
