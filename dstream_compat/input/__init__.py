"""Where a tick's input comes from."""
