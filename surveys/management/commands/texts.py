"""``manage.py texts``: open sealed texts, or a word, on the machine of those who hold the keys."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.collecting.keys.key_files import write_new
from surveys.management.passphrases import add_passphrase, passphrase_of
from surveys.trust.keyfiles import PrivateKey, unsealed_file
from surveys.trust.refusals import TrustRefusal
from surveys.trust.sealed_files import SealedFile
from surveys.trust.words import open_word
from surveys.web.downloads import table_csv

BAD_FILE = 3  # exit code


class Command(BaseCommand):
    help = (
        "Open sealed texts, or a sealed word, with a researcher's private key. No server is needed."
    )
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        opening = actions.add_parser("open", help="Write the texts of a downloaded file as CSV.")
        opening.add_argument("file", type=Path, help="The downloaded file of sealed texts.")
        opening.add_argument(
            "keys", type=Path, nargs="+", help="One private key file, or both private key files."
        )
        opening.add_argument("--into", type=Path, required=True, help="A new file for the CSV.")
        add_passphrase(opening)
        word = actions.add_parser(
            "word", help="Print the word that the launch page shows in sealed form."
        )
        word.add_argument("file", type=Path, help="Your private key file.")
        word.add_argument("sealed", help="The sealed word, as the page shows it.")
        add_passphrase(word)

    def handle(self, *, action: str, **options: Any) -> None:
        """Do what was asked. Raises CommandError."""
        try:
            if action == "word":
                self._word(**options)
            else:
                self._open(**options)
        except TrustRefusal as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as problem:
            message = f"{problem.filename}: {problem.strerror}."
            raise CommandError(message, returncode=BAD_FILE) from None

    def _open(self, *, file: Path, keys: list[Path], into: Path, **options: Any) -> None:
        if into.exists():
            raise CommandError(
                f"Nothing was written: {into} exists already. Give a new name.", returncode=BAD_FILE
            )
        sealed = SealedFile.read(file.read_bytes())
        opened = sealed.opened_by([_key(path, at, options) for at, path in enumerate(keys)])
        lines = table_csv({"text": text} for text in opened.texts)
        write_new(into, "".join(lines).encode())
        self.stdout.write(
            f"{len(opened.texts):,} people, of whom {sum(map(bool, opened.texts)):,} wrote a "
            f"text. Left out: {opened.repeated:,} that were repeated, and {opened.unreadable:,} "
            "that no page of this survey sealed."
        )

    def _word(self, *, file: Path, sealed: str, **options: Any) -> None:
        try:
            content = bytes.fromhex(sealed)
        except ValueError:
            content = b""  # refused below, like all that is no word
        self.stdout.write(open_word(content, _key(file, 0, options)))


def _key(path: Path, number: int, options: dict[str, Any]) -> PrivateKey:
    content = path.read_bytes()
    return unsealed_file(content, passphrase_of(options, path, number))
