"""Regression for people who do not follow the device: who do not attend, or never say yes."""
