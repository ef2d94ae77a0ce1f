"""Several options of a list."""
