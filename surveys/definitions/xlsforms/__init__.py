"""Definitions as workbooks in XLSForm, for ODK, KoboToolbox and SurveyCTO, and read back whole."""
