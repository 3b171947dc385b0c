"""What stateful operators keep between batches: a store, and pages in it. No Spark in here."""
