"""An order of several things, whole or one pair by chance."""
