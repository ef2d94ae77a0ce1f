"""Mixed models: random intercepts, correlated random slopes, and several groupings."""
