"""Drafted pages that send nothing: information, and the consent without which nothing is sent."""

from collections.abc import Iterator

from surveys.models import Question
from surveys.randomized_response.messages import sentence


def page_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps such a page from being launched."""
    if question.design != Question.Design.DIRECT:
        yield sentence(
            "Nothing of this page is sent, so no device can draw it: choose the design “Direct”."
        )
