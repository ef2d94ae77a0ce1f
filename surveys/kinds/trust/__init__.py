"""Whether respondents believe the protection, and how honest they think others are."""
