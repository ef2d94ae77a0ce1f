"""Regression on traits that are known by randomized reports only."""
