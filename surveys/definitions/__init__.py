"""Definitions: drafts as files, with names, rules and JSON; forms of other programs as such."""
