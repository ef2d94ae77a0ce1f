"""Estimates from local privacy beside frequencies: numbers, sums of histograms, common items."""
