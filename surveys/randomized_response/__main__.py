"""The package's command: ``python -m randomized_response plan|estimate|regress|columns``."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from .files import columns_command, estimate_command, plan_command, regress_command
from .files.options import UsageError

COMMANDS = {
    "plan": plan_command,
    "estimate": estimate_command,
    "regress": regress_command,
    "columns": columns_command,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return 0; 2 for a refusal, which is one line on standard error."""
    parser = ArgumentParser(prog="python -m randomized_response")
    chosen = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        command.add_options(chosen.add_parser(name, help=command.HELP, description=command.HELP))
    options = vars(parser.parse_args(arguments))
    try:
        sys.stdout.write(COMMANDS[options["command"]].run(options) + "\n")
    except UsageError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
