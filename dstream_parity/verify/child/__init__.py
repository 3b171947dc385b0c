"""The process that runs a job on one engine, fed and observed."""
