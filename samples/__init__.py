"""Legacy jobs, and a demonstration of what becomes of them."""
