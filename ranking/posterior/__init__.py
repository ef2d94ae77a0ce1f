"""The mathematics of ranking. Needs no Django."""
