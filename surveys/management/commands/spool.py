"""``manage.py spool``: are the spools in order; flush whole batches; write off what is lost."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from surveys.collecting import spool
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.models.refusals import NotPossible
from surveys.operations import losses
from surveys.operations.checks import spools
from surveys.operations.checks.spools import SpoolState

CONSEQUENCE = (
    "They were acknowledged, and giving them up cannot be undone: they are never counted, the "
    "survey's pages say how many they were, and no one can tell whose they were, so that used "
    "invitations stay used. If the key's file may still be somewhere (another disk, a machine "
    "that the data directory was moved from), put it back into {directory} instead."
)


class Command(BaseCommand):
    help = "List the spools of open surveys and what is wrong with them; with an option, act on it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        action = parser.add_mutually_exclusive_group()
        action.add_argument("--flush", action="store_true", help="Store whole batches now.")
        action.add_argument(
            "--write-off", metavar="SURVEY", help="Give up what this survey's lost key sealed."
        )
        parser.add_argument("--yes", action="store_true", help="Do not ask before giving up.")

    def handle(self, *, write_off: str | None, flush: bool, yes: bool, **options: Any) -> None:
        """List, flush or write off. Raises CommandError that says what to do next."""
        if write_off is not None:
            self._write_off(_state_of(write_off), sure=yes)
        elif flush:
            self._flush()
        else:
            self._list()

    def _list(self) -> None:
        found = spools.states()
        for state in found:
            self.stdout.write(line(state))
        if not found:
            self.stdout.write("No survey is open.")

    def _flush(self) -> None:
        problems = []
        for state in spools.states():
            try:
                stored = spool.flush(state.survey.pk)
            except (KeyLost, DatabaseError, OSError) as problem:
                problems.append(_why(state, problem))
            else:
                self.stdout.write(f'{stored:,} answers of "{state.survey}" were stored.')
        if problems:
            raise CommandError("\n".join(problems))

    def _write_off(self, state: SpoolState, *, sure: bool) -> None:
        if state.lost and not sure:
            consequence = CONSEQUENCE.format(directory=spool.keys_directory())
            self.stdout.write(f"{state.loss_in_words}. {consequence}")
            _confirm(state)
        try:
            lost = losses.give_up(survey=state.survey)
        except NotPossible as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(
            f"{lost:,} acknowledged {'submission' if lost == 1 else 'submissions'} to "
            f'"{state.survey}" cannot be read again; given up, and written into the audit log. '
            "The survey takes answers again."
        )


def line(state: SpoolState) -> str:
    """One open survey on one line."""
    notes = [f"{state.lost:,} of them cannot be read: their key is lost"] if state.lost else []
    notes += ["stuck: run manage.py spool --flush"] if state.is_stuck else []
    return "  ".join([str(state.survey.pk), f'"{state.survey}"', *(notes or ["in order"])])


def _state_of(text: str) -> SpoolState:
    try:
        key = UUID(text)
        return next(state for state in spools.states() if state.survey.pk == key)
    except (ValueError, StopIteration):
        raise CommandError(
            f"{text!r} is not the key of an open survey. Run manage.py spool to see them."
        ) from None


def _confirm(state: SpoolState) -> None:
    try:
        answer = input(f"Give up {state.lost:,} answers? Type yes: ")
    except EOFError:
        raise CommandError("Nothing was given up. Without a terminal, add --yes.") from None
    if answer.strip() != "yes":
        raise CommandError("Nothing was given up.")


def _why(state: SpoolState, problem: Exception) -> str:
    if isinstance(problem, KeyLost):
        return f"{state.loss_in_words}. See manage.py spool --write-off {state.survey.pk}"
    return f'"{state.survey}" could not be flushed ({type(problem).__name__}); run doctor.'
