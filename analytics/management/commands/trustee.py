"""``manage.py trustee``: make a trustee's key, prove that it opens, add noise, give a share."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.files.trustees import (
    KeyRecords,
    adopt_noise,
    noise_file,
    share_file,
)
from surveys.collecting.keys.key_files import write_new
from surveys.management.passphrases import add_passphrase, new_passphrase, passphrase_of
from surveys.trust.digests import canonical, printed_in_groups
from surveys.trust.keyfiles import (
    TRUSTEE,
    PrivateKey,
    from_paper,
    new_key,
    on_paper,
    sealed_file,
    unsealed_file,
    written,
)
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import BallotList, NoisyTotals, read_json, read_list
from surveys.trust.tally.trustees import tested, trustee_of

BAD_FILE = 3  # exit code
QUESTION_BYTES = 32


class Command(BaseCommand):
    help = (
        "Make and use a trustee's key for answers that are counted while they are locked. No "
        "server is needed."
    )
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for name, words in (
            ("new", "Make a key pair, for one survey."),
            ("restore", "Type in a key again from paper."),
        ):
            made = actions.add_parser(name, help=words)
            made.add_argument("name", help="Who holds the key, as respondents read it.")
            made.add_argument("file", type=Path, help="A new file for the private key.")
            add_passphrase(made)
        paper = actions.add_parser("paper", help="Print the private key for a sheet of paper.")
        _add_key(paper)
        test = actions.add_parser(
            "test", help="Answer the launch page, which asks if the key opens."
        )
        _add_key(test)
        test.add_argument("question", help="The digits that the launch page shows.")
        noise = actions.add_parser("noise", help="Add your noise to a list of ballots.")
        _add_key(noise)
        noise.add_argument("ballots", type=Path, help="The file of ballots.")
        noise.add_argument("--into", type=Path, required=True, help="A new file for the noise.")
        noise.add_argument(
            "--earlier",
            type=Path,
            help="For a restored key: the noise file that the key made, from your archive. A "
            "file that the server gives you may be without any noise.",
        )
        noise.add_argument(
            "--no-noise-was-drawn",
            action="store_true",
            help="For a restored key: say that this key drew no noise for this table.",
        )
        share = actions.add_parser("open", help="Make your share of the key that opens the totals.")
        _add_key(share)
        share.add_argument("ballots", type=Path, help="The file of ballots.")
        share.add_argument("noises", type=Path, nargs="+", help="All noise files, in order.")
        share.add_argument("--into", type=Path, required=True, help="A new file for the share.")

    def handle(self, *, action: str, **options: Any) -> None:
        """Do what was asked. Raises CommandError."""
        actions = {
            "new": self._new,
            "restore": self._restore,
            "paper": self._paper,
            "test": self._test,
            "noise": self._noise,
            "open": self._open,
        }
        try:
            actions[action](options)
        except TrustRefusal as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as problem:
            message = f"{problem.filename}: {problem.strerror}."
            raise CommandError(message, returncode=BAD_FILE) from None

    def _new(self, options: dict[str, Any]) -> None:
        self._write(new_key(options["name"], TRUSTEE), options)

    def _restore(self, options: dict[str, Any]) -> None:
        self.stderr.write("Type the characters on the sheet:", style_func=str)
        private = from_paper(options["name"], sys.stdin.readline().strip(), TRUSTEE)
        _require_new(options["file"])
        # Before the key is there: a key without a record looks like one that was never used.
        KeyRecords.beside(options["file"]).note_restored()
        self._write(private, options)

    def _paper(self, options: dict[str, Any]) -> None:
        private = _key(options)
        self.stdout.write(f"{private.name}\n{on_paper(private)}")

    def _test(self, options: dict[str, Any]) -> None:
        try:
            question = bytes.fromhex(options["question"])
        except ValueError:
            question = b""
        if len(question) != QUESTION_BYTES:
            raise CommandError("The launch page shows 64 hexadecimal digits. Copy all of them.")
        private = _key(options)
        self.stdout.write(tested(private.name, private.number, question).hex())

    def _noise(self, options: dict[str, Any]) -> None:
        _require_new(options["into"])
        private, listed = _key(options), _listed(options["ballots"])
        records = KeyRecords.beside(options["file"])
        if options["earlier"]:
            made = adopt_noise(private, listed, records, _json(options["earlier"]))
        else:
            made = noise_file(private, listed, records, may_be_first=options["no_noise_was_drawn"])
        write_new(options["into"].absolute(), canonical(made))
        # Its holder sees here if a document asks for less noise than the survey's page says.
        noise = f"Noise of deviation {listed.plan.sigma}"
        self.stdout.write(f"{noise} for {_named(listed)}: {options['into']}")

    def _open(self, options: dict[str, Any]) -> None:
        _require_new(options["into"])
        private, listed = _key(options), _listed(options["ballots"])
        noises = tuple(_json(path) for path in options["noises"])
        made = share_file(private, NoisyTotals(listed, noises), KeyRecords.beside(options["file"]))
        write_new(options["into"].absolute(), canonical(made))
        self.stdout.write(f"A share for {_named(listed)}: {options['into']}")

    def _write(self, private: PrivateKey, options: dict[str, Any]) -> None:
        """Both halves, the public one first: without it nothing could be counted for the other."""
        path: Path = options["file"]
        public = path.with_name(f"{path.name}.public.json")
        for one in (path, public):
            _require_new(one)
        document = sealed_file(private, new_passphrase(options))
        proof = trustee_of(private.name, private.number).proof.hex()
        half = {**private.public.to_document(), "proof": proof}
        write_new(public.absolute(), written(half).encode())
        write_new(path.absolute(), written(document).encode())
        self.stdout.write(
            f"The public half, to upload: {public}\nThe private half, to keep: {path}"
        )


def _add_key(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="Your private key file.")
    add_passphrase(parser)


def _key(options: dict[str, Any]) -> PrivateKey:
    path: Path = options["file"]
    return unsealed_file(path.read_bytes(), passphrase_of(options, path), TRUSTEE)


def _listed(path: Path) -> BallotList:
    with path.open("rb") as file:
        return read_list(file)


def _named(listed: BallotList) -> str:
    """Which table of which survey: what a trustee compares with the survey's own page."""
    table = listed.plan.table
    return (
        f"{listed.count:,} ballots of table {table.number} of the survey "
        f"{printed_in_groups(table.revision)}"
    )


def _json(path: Path) -> dict[str, Any]:
    return read_json(path.read_bytes())


def _require_new(path: Path) -> None:
    if path.exists():
        raise CommandError(
            f"Nothing was written: {path} exists already. Give a new name.", returncode=BAD_FILE
        )
