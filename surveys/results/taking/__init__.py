"""Files of all answers of a large survey: asked for, written by a worker, taken away in parts."""
