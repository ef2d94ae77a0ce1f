"""Drafts to begin with, and the pages that a new author meets."""
