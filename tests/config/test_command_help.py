"""`manage.py COMMAND --help` works for every command of ours."""

import io
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class


def is_ours(app: str) -> bool:
    package = app.partition(".")[0]
    return (Path(settings.BASE_DIR) / package / "__init__.py").exists()


COMMANDS = sorted((name, app) for name, app in get_commands().items() if is_ours(app))


def test_the_commands_of_every_app_are_among_those_tried():
    assert {"plan", "rank", "topics"} <= {name for name, _ in COMMANDS}


@pytest.mark.parametrize(("name", "app"), COMMANDS)
def test_every_command_prints_its_help(name, app):
    parser = load_command_class(app, name).create_parser("manage.py", name)
    out = io.StringIO()
    parser.print_help(out)
    assert "--help" in out.getvalue()
    assert "%%" not in out.getvalue()
