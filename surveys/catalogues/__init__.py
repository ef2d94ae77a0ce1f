"""Items that are rated, and how often each was."""
