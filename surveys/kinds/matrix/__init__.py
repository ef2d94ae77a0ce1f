"""A table of rows on one scale."""
