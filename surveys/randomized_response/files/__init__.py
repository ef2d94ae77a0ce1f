"""The statistics on a person's own file: its columns, its designs by name, its figures."""
