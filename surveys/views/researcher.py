"""Researchers' pages."""
