"""What follows from the questions of a questionnaire, by subject."""
