"""The stored numbers of several questions at once, as clouds of people to compare."""

from collections.abc import Sequence

import numpy as np

from analytics.comparison.checks import FloatArray
from analytics.comparison.errors import ComparisonError
from analytics.sources.survey_answers import LEAST_GROUP
from analytics.sources.survey_codes import codes_of, item_of, labels_of
from analytics.sources.survey_scales import tells_groups
from surveys.models import Revision
from surveys.questionnaire.kinds.number import NumberQuestion


def clouds_by(
    revision: Revision, numbers: Sequence[int], by: int
) -> tuple[dict[str, FloatArray], list[str]]:
    """Clouds (people, questions) of direct numbers by the answers to ``by``, and notes.

    Who declined one of the numbers is left out. Raises ComparisonError.
    """
    asked = [item_of(revision, one) for one in numbers]
    items = [item for item in asked if isinstance(item, NumberQuestion)]
    other = item_of(revision, by)
    if len(items) < len(asked) or not tells_groups(other) or other.is_randomized:
        raise ComparisonError("by", by, "choose numbers, and a question with direct answers")
    found: dict[str, list[list[float]]] = {}
    left_out = 0
    for codes, count in codes_of(revision, (*numbers, by)).items():
        *given, group = codes
        pairs = zip(items, given, strict=True)
        if not other.was_asked(group) or any(item.is_declined(code) for item, code in pairs):
            left_out += count
            continue
        found.setdefault(other.label(group), []).extend([[float(code) for code in given]] * count)
    small = [name for name, rows in found.items() if len(rows) < LEAST_GROUP]
    notes = [f"Left out, as fewer than {LEAST_GROUP} people: {'; '.join(small)}."] if small else []
    if left_out:
        notes.append(f"Left out, as they declined one of these questions: {left_out:,}.")
    order = [label for label in labels_of(other) if label in found and label not in small]
    return {label: np.array(found[label]) for label in order}, notes
