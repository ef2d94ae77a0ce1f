"""How many people to ask, with which design and which share of the budget."""
