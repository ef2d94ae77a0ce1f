"""How differently groups answer, and which answers go with one answer. Needs no Django."""
