"""Surveys: asked, answered through coins, estimated. One room a subject."""
