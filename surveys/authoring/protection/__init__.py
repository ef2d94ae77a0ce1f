"""Protection while one writes: what all answers of a person tell, and what an author can change."""
