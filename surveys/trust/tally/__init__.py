"""A tally: answers that are added up while they are locked, and opened once, with noise."""
