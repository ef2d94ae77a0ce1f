"""Drawing a report: by a computer, or by a person with a coin."""

from .recipes import Device, Recipe, recipe_for, recipe_for_questions
from .sampling import draw_from_words, draw_reports
from .subsets import DieSubset, draw_subset

__all__ = [
    "Device",
    "DieSubset",
    "Recipe",
    "draw_from_words",
    "draw_reports",
    "draw_subset",
    "recipe_for",
    "recipe_for_questions",
]
