"""Topic reports on free texts, and the ledger of what they cost in privacy."""
