"""Reports on a person's own file, with a ledger in a file beside it."""
