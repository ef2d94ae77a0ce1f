"""A draft tried on simulated respondents: truths that are known, beside what is estimated."""
