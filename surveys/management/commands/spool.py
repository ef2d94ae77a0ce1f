"""``manage.py spool``: are the spools in order; flush batches; take back or write off lost ones."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from surveys.collecting import spool
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.collecting.queries import set_aside_count
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.operations import losses
from surveys.operations.checks import spools
from surveys.operations.checks.spools import SpoolState

CONSEQUENCE = (
    "These answers were acknowledged, and giving them up cannot be undone. They are never "
    "counted. The survey's pages say how many they were. No one can tell whose they were, so "
    "used invitations stay used. If the key's file may still exist (on another disk, or on a "
    "machine that the data directory was moved from), put the file back into {directory} "
    "instead, or take back the answers that were set aside: manage.py spool --recover {survey} "
    "--key FILE"
)
NEW_DIRECTORY = (
    "{directory} does not have the mark of the directory that had the keys until now. If that "
    "directory still exists, mount it instead. The new directory has none of the old keys: if "
    "you use it from now on, answers that wait under the old keys are set aside, and their "
    "number is counted and shown. No answer that is stored is lost."
)
LOST_NOW = (
    "Nothing was taken back: the answers that wait now cannot be read, so no other answers were "
    "added to them."
)


class Command(BaseCommand):
    help = (
        "List the spools of open surveys and what is wrong with them. With an option, put right "
        "what is wrong."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        action = parser.add_mutually_exclusive_group()
        action.add_argument("--flush", action="store_true", help="Store whole batches now.")
        action.add_argument(
            "--write-off",
            metavar="SURVEY",
            help="Give up this survey's answers that a lost key sealed.",
        )
        action.add_argument(
            "--recover",
            metavar="SURVEY",
            help="Take back this survey's answers that were set aside, now that their key is back.",
        )
        action.add_argument(
            "--new-directory",
            action="store_true",
            help="The former directory of keys is lost: use the present one from now on.",
        )
        parser.add_argument(
            "--key", metavar="FILE", help="For --recover: a file of keys that was kept elsewhere."
        )
        parser.add_argument("--yes", action="store_true", help="Do not ask for a confirmation.")

    def handle(self, *, write_off: str | None, flush: bool, yes: bool, **options: Any) -> None:
        """List, flush, recover or write off. Raises CommandError that says what to do next."""
        if write_off is not None:
            self._write_off(_survey_of(write_off), sure=yes)
        elif flush:
            self._flush()
        elif options["recover"] is not None:
            self._recover(_survey_of(options["recover"]), options["key"])
        elif options["new_directory"]:
            self._use_new_directory(sure=yes)
        else:
            self._list()

    def _list(self) -> None:
        states = spools.states()
        for state in states:
            self.stdout.write(line(state))
        if not states:
            self.stdout.write("No survey is open.")
        for survey in spools.with_answers_set_aside():
            self.stdout.write(line_of_set_aside(survey))

    def _flush(self) -> None:
        problems = []
        for state in spools.states():
            try:
                stored = spool.flush(state.survey.pk)
            except (KeyLost, DatabaseError, OSError) as problem:
                problems.append(_why(state, problem))
            else:
                self.stdout.write(f'{stored:,} answers to "{state.survey}" were stored.')
        if problems:
            raise CommandError("\n".join(problems))

    def _recover(self, survey: Survey, file: str | None) -> None:
        try:
            recovered = losses.recover(survey, Path(file) if file else None)
        except (NotPossible, OSError) as problem:
            raise CommandError(str(problem)) from problem
        except KeyLost as problem:
            raise CommandError(f"{LOST_NOW} Run manage.py doctor.") from problem
        left = "The answers wait again, as if they had just come"
        also = f" Destroy {file} now: this file opens old copies of the database." if file else ""
        count = "1 answer" if recovered == 1 else f"{recovered:,} answers"
        if survey.state != Survey.State.OPEN:
            left = "The answers are stored"
        self.stdout.write(f'{count} to "{survey}" could be read. {left}.{also}')

    def _use_new_directory(self, *, sure: bool) -> None:
        if not sure:
            self.stdout.write(NEW_DIRECTORY.format(directory=spool.keys_directory()))
            confirm("Use this directory from now on?", "Nothing was changed.")
        try:
            losses.use_new_directory()
        except (NotPossible, OSError) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(
            "This directory is used from now on. Run manage.py opening, which sets aside the "
            "answers that no key opens."
        )

    def _write_off(self, survey: Survey, *, sure: bool) -> None:
        lost_now = _in_words(survey)
        if lost_now and not sure:
            consequence = CONSEQUENCE.format(directory=spool.keys_directory(), survey=survey.pk)
            self.stdout.write(f"{lost_now}. {consequence}")
            confirm("Give up these answers?", "Nothing was given up.")
        try:
            lost = losses.give_up(survey=survey)
        except NotPossible as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(
            f"{lost:,} acknowledged {'submission' if lost == 1 else 'submissions'} to "
            f'"{survey}" cannot be read again and were given up. The audit log says so. The '
            "survey accepts answers again."
        )


def line_of_set_aside(survey: Survey) -> str:
    """What is set aside of a survey, open or closed, on one line."""
    count = set_aside_count(survey).in_words
    return f'{survey.pk}  "{survey}"  {count} set aside: the key that opens them is gone'


def line(state: SpoolState) -> str:
    """One open survey on one line."""
    notes = (
        [f"waiting answers that cannot be read, because their key is lost: {state.lost:,}"]
        if state.lost
        else []
    )
    notes += ["a whole batch is stuck: run manage.py spool --flush"] if state.is_stuck else []
    return "  ".join([str(state.survey.pk), f'"{state.survey}"', *(notes or ["in order"])])


def _in_words(survey: Survey) -> str:
    """What cannot be read of a survey; empty if all can."""
    sentences = [state.loss_in_words for state in spools.states() if state.survey == survey]
    lost = [words for words in sentences if not words.startswith("0 ")]
    if (aside := set_aside_count(survey)).is_any:
        lost.append(f'{aside.in_words} to "{survey}" are set aside')
    return "; ".join(lost)


def _survey_of(text: str) -> Survey:
    known = [state.survey for state in spools.states()] + spools.with_answers_set_aside()
    try:
        key = UUID(text)
        return next(survey for survey in known if survey.pk == key)
    except (ValueError, StopIteration):
        raise CommandError(
            f"{text!r} is not the key of a survey that is open or has answers set aside. Run "
            "manage.py spool to see these surveys."
        ) from None


def confirm(question: str, refused: str) -> None:
    """Ask a person at the terminal. Raises CommandError, ``refused``, unless they type yes."""
    try:
        answer = input(f"{question} Type yes: ")
    except EOFError:
        raise CommandError(f"{refused} Without a terminal, add --yes.") from None
    if answer.strip() != "yes":
        raise CommandError(refused)


def _why(state: SpoolState, problem: Exception) -> str:
    if isinstance(problem, KeyLost):
        return (
            f"{state.loss_in_words}. To give these answers up, run manage.py spool --write-off "
            f"{state.survey.pk}"
        )
    return (
        f'Whole batches of "{state.survey}" could not be stored ({type(problem).__name__}). Run '
        "manage.py doctor."
    )
