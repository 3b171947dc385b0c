"""What every other room may use, on the driver and on executors."""
