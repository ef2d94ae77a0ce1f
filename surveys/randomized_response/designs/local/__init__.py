"""Local differential privacy: protocols for one of many options."""
