"""Locked tables after the close: trustees' files are taken and checked, and what they open."""
