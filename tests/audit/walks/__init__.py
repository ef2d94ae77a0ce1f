"""A person's whole way through the site, from link to link."""
