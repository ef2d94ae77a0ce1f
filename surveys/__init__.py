"""Surveys: asked, answered through coins, estimated. One room a subject."""

VERSION = "0.1.0"
PROGRAM = f"Deniable {VERSION}"  # as downloads name what made them
