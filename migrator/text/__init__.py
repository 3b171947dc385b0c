"""What is in a file, and the way back."""
