"""Reports on the answers to a text question: their kinds, pages, pictures and files."""
