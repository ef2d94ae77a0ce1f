"""Estimates from complex samples: weights, inclusion probabilities, strata and clusters."""
