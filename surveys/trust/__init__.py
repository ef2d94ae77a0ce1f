"""What outsiders can check, and what the server cannot read: digests, key files, sealed texts."""
