"""Readers of forms: data dictionaries of REDCap, XLSForms, the structure of LimeSurvey."""
