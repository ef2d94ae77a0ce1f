"""What a question said when its page was opened, so that a save overwrites nothing unseen."""

import hashlib
import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from surveys.authoring.editor.rule_texts import RuleTexts
from surveys.models import Question

# Moving a question changes nothing that its page shows.
LEFT_OUT = ("id", "position")
RULE = ("source", "comparison", "value", "bracket", "leaf", "of_section")


def version_of(question: Question) -> str:
    """A digest of all that is stored of a question, its options and its rule.

    A rule's text says numbers and values, which other questions' places and options change.
    """
    stored = Question.objects.get(pk=question.pk)
    texts = RuleTexts(stored.survey, stored)
    return _digest({**_values(stored), "texts": [texts.own, texts.of_section]})


def version_of_sources(question: Question) -> str:
    """A digest of the names and values by which a rule that is typed says what it reads."""
    sources = RuleTexts(question.survey, question).sources()
    return _digest([(each.name, each.key, each.answers) for each in sources])


def _digest(values: Any) -> str:
    """Of 128 bits: two of them are sent side by side."""
    text = json.dumps(values, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _values(question: Question) -> dict[str, Any]:
    fields = [field.attname for field in question._meta.concrete_fields]
    rules = question.conditions.values_list(*RULE)
    return {
        **{name: getattr(question, name) for name in fields if name not in LEFT_OUT},
        "options": list(question.options.values_list("text", "stands_alone", "value")),
        "conditions": list(rules),
    }
