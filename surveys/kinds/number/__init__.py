"""A number, as it is typed or rounded by chance."""
