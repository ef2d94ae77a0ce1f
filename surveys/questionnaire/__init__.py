"""What a respondent was promised, and what they may send. Needs no Django."""
