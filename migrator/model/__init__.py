"""What a job does: its streams, contexts, calls and functions."""
