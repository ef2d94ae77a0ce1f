"""Checks of the apps that use surveys: surveys do not know them, so they say so themselves.

An app's configuration names a module as its ``checkup``, with ``CHECKS`` and with the names of its
triggers: ``TRIGGERS``, and with those that only SQLite needs ``SQLITE_TRIGGERS``.
"""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from django.apps import apps


def modules() -> Iterator[ModuleType]:
    """Every module that an app names."""
    for app in apps.get_app_configs():
        if name := getattr(app, "checkup", ""):
            yield import_module(name)
