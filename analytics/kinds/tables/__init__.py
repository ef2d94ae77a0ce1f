"""Table releases: what is asked, how well it can be answered, and what was released."""
