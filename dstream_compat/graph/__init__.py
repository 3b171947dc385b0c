"""The graph of a job, and its plan. Runs in the driver, without Spark."""
