"""What a stage does to the elements of a partition. No Spark in here."""
