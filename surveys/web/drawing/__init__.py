"""Charts of all rooms: what a figure says, how it is written down, and how it is drawn."""
