"""What pages of staff need: terms that explain themselves, days, the bar of a survey, links."""

from datetime import date
from typing import TYPE_CHECKING, Any

from django import template
from django.conf import settings
from django.template.context import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from surveys.staff.access import abilities_of
from surveys.staff.survey_bar import survey_bar
from surveys.web.addresses import start_address
from surveys.wording.language.numbers import day_words, moment_words
from surveys.wording.terms import TERMS

if TYPE_CHECKING:
    from surveys.models import Survey


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


@register.filter(expects_localtime=True)
def day(shown: date | None) -> str:
    """A day; nothing where there is none."""
    return day_words(shown) if shown else ""


@register.filter(expects_localtime=True)
def moment(shown: date | None) -> str:
    """A day with its time."""
    return moment_words(shown) if shown else ""


@register.inclusion_tag("surveys/staff/_bar.html", name="survey_bar", takes_context=True)
def bar_of(context: Context, survey: "Survey") -> dict[str, Any]:
    """The bar of a survey's pages on the one that is open."""
    request = context["request"]
    name = request.resolver_match.view_name
    today, abilities = timezone.now().date(), abilities_of(request.user, survey)
    return {"bar": survey_bar(survey, abilities, name, today), "survey": survey, "name": name}


@register.simple_tag
def documentation(page: str = "") -> str:
    """The address of a page of the documentation, or of its first; empty where it is not built."""
    return reverse("documentation") + page if settings.DOCUMENTATION.is_dir() else ""


@register.filter("start_address")
def of_survey(survey: "Survey") -> str:
    """The first page of respondents in the survey's own language."""
    return start_address(survey.pk, survey.language)
