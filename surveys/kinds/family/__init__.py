"""A protected question with its follow-ups, as one report."""
