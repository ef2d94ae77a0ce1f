"""What a question said when its page was opened, so that a save overwrites nothing unseen."""

import hashlib
import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from surveys.models import Question

# Moving a question changes nothing that its page shows.
LEFT_OUT = ("id", "position")
RULE = ("source", "comparison", "value", "bracket", "leaf", "of_section")


def version_of(question: Question) -> str:
    """A digest of all that is stored of a question, its options and its rule."""
    stored = Question.objects.get(pk=question.pk)
    text = json.dumps(_values(stored), cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _values(question: Question) -> dict[str, Any]:
    fields = [field.attname for field in question._meta.concrete_fields]
    rules = question.conditions.values_list(*RULE)
    return {
        **{name: getattr(question, name) for name in fields if name not in LEFT_OUT},
        "options": list(question.options.values_list("text", "stands_alone", "value")),
        "conditions": list(rules),
    }
