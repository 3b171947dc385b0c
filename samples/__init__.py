"""Legacy jobs, their rewritten twins, and a demo of the whole move."""
