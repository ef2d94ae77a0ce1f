"""How many words count: of one respondent, and in one report."""

MOST_WORDS = 300  # distinct words of one respondent
MOST_USED = 1_000  # words of one report
