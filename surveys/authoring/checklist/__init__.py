"""What is to be done, looked at and confirmed before a draft is launched."""
