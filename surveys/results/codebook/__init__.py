"""The codebook: what a reader of the data file alone needs, and how to estimate from it."""
