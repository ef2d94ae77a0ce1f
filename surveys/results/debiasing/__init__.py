"""Debiased columns: what files have beside reports, so that ordinary means are estimates."""
