"""What happens to accounts of staff."""
