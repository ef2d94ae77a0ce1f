"""Designs: how an answer is randomized before it leaves the respondent."""
