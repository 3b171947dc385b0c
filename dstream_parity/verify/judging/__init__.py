"""What both sides did, compared."""
