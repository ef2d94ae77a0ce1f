"""How pages speak: sentences that are read once, in words that people know."""
