"""Labels for statistics programs: what each column and code says, as syntax and data files."""
