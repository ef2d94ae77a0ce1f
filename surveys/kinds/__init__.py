"""Kinds of question: a folder each, whose files are found by their names."""
