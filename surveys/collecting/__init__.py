"""From a respondent's page to the rows that are stored."""
