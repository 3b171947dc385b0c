"""Both engines on the same work, side by side."""
