"""The survey that ``make demo`` shows."""
