"""What the protection means, in words."""
