"""A survey's rankings: pages, pictures and files."""
