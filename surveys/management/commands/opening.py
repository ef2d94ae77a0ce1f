"""``manage.py opening``: close and open what is due; look after opening keys."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from surveys.management.commands.spool import confirm
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.operations import fallbacks, opening_keys
from surveys.operations.dumps import Unusable
from surveys.operations.retention import ClockDoubted, close_and_open

CONSEQUENCE = (
    "These answers were acknowledged, and giving them up cannot be undone. First look for the "
    "file of the opening key on other disks, and for the recovery key, which recovers the "
    "opening key: manage.py opening --recover {survey} --key FILE"
)
REDRAW = (
    "This survey releases tables with random numbers, which are drawn once at each opening. If "
    "an opening was drawn after the state to which the database was put back, and a person has "
    "the tables of that opening, a second draw reveals more than was promised. Ask the survey's "
    "owner, and look for published files. Name the newest release.json with --published."
)


class Command(BaseCommand):
    help = (
        "Close the surveys and open the sealed answers that are due, or, with an option, look "
        "after opening keys and held openings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        action = parser.add_mutually_exclusive_group()
        action.add_argument(
            "--new-recovery-key",
            metavar="FILE",
            help="Make a recovery key in FILE. Keep FILE away from this server.",
        )
        action.add_argument(
            "--recover",
            metavar="SURVEY",
            help="Put the survey's lost opening key back; needs --key.",
        )
        action.add_argument(
            "--copy-key",
            metavar="SURVEY",
            help="Seal a copy of the survey's opening key for the recovery key.",
        )
        action.add_argument(
            "--destroy-key",
            metavar="SURVEY",
            help="Destroy the survey's opening key before the week after the close is over; "
            "needs --backup.",
        )
        action.add_argument(
            "--write-off",
            metavar="SURVEY",
            help="Give up the survey's sealed answers, if its opening key is lost.",
        )
        action.add_argument(
            "--hold",
            metavar="TIME",
            help="The database was put back to its state of TIME (ISO 8601): hold the openings "
            "that would be drawn again.",
        )
        action.add_argument(
            "--confirm-draw",
            metavar="SURVEY",
            help="Let the survey's held openings go on, because none was drawn after that state.",
        )
        parser.add_argument(
            "--published",
            metavar="FILE",
            help="For --confirm-draw: the newest release.json of the survey that people have.",
        )
        parser.add_argument(
            "--backup",
            metavar="FILE",
            help="For --destroy-key: a backup that contains all answers that the key opened.",
        )
        parser.add_argument(
            "--key", metavar="FILE", help="For --recover: the file of the recovery key."
        )
        parser.add_argument(
            "--yes", action="store_true", help="Do not ask for a confirmation, and trust the clock."
        )

    def handle(self, **options: Any) -> None:
        """Open, recover or write off. Raises CommandError that says what to do next."""
        try:
            self._act(options)
        except (NotPossible, ClockDoubted, Unusable, OSError) as problem:
            raise CommandError(str(problem)) from problem

    def _act(self, options: dict[str, Any]) -> None:
        if file := options["new_recovery_key"]:
            self._make(Path(file))
        elif survey := options["recover"]:
            opening_keys.recover(survey_named(survey), Path(options["key"] or ""))
            self.stdout.write("The opening key is in its file again. Run manage.py opening.")
        elif survey := options["copy_key"]:
            opening_keys.copy_key(survey_named(survey))
            self.stdout.write(
                "A copy of the opening key, sealed for the recovery key, is now in the database."
            )
        elif survey := options["destroy_key"]:
            self._destroy(survey_named(survey), options["backup"])
        elif moment := options["hold"]:
            self._hold(moment)
        elif survey := options["confirm_draw"]:
            self._confirm_draw(survey_named(survey), options["published"], sure=options["yes"])
        elif survey := options["write_off"]:
            self._write_off(survey_named(survey), sure=options["yes"])
        else:
            self._open(sure=options["yes"])

    def _make(self, file: Path) -> None:
        public = opening_keys.new_recovery_key(file)
        self.stdout.write(
            f"Move {file} to a place away from this server, and keep a second copy. Then set\n"
            f"DENIABLE_RECOVERY_KEY={public}\nand restart the service. The recovery key works for "
            "surveys that are launched from then on."
        )

    def _open(self, *, sure: bool) -> None:
        kept = close_and_open(now=timezone.now(), trust_clock=sure)
        for due in kept.done:
            self.stdout.write(f'Closed "{due.title}" {due.survey}')
        for survey in kept.opened:
            self.stdout.write(f'Opened "{survey}" {survey.pk}')
        if not kept.done and not kept.opened:
            self.stdout.write("No opening is due.")
        if kept.problems:
            raise CommandError("\n".join(kept.problems))

    def _destroy(self, survey: Survey, backup: str | None) -> None:
        if not backup:
            raise CommandError("Name a backup that was made after the close: --backup FILE.")
        opening_keys.destroy_early(survey, Path(backup))
        self.stdout.write(
            "The backup contains all opened answers. Both copies of the key are destroyed."
        )

    def _hold(self, moment: str) -> None:
        try:
            as_of = datetime.fromisoformat(moment)
        except ValueError:
            raise CommandError(
                f"{moment!r} is not a time. Write a time such as 2026-03-01T03:30+00:00."
            ) from None
        surveys = fallbacks.hold(as_of if as_of.tzinfo else as_of.replace(tzinfo=UTC))
        for survey in surveys:
            self.stdout.write(f'Openings of "{survey}" {survey.pk} are held.')
        if not surveys:
            self.stdout.write("Nothing is held: no opening that is due would be drawn again.")

    def _confirm_draw(self, survey: Survey, published: str | None, *, sure: bool) -> None:
        if not sure:
            self.stdout.write(REDRAW)
            confirm(
                f'Is it certain that no opening of "{survey}" was drawn after that state?',
                "The openings stay held.",
            )
        fallbacks.confirm(survey, Path(published) if published else None)
        self.stdout.write(
            "The openings of the survey go on with the next run of manage.py opening."
        )

    def _write_off(self, survey: Survey, *, sure: bool) -> None:
        if not sure:
            self.stdout.write(CONSEQUENCE.format(survey=survey.pk))
            confirm(f'Give up the sealed answers to "{survey}"?', "Nothing was given up.")
        lost = opening_keys.give_up(survey)
        self.stdout.write(f'{lost:,} answers to "{survey}" were given up.')


def survey_named(text: str) -> Survey:
    """The survey with this key. Raises CommandError."""
    try:
        return Survey.objects.get(pk=UUID(text))
    except (ValueError, Survey.DoesNotExist):
        raise CommandError(f"{text!r} is not the key of a survey.") from None
