"""Every command of ours with its options, as ``--help`` has them, for ``docs/commands.md``.

``python -m benchmarks.commands > docs/commands.md`` writes the page anew; a contract test holds it
to the code.
"""

import os
from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator

import django
from django.core.management import get_commands, load_command_class
from django.core.management.base import DjangoHelpFormatter

OURS = ("surveys", "ranking", "analytics")
HEAD = """# Every command

`python manage.py COMMAND`, or `deniable COMMAND` where Deniable is installed from its wheel. Each
command says the same about itself with `--help`. `python -m benchmarks.commands > docs/commands.md`
writes this page anew.
"""


def page() -> str:
    """The whole page."""
    commands = sorted((name, app) for name, app in get_commands().items() if app in OURS)
    return HEAD + "".join(_section(app, name) for name, app in commands)


def _section(app: str, name: str) -> str:
    command = load_command_class(app, name)
    parser = command.create_parser("manage.py", name)
    return f"\n## {name}\n\n{command.help}\n" + "".join(_tables(parser))


def _tables(parser: ArgumentParser, name: str = "") -> Iterator[str]:
    """The options of a command, then those of each of its own commands."""
    rows = [_row(parser, action) for action in _own(parser)]
    if rows:
        kind = f"`{name}` and options" if name else "Option"
        yield f"\n| {kind} | What it does |\n|---|---|\n" + "".join(rows)
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for inner, its in action.choices.items():
                yield from _tables(its, inner)


def _own(parser: ArgumentParser) -> Iterator[Action]:
    """Its own options: not ``--help``, nor those that Django gives to every command."""
    for action in parser._actions:
        given = DjangoHelpFormatter.show_last.intersection(action.option_strings)
        if not given and action.dest != "help" and not isinstance(action, _SubParsersAction):
            yield action


def _row(parser: ArgumentParser, action: Action) -> str:
    formatter = parser._get_formatter()
    names = ", ".join(action.option_strings) or formatter._format_args(action, action.dest)
    said = formatter._expand_help(action) if action.help else _choices(action)
    return f"| `{names}` | {' '.join(said.split()).replace('|', '&#124;')} |\n"


def _choices(action: Action) -> str:
    return f"one of {', '.join(map(str, action.choices))}" if action.choices else ""


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    print(page(), end="")
