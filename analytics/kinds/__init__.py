"""The kinds of topic reports, and what a report says."""
