"""The deposit: one zip for an archive, with all that reproduces the dashboard's figures."""
