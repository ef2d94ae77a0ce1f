"""Keeping it running: retention, backups, the health page."""
