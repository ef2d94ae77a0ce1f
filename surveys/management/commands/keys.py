"""``manage.py keys``: make a key for sealed texts, print it for paper, bring it back from paper."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.collecting.keys.key_files import write_new
from surveys.management.passphrases import add_passphrase, new_passphrase, passphrase_of
from surveys.trust.keyfiles import (
    PrivateKey,
    from_paper,
    new_key,
    on_paper,
    sealed_file,
    unsealed_file,
    written,
)
from surveys.trust.refusals import TrustRefusal

BAD_FILE = 3  # exit code


class Command(BaseCommand):
    help = (
        "Make a researcher's key for sealed texts, print it, or type it in again, on the "
        "researcher's own machine."
    )
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        new = actions.add_parser("new", help="Make a key pair.")
        new.add_argument("name", help="Who holds the key, as respondents read it.")
        new.add_argument("file", type=Path, help="A new file for the private key.")
        add_passphrase(new)
        paper = actions.add_parser("paper", help="Print the private key for a sheet of paper.")
        paper.add_argument("file", type=Path, help="The private key file.")
        add_passphrase(paper)
        restore = actions.add_parser("restore", help="Type in a key again from paper.")
        restore.add_argument("name", help="Who holds the key, written as before.")
        restore.add_argument("file", type=Path, help="A new file for the private key.")
        add_passphrase(restore)

    def handle(self, *, action: str, **options: Any) -> None:
        """Do what was asked. Raises CommandError."""
        try:
            {"new": self._new, "paper": self._paper, "restore": self._restore}[action](options)
        except TrustRefusal as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as problem:
            message = f"{options['file']}: {problem.strerror}."
            raise CommandError(message, returncode=BAD_FILE) from None

    def _new(self, options: dict[str, Any]) -> None:
        self._write(new_key(options["name"]), options)

    def _paper(self, options: dict[str, Any]) -> None:
        content = options["file"].read_bytes()
        private = unsealed_file(content, passphrase_of(options, options["file"]))
        self.stdout.write(f"{private.name}\n{on_paper(private)}")

    def _restore(self, options: dict[str, Any]) -> None:
        self.stderr.write("Type the characters on the sheet:", style_func=str)
        self._write(from_paper(options["name"], sys.stdin.readline().strip()), options)

    def _write(self, private: PrivateKey, options: dict[str, Any]) -> None:
        """Both halves, the public one first: without it nothing could be sealed for the other."""
        path: Path = options["file"]
        public = path.with_name(f"{path.name}.public.json")
        for one in (path, public):
            if one.exists():
                raise CommandError(
                    f"Nothing was written: {one} exists already. Give a new name.",
                    returncode=BAD_FILE,
                )
        document = sealed_file(private, new_passphrase(options))
        write_new(public, written(private.public.to_document()).encode())
        write_new(path, written(document).encode())
        self.stdout.write(
            f"The public half, to upload: {public}\nThe private half, to keep: {path}"
        )
