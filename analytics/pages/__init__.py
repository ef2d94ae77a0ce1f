"""A survey's topic reports: pages, pictures and files."""
