"""A choice from a list that is too long to show, asked directly: its promise."""
