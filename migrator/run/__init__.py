"""A run over files: analysis, rewriting, readiness, settings."""
