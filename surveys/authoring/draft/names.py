"""Names of a draft's questions in files: why one is refused, and which two are alike."""

import re
from collections.abc import Iterator, Sequence

from surveys.authoring.draft.reasons import Reason, of_question
from surveys.definitions.names import name_problem
from surveys.models import Question
from surveys.questionnaire.arms import FIELD
from surveys.randomized_response.messages import Message, sentence

# What questions without a name are called: one of another number would be taken for it.
NUMBERED = re.compile(r"q[0-9]{3}", re.IGNORECASE)


def refusal_of_name(name: str) -> Message | None:
    """Say why files cannot call a question so; None if they can."""
    if name.casefold() == FIELD or NUMBERED.fullmatch(name):
        return sentence(
            "In files, something else already has the name “{name}”. Choose another name for "
            "this question.",
            name=name,
        )
    return name_problem(name)


def names_twice(questions: Sequence[Question]) -> Iterator[str]:
    """Say of each question whose name another one has; programs know no case in names."""
    first: dict[str, int] = {}
    for number, question in enumerate(questions, start=1):
        if not question.name:
            continue
        other = first.setdefault(question.name.casefold(), number)
        if other != number:
            why = sentence(
                "In files, question {other} already has the name “{name}”. Choose another name.",
                name=question.name,
                other=other,
            )
            yield of_question(number, question.text, Reason(why, "name"))
