"""What the respondents' templates need beyond their context."""

import json
from dataclasses import asdict
from decimal import Decimal

from django import template
from django.template.defaultfilters import linebreaks_filter
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.translation import gettext

from surveys.kinds.family.promise import FollowUpQuestion
from surveys.kinds.levels.promise import Leveled, Weights
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.number.promise import NumberRange
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.facts.draw import Draw
from surveys.questionnaire.kinds.question import Question, field_name
from surveys.questionnaire.layout import Section
from surveys.questionnaire.logic.quotes import pieces, unquoted
from surveys.questionnaire.logic.rules import Rule
from surveys.questionnaire.plans.seals import Seals
from surveys.web import static_files
from surveys.web.locales import written_language
from surveys.wording.arms import count_note
from surveys.wording.language.explanations import explanation as explained
from surveys.wording.language.marked import marked_line, marked_text
from surveys.wording.parts import (
    alone_line,
    alone_truth_line,
    part_results,
    part_steps,
    sending_line,
)
from surveys.wording.protection import showing_line
from surveys.wording.recipes import recipe_steps
from surveys.wording.routes import family_lines

register = template.Library()
MOST_BUTTONS = 6  # for one item
BUTTONS_ON_A_PAGE = 60

register.simple_tag(static_files.integrity, name="integrity")
register.simple_tag(written_language)


@register.simple_tag
def follow_up_line(item: FollowUpQuestion, questionnaire: Questionnaire) -> str:
    """Where the answer to a question goes that is sent together with the first of its family."""
    return gettext(
        "Your answer stays in this browser. It is combined with your answer to question {first} "
        "into one answer. Only the result of the coins for that one answer is sent."
    ).format(first=item.family)


@register.simple_tag(takes_context=True)
def explanation(context: template.Context, name: str, **written: str) -> str:
    """An explanation as ``wording.language.explanations`` says it, of the page's survey."""
    return explained(context["questionnaire"], name, **written)


register.filter("recipe_steps", recipe_steps)
register.filter("showing_line", showing_line)
register.filter("sending_line", sending_line)
register.filter("count_note", count_note)
register.filter("alone_line", alone_line)
register.filter("alone_truth_line", alone_truth_line)
register.filter("part_results", part_results)
register.filter("part_steps", part_steps)
register.filter("family_lines", family_lines)


register.filter("may_leave_out", Draw.may_leave_out)


@register.filter
def as_json(weights: Weights) -> str:
    """Whole-number weights, one column for each true answer."""
    return json.dumps(weights, separators=(",", ":"))


@register.filter
def words(item: Question) -> str:
    """A question's words, with an element for each quote, which the page fills in."""
    if item.marked_text:
        return marked_line(item.marked_text, _with_quotes if item.quoting else conditional_escape)
    return _with_quotes(item.quoting) if item.quoting else item.text


def _with_quotes(text: str) -> str:
    parts = ((before, _quote(instead, number)) for before, instead, number in pieces(text))
    return format_html_join("", "{}{}", parts)


@register.filter
def unfilled_words(item: Question) -> str:
    """The same where no answer can be filled in."""
    if not item.marked_text:
        return item.text
    return marked_line(item.marked_text, unquoted if item.quoting else conditional_escape)


@register.filter
def hint(item: Question) -> str:
    """A question's help, below its words; nothing without help."""
    if item.marked_help:
        return format_html('<div class="hint" dir="auto">{}</div>', marked_text(item.marked_help))
    return item.help and format_html('<p class="hint"><bdi>{}</bdi></p>', item.help)


@register.filter
def body(item: Question) -> str:
    """What stands on a page that is read or agreed to, below its heading."""
    return marked_text(item.marked_help) if item.marked_help else linebreaks_filter(item.help)


@register.filter
def introduced(questionnaire: Questionnaire) -> str:
    """Why a survey asks, in its authors' words."""
    text = questionnaire.introduction
    return marked_text(text) if questionnaire.marked_up else linebreaks_filter(text)


@register.filter
def about(section: Section, questionnaire: Questionnaire) -> str:
    """What stands below the title of a section."""
    return marked_line(section.text) if questionnaire.marked_up else section.text


def _quote(instead: str, number: int) -> str:
    if not number:
        return ""
    return format_html('<bdi data-quoted="{}">{}</bdi>', field_name(number - 1), instead)


@register.filter
def stands_alone(item: TicksQuestion, number: str) -> bool:
    """Whether the option with this number can only be ticked alone."""
    return int(number) in item.alone


@register.filter
def rule_json(rule: Rule) -> str:
    """A rule as the page reads it."""
    return json.dumps(rule.to_document(), separators=(",", ":"))


@register.filter
def key_list(seals: Seals) -> str:
    """The keys that texts are sealed for, in the order of their layers."""
    return " ".join(key.key for key in seals.keys)


@register.filter
def arms_json(questionnaire: Questionnaire) -> str:
    """The code and the weight of each arm."""
    pairs = [[arm.code, arm.weight] for arm in questionnaire.arms]
    return json.dumps(pairs, separators=(",", ":"))


@register.filter
def mark(item: Question) -> str:
    """What each field of a question says of a person who was not asked; empty without fields."""
    return next(iter(item.fields_not_asked), "")


@register.filter
def marking_json(item: ListQuestion) -> str:
    """How the browser marks the options of a long list."""
    return json.dumps(asdict(item.marks), separators=(",", ":"))


@register.filter
def codes(item: Leveled) -> str:
    """All codes that a question can send, in the order of the channel's levels."""
    return " ".join(level.code for level in item.reported_levels)


@register.filter
def columns(item: Leveled) -> str:
    """All true answers as the page reads them, in the order of the channel's columns."""
    return " ".join(item.columns)


@register.filter
def own_fields(item: Question, number: int) -> list[str]:
    """The form fields of the question with this number, from 1."""
    return item.fields(number - 1)


@register.filter
def field_names(item: Question, number: int) -> str:
    """The same as a script reads them."""
    return " ".join(own_fields(item, number))


@register.filter
def is_selected(item: RatingQuestion) -> bool:
    """Whether ratings are selected from lists: as buttons they would make a long, heavy page."""
    return len(item.levels) > MOST_BUTTONS or item.slots * len(item.levels) > BUTTONS_ON_A_PAGE


@register.filter
def inputmode(number: NumberRange) -> str:
    """The keyboard that a telephone should show; most number pads have no minus sign."""
    if any(each.startswith("-") for each in (number.minimum, *(s.code for s in number.special))):
        return "text"
    return "decimal" if number.decimal_places else "numeric"


@register.filter
def example(number: NumberRange) -> str:
    """A number near the middle of the range, as people write it."""
    return f"{_example(number).normalize():f}"


@register.filter
def full_example(number: NumberRange) -> str:
    """The same with all digits, which are as many for every number."""
    return number.encode(_example(number)).zfill(number.by_hand.width)


def _example(number: NumberRange) -> Decimal:
    """With a decimal point where one may be written."""
    low, high = map(Decimal, number.bounds)
    middle = round((low + high) / 2, number.decimal_places)
    point = Decimal("0.5") if number.decimal_places and middle % 1 == 0 else Decimal(0)
    return min(middle + point, high)
