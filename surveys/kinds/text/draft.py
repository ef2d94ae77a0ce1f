"""A drafted free text: how long it may be; a text for the last answer of the question before."""

from collections.abc import Iterator, Sequence

from surveys.authoring.draft.building import common_fields
from surveys.authoring.draft.kinds import DraftKind
from surveys.authoring.simulation.draws import Answering, DrawnPeople, Shares, answer_unread
from surveys.kinds.text.promise import OtherQuestion, TextQuestion
from surveys.models import Question
from surveys.randomized_response.messages import sentence

LONGEST_TEXT = 2000
FIELDS = frozenset({"longest"})


def text_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a free text from being launched."""
    if question.design != Question.Design.DIRECT:
        yield sentence("Free text can only be asked directly.")
    if not 1 <= question.longest <= LONGEST_TEXT:
        yield sentence("A text may have 1 to {longest_text} characters.", longest_text=LONGEST_TEXT)


def _text(question: Question) -> TextQuestion:
    return TextQuestion(**common_fields(question), longest=question.longest)


def _other(question: Question) -> OtherQuestion:
    return OtherQuestion(**common_fields(question), longest=question.longest)


def _draw_text(item: TextQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """Not more than must be written: texts are not compared."""
    return answer_unread(None, [[item.encode("-" if item.required else "")]] * people.count)


def _no_text(item: TextQuestion) -> Sequence[str]:
    return [item.encode("")]


DRAFTS = {
    Question.Kind.TEXT: DraftKind(build=_text, reasons=text_reasons, fields=FIELDS, is_text=True),
    Question.Kind.OTHER: DraftKind(
        build=_other, reasons=text_reasons, fields=FIELDS, is_text=True, stands_below=True
    ),
}
DRAWS = {TextQuestion: _draw_text, OtherQuestion: _draw_text}
UNASKED = {TextQuestion: _no_text, OtherQuestion: _no_text}
