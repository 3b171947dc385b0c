"""What a replay is fed with: files of batches and recordings."""
