"""Where Django looks for the admin's pages; they stand in the rooms that they belong to."""

from surveys.authoring import admin as authoring
from surveys.staff import admin as staff

__all__ = ["authoring", "staff"]
