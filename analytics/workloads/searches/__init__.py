"""Strategies found by descent: no certificate, the best of several starts is kept."""
