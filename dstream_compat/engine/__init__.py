"""Runs compiled stages on Spark.

Start with ``engine`` (the steps of a start and a stop), ``wiring`` (the parts and who gets what)
and ``sink`` (the steps of a tick).
"""
