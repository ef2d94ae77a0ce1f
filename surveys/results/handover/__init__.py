"""A survey's results as one file to hand over: promise, method, figures, tables, codes."""
