"""When to send reminders, as a silent duel with a rival. Needs no Django."""
