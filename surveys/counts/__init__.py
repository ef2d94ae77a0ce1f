"""How often each answer came: kept as answers are stored, so that no page counts them."""
