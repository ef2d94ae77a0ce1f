"""Figures of results: which picture a question or an analysis has, and how it is drawn."""
