"""The proof: the same batches through a model, the legacy engine and ours, compared by tick."""
