"""Regression with randomized answers: as the outcome, as predictors, with k options."""
