"""``--sample``: random batches, the smallest difference, a saved test."""
