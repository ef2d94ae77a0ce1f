"""A long scale, of which a report is another level near the true one."""
