"""What a question said when its page was opened, so that a save overwrites nothing unseen."""

import hashlib
import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from surveys.authoring.editor.rule_texts import RuleTexts
from surveys.models import Question

# Moving a question changes nothing that its page shows.
LEFT_OUT = ("id", "position")
LENGTH = 32  # hexadecimal digits of each digest, of 128 bits
RULE = ("source", "comparison", "value", "bracket", "leaf", "of_section")


def version_of(question: Question) -> str:
    """Two digests side by side: of all that is stored of a question, its options and its rule; and
    of the names and values by which a rule that is typed says what it reads.

    A rule's text says numbers and values, which other questions' positions and options change.
    """
    stored = Question.objects.get(pk=question.pk)
    texts = RuleTexts(stored.survey, stored)
    named = [(each.name, each.key, each.answers) for each in texts.sources()]
    return _digest({**_values(stored), "texts": [texts.own, texts.of_section]}) + _digest(named)


def is_same_version(before: str, now: str, *, reads_names: bool) -> bool:
    """Whether what was read still stands; the second half too where a rule was typed by names."""
    end = 2 * LENGTH if reads_names else LENGTH
    return before[:end] == now[:end]


def _digest(values: Any) -> str:
    text = json.dumps(values, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def _values(question: Question) -> dict[str, Any]:
    fields = [field.attname for field in question._meta.concrete_fields]
    rules = question.conditions.values_list(*RULE)
    return {
        **{name: getattr(question, name) for name in fields if name not in LEFT_OUT},
        "options": list(question.options.values_list("text", "stands_alone", "value")),
        "conditions": list(rules),
    }
