"""What ``manage.py doctor`` looks at, one subject a file."""
