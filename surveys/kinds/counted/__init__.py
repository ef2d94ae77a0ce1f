"""Questions whose answers are counted while they are locked: what is promised of them."""
