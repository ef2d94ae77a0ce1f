"""Workloads: tables, CDFs and ranges at the least error that a privacy budget can buy.

Pure mathematics: from what is asked to a strategy, its noise and the answers. Needs no Django.
"""
