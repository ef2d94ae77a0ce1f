"""Groups of a form's fields: what a survey and a question are asked first, and what waits."""
