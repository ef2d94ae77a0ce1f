"""Releases of tables: the builder, the page that asks, and the page for outsiders."""
