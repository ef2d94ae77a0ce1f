"""Databases of released versions: how one is filled and kept, and what must be true of it later."""
