"""``manage.py texts``: open sealed texts on the machine of those who hold their keys."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.collecting.keys.key_files import write_new
from surveys.management.passphrases import add_passphrase, passphrase_of
from surveys.trust.keyfiles import PrivateKey, unsealed_file
from surveys.trust.refusals import TrustRefusal
from surveys.trust.sealed_files import SealedFile
from surveys.web.downloads import table_csv

BAD_FILE = 3  # exit code


class Command(BaseCommand):
    help = "Open sealed texts with the keys of those who hold them, without any server."
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        opening = actions.add_parser("open", help="Write the texts of a downloaded file as CSV.")
        opening.add_argument("file", type=Path, help="The downloaded file of sealed texts.")
        opening.add_argument("keys", type=Path, nargs="+", help="One private key file, or both.")
        opening.add_argument("--into", type=Path, required=True, help="A new file for the CSV.")
        add_passphrase(opening)

    def handle(self, *, action: str, **options: Any) -> None:
        """Open the texts. Raises CommandError."""
        try:
            self._open(**options)
        except TrustRefusal as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as problem:
            message = f"{problem.filename}: {problem.strerror}."
            raise CommandError(message, returncode=BAD_FILE) from None

    def _open(self, *, file: Path, keys: list[Path], into: Path, **options: Any) -> None:
        if into.exists():
            raise CommandError(f"{into} exists: give a new name.", returncode=BAD_FILE)
        sealed = SealedFile.read(file.read_bytes())
        opened = sealed.opened_by([_key(path, at, options) for at, path in enumerate(keys)])
        lines = table_csv({"text": text} for text in opened.texts)
        write_new(into, "".join(lines).encode())
        self.stdout.write(
            f"{len(opened.texts):,} people, {sum(map(bool, opened.texts)):,} of whom wrote; "
            f"{opened.repeated:,} repeated and left out, {opened.unreadable:,} that no page of "
            f"this survey sealed."
        )


def _key(path: Path, number: int, options: dict[str, Any]) -> PrivateKey:
    content = path.read_bytes()
    return unsealed_file(content, passphrase_of(options, path, number))
