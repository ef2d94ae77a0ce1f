"""Surveys: asked, answered through coins, estimated. One room a subject."""

VERSION = "0.1.0"
