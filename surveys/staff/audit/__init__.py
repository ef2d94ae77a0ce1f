"""The audit log: what is written, and the pages and files that show it."""
