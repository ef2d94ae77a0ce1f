"""What a launch freezes beside the questions: openings, releases, budgets, what is shown."""
