"""Kafka, read by Spark's connector as the input log says."""
