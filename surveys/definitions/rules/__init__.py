"""Conditions over the names of questions: their tree, and their text."""
