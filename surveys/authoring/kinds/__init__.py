"""Drafted questions of kinds that have rules of their own: what they become, what is missing."""
