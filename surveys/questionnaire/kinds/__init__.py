"""The kinds of questions: one file a kind, behind one protocol."""
