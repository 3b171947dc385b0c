"""Kinesis, read by a receiver or by a source of Spark's."""
