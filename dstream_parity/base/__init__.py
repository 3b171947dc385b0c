"""What all other rooms stand on: pipelines as data, their outcomes, and the comparison of these."""
