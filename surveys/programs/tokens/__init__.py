"""Tokens, with which programs act for a person: made, listed and revoked on pages of staff."""
