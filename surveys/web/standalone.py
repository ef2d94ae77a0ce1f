"""standalone: a page as one file, with a policy of its own that allows its one style alone."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string

from surveys import PROGRAM


def standalone(template: str, style: str, context: dict[str, Any]) -> str:
    """The page of a template with a style sheet inside; ``style`` names its template.

    The template has ``style``, ``style_digest`` and ``program`` besides its context.
    """
    content = render_to_string(style)
    digest = f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
    known = {"program": PROGRAM, "style": style, "style_digest": digest}
    return render_to_string(template, {**known, **context})
