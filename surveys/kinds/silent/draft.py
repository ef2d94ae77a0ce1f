"""Drafted pages that send nothing: information, and the consent without which nothing is sent."""

from collections.abc import Iterator

from surveys.authoring.draft.building import common_fields
from surveys.authoring.draft.kinds import DraftKind
from surveys.kinds.silent.promise import ConsentQuestion, InformationQuestion
from surveys.models import Question
from surveys.randomized_response.messages import sentence


def page_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps such a page from being launched."""
    if question.design != Question.Design.DIRECT:
        yield sentence(
            "Nothing on this page is sent, so a design has nothing to protect. Choose the "
            "design “Direct”."
        )


def _information(question: Question) -> InformationQuestion:
    return InformationQuestion(**common_fields(question))


def _consent(question: Question) -> ConsentQuestion:
    return ConsentQuestion(**common_fields(question))


DRAFTS = {
    Question.Kind.INFORMATION: DraftKind(build=_information, reasons=page_reasons),
    Question.Kind.CONSENT: DraftKind(build=_consent, reasons=page_reasons),
}
