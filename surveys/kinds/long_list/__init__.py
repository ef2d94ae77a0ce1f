"""A single choice from a long list, of which a report marks some."""
