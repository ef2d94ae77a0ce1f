"""Ratings of a catalogue's items."""
