"""What a job meets in place of the real thing."""
