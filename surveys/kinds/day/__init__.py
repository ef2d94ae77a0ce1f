"""A date."""
