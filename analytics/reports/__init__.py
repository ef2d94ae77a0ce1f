"""Kinds of report on stored answers: what each asks, computes and shows; a file a kind."""
