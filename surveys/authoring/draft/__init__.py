"""What a draft says in parts, and what is still wrong with each: budgets, designs, rules."""
