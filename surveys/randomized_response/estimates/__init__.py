"""From counts of reports to shares and means of the truth, with standard errors."""
