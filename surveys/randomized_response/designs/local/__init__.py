"""Local differential privacy: protocols for one of many options, for numbers and for items."""
