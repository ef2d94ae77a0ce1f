"""Kinds of questions that take several answers at once."""
