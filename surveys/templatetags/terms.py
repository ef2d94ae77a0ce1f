"""The tag ``term``: a statistician's word that explains itself when it is pressed."""

from typing import Any

from django import template
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from surveys.wording.terms import TERMS

register = template.Library()
COUNT = "terms explained"


@register.simple_tag(takes_context=True)
def term(context: Context, word: str, shown: str = "") -> SafeString:
    """The word as a button that opens its explanation. Raises KeyError for an unknown word.

    No script is needed. A browser that knows no popovers shows the explanation in the text.
    """
    kept: Any = context.render_context
    number = kept[COUNT] = kept.get(COUNT, 0) + 1  # a word may stand on a page twice
    return format_html(
        '<button type="button" class="term" popovertarget="term-{0}">{1}</button>'
        '<span popover id="term-{0}" class="explained"> ({2}.) </span>',
        number,
        shown or word,
        TERMS[word],
    )
