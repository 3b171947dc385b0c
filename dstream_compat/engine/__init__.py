"""What runs compiled stages on Spark."""
