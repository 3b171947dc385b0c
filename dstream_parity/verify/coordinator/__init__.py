"""The process that was asked to verify: it starts a child for each side and compares."""
