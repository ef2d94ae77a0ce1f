"""Drawing a report: by a computer, or by a person with a coin."""

from .recipes import Device, Recipe, recipe_for, recipe_for_questions
from .sampling import draw_from_words, draw_reports

__all__ = [
    "Device",
    "Recipe",
    "draw_from_words",
    "draw_reports",
    "recipe_for",
    "recipe_for_questions",
]
