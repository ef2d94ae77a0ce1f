"""Yes or no, single choice, scale: one of several levels, and what stands on them."""
