"""What every page shares; it uses no other room."""
