"""The list of a survey's questions, where they are copied and moved, and copies of surveys."""
