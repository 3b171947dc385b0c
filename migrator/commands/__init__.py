"""The commands of `migrate`, one module each: options, output and exit codes, nothing else."""
