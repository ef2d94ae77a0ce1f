"""A question's results in words and numbers, for each kind that has rows of its own."""
