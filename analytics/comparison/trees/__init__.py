"""Which answers go with one answer: growing a tree, what it says, and a private one."""
