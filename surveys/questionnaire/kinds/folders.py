"""entries: what the folders of all kinds say under one name, in their files of one name."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from surveys import kinds


def entries(file: str, name: str) -> dict[Any, Any]:
    """The dictionaries ``name`` in ``surveys/kinds/<kind>/<file>.py`` of every kind, as one.

    A folder without the file or the name has nothing to add. Raises ValueError if two folders
    have an entry for the same key.
    """
    merged: dict[Any, Any] = {}
    for folder in iter_modules(kinds.__path__):
        module = f"{kinds.__name__}.{folder.name}.{file}"
        # By its name: what belongs to a later room must not be imported with what was promised.
        own = getattr(import_module(module), name, {}) if find_spec(module) else {}
        if twice := merged.keys() & own.keys():
            raise ValueError(f"{module}.{name}: another kind has an entry for {twice} too.")
        merged |= own
    return merged
