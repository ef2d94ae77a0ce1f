"""From rows of answers to estimates on pages, in pictures and in files."""
