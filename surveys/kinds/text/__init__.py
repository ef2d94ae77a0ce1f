"""A free text, and the text of another answer."""
