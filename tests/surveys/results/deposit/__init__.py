"""Deposits for archives: what they hold, and that their figures are those of the dashboard."""
