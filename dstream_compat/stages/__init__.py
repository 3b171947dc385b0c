"""What runs on executors. Ships with ``base``; imports nothing else of ours."""
