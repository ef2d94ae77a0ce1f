"""Who works on a survey, and as what."""
