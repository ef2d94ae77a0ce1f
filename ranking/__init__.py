"""Rated items in their order, with how sure it is."""
