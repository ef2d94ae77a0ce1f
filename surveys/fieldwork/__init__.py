"""Invitations, lists of addresses and mailings."""
