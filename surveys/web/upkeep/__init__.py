"""Upgrades under way: maintenance, and whether the database's tables are those of this program."""
