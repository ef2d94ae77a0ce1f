"""Reports on stored answers: comparisons of groups, clouds and trees, on pages and in files."""
