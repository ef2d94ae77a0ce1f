"""Mixed models: random intercepts, correlated random slopes, and two crossed groupings."""
