"""What is said of answers that are counted while they are locked: who can open what.

Empty where nothing is.
"""

from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.questionnaire.document import Questionnaire
from surveys.wording.language.messages import isolated
from surveys.wording.protection import question_numbers


def counted_line(questionnaire: Questionnaire) -> str:
    """In one sentence or two, for the fold of the first screen."""
    tally = questionnaire.tally
    if tally is None:
        return ""
    words = gettext(
        "{questions}: your answers are added up while they are locked. Neither this server nor "
        "any single key holder can open your answers."
    )
    if len(tally.trustees) == 1:
        words = gettext(
            "{questions}: your answers are added up while they are locked. Only the researchers' "
            "key can open your answers; this server cannot."
        )
    return words.format(questions=question_numbers(tally.table_of))


def locking_line(questionnaire: Questionnaire) -> str:
    """What happens to these answers when Send is pressed."""
    tally = questionnaire.tally
    if tally is None:
        return ""
    return gettext(
        "{questions}: your answers are locked in this browser before they are sent."
    ).format(questions=question_numbers(tally.table_of))


def tally_lines(questionnaire: Questionnaire) -> Iterator[str]:
    """All of it: who could open an answer, and what is opened."""
    tally = questionnaire.tally
    if tally is None:
        return
    if len(tally.trustees) > 1:
        names = gettext(", ").join(isolated(trustee.name) for trustee in tally.trustees)
        yield gettext(
            "If all key holders ({names}) worked together against you, they could open your answer."
        ).format(names=names)
    yield gettext(
        "Only counts are opened, once, with random numbers added. No count shows whether you "
        "are included."
    )
    yield gettext("Locked answers of fewer than {count} people are never opened.").format(
        count=questionnaire.batch_size
    )
