"""Which files there are, which belong together, and how they are written."""
