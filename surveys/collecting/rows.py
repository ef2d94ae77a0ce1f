"""What respondents' templates show: questions, slots, own coin; for pages and a draft's preview."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID

import numpy as np
from django.conf import settings
from django.utils.html import format_html

from surveys.catalogues.queries import catalogue_items, display_law
from surveys.collecting.first_screen import is_long
from surveys.collecting.replies.words import (
    ROW,
    arm_words,
    receipt_words,
    refusal_words,
    table_words,
)
from surveys.collecting.scripts import CODE_SCRIPTS, modules_of, scripts_of
from surveys.kinds.counted.promise import CountedQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.rating.promise import RatingQuestion, Slot
from surveys.models.queries import launched_revision, questionnaire_of_id
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question, field_name
from surveys.questionnaire.kinds.registry import Table, kind_name, of_kind
from surveys.questionnaire.layout import Section
from surveys.questionnaire.plans.tallies import LockedTable, has_not_asked
from surveys.questionnaire.plans.vouchers import DIGITS
from surveys.questionnaire.ratings import draw_evenly
from surveys.questionnaire.refusals import BadAnswers, Refused, WrongDraw
from surveys.questionnaire.submission import fields_of
from surveys.trust.tally.trustees import joint_key_of
from surveys.web.locales import written_language
from surveys.wording.arms import arm_choices, arm_lines, arm_steps, drawing_line
from surveys.wording.language.messages import translated
from surveys.wording.learning import Learning, learning, learning_note, strength, who_learns
from surveys.wording.openings import flooding_note, opening_summary
from surveys.wording.protection import (
    direct_questions,
    keeping_lines,
    least_protected,
    odds_lines,
    publishing_line,
    second_questions,
    total_odds,
)
from surveys.wording.routes import asking_line, next_number, open_line, truth_line
from surveys.wording.subsets import asked_words, die_results, subset_lines, subset_steps
from surveys.wording.tallies import counted_line, locking_line, tally_lines
from surveys.wording.texts import direct_mark, readers_line, reports_line, tables_line
from surveys.wording.vouchers import open_page_line, together_line, unlinked_line

START, OWN_COIN = "surveys/collecting/start.html", "surveys/collecting/own_coin.html"
DOOR = "surveys/collecting/door.html"
KEY_BYTES = 16  # of a submission key, drawn for each fetch
STYLES = ("surveys/collecting/respond.css", "surveys/collecting/icon.svg")  # of every page


@dataclass(frozen=True)
class AskedQuestion:
    """A question on a page: its number from 1, its form field, and the items that it shows.

    ``drawn_by`` is what a die shows to draw it, where some protected questions are asked; empty
    where the page draws, and for a question that is asked of all. ``only_if`` says for whom it is,
    where a rule does, and ``next_number`` is the question with which all others go on. ``section``
    is the one that begins at this question. ``mixes_options`` asks the page to draw their order;
    the last one stays where it ``opens`` a text below it.
    ``open_rule`` is what a rule that reads protected answers asks of the others, as the page reads
    it, and ``truth_line`` is for people with their own coin whom protected answers hide it from.
    ``integrity`` is that of the file from which the page draws the items that are rated, and
    ``receipt`` is how the page writes what it sent into the receipt, as JSON.
    """

    number: int
    item: Question
    template: str
    slots: Sequence[Slot] = ()
    drawn_by: str = ""
    only_if: str = ""
    next_number: int | None = None
    section: Section | None = None
    mixes_options: bool = False
    opens: bool = False
    open_rule: str = ""
    truth_line: str = ""
    integrity: str = ""
    receipt: str = ""

    @property
    def name(self) -> str:
        return field_name(self.number - 1)


@dataclass(frozen=True)
class Screen:
    """What is shown at once; ``is_certain`` if some of it is asked of all.

    ``section`` is the one that it belongs to and ``position`` its number, if there are sections;
    ``begins`` is true of the section's first screen. The page draws the order of the screens of a
    section that ``mixes`` them, and that of the sections that ``moves`` is true of.
    """

    questions: Sequence[AskedQuestion]
    is_certain: bool
    section: Section | None = None
    position: int = 0
    begins: bool = False
    mixes: bool = False
    moves: bool = False

    @property
    def number(self) -> int:
        return self.questions[0].number

    @property
    def last(self) -> int:
        return self.questions[-1].number

    @property
    def heading(self) -> str:
        """The element of each question's heading: one of several is below the screen's own."""
        headed = [question for question in self.questions if not question.item.stands_below]
        return "h1" if len(headed) == 1 else "h2"


@dataclass(frozen=True)
class SentField:
    """A field of a refused body, to be sent once more; where ``problem`` is set, corrected.

    Where a draw is corrected, ``asked`` is the question as it stood on the page, of ``total``, and
    ``strength`` what the page said of the survey.
    """

    name: str
    value: str
    question: str = ""
    problem: str = ""
    is_long: bool = False
    asked: AskedQuestion | None = None
    total: int = 0
    strength: str = ""


def sent_fields(survey_id: UUID, body: bytes, refusal: Refused) -> list[SentField]:
    """What was sent, in its order: the answers to be corrected with their questions."""
    if isinstance(refusal, WrongDraw):
        return _redrawn(questionnaire_of_id(launched_revision(survey_id), written_language()), body)
    problems = refusal.problems if isinstance(refusal, BadAnswers) else {}
    if not problems:
        return [SentField(name, value) for name, value in fields_of(body)]
    questionnaire = questionnaire_of_id(launched_revision(survey_id), written_language())
    number_of = {name: n for n, slots in enumerate(questionnaire.form.slots, 1) for name in slots}
    return [
        _corrected(questionnaire, number_of[name], name, value, problems[name])
        if name in problems
        else SentField(name, value)
        for name, value in fields_of(body)
    ]


def _corrected(
    questionnaire: Questionnaire, number: int, name: str, value: str, problem: str
) -> SentField:
    """A field with its problem; a question with levels that had no answer stands there anew."""
    item, total = questionnaire.items[number - 1], len(questionnaire.items)
    return SentField(
        name,
        value,
        item.text,
        translated(problem),
        bool(item.text_bytes),
        ANEW(item, questionnaire, number),
        total,
        strength(questionnaire),
    )


def _anew(item: LevelQuestion, questionnaire: Questionnaire, number: int) -> AskedQuestion:
    plain = AskedQuestion(number, item, question_template(item, "hand"))
    return _for_hands(questionnaire, plain)


# What stands once more on the page of a refused form, to be answered there.
ANEW: Table[[Questionnaire, int], AskedQuestion | None] = Table.with_levels(
    _anew, lambda item, questionnaire, number: None
)


def _redrawn(questionnaire: Questionnaire, body: bytes) -> list[SentField]:
    """What was sent; each protected question that a coin can ask, with its recipe, to be corrected.

    Ratings stay as they came: a page does not know which items it had shown.
    """
    total, drawn_by = len(questionnaire.items), die_results(questionnaire)
    asked = {
        field_name(n - 1): AskedQuestion(
            n, item, question_template(item, "hand"), drawn_by=drawn_by[n]
        )
        for n, item in of_kind(LevelQuestion, questionnaire.items)
        if n in drawn_by and item.is_offered_with_own_coin
    }
    return [
        SentField(name, value, asked=asked.get(name), total=total)
        for name, value in fields_of(body)
    ]


@dataclass(frozen=True)
class Launched:
    """What a page needs of a revision: its key, its digest in hexadecimal, which texts are sealed
    for, and the integrity of each file of rated items, by the number of its question. Answers are
    posted to ``send_to``, and an invitation's code, where there are vouchers, to ``exchange_at``.
    """

    revision: str = ""
    digest: str = ""
    items: Mapping[int, str] = field(default_factory=dict)
    send_to: str = "send/"
    exchange_at: str = ""


@dataclass(frozen=True)
class LockedField:
    """What the page sends of answers that are counted together while they are locked.

    As JSON, ``table`` is what its script locks them for, and ``receipt`` how it writes that.
    """

    name: str
    table: str
    receipt: str


DRAFT = Launched()
# A draft has none yet; its preview sends nothing, and runs the same script.
NO_KEY = "f" * DIGITS


def start_context(
    questionnaire: Questionnaire, launched: Launched = DRAFT, *, last_day: date | None = None
) -> dict[str, object]:
    """The survey's first page. A draft has no revision, and so nothing to send to."""
    questions = [
        replace(one, receipt=_packed(_receipt_words(one, questionnaire)))
        for one in _questions(questionnaire, launched, "page")
    ]
    return {
        **page_context(questionnaire, last_day),
        "revision": launched.revision,
        "digest": launched.digest,
        "send_to": launched.send_to,
        "exchange_at": launched.exchange_at,
        "open_page_line": open_page_line() if questionnaire.vouchers else "",
        "voucher_key": questionnaire.vouchers and (questionnaire.vouchers.n or NO_KEY),
        "arm_receipt": _packed(arm_words(questionnaire)),
        "locking_line": locking_line(questionnaire),
        "locked_fields": list(_locked_fields(questionnaire)),
        "row": format_html(ROW, "", "", "", ""),
        "refusals": refusal_words(questionnaire),
        "questions": questions,
        "screens": _screens(questionnaire, questions),
    }


def _receipt_words(asked: AskedQuestion, questionnaire: Questionnaire) -> Mapping[str, object]:
    """With the names of the items that this page shows, where the server drew them."""
    words = receipt_words(asked.item, asked.number, questionnaire)
    drawn = {int(slot.number): slot.name for slot in asked.slots if slot.number}
    return words if "names" in words or not drawn else {**words, "names": drawn}


def _locked_fields(questionnaire: Questionnaire) -> Iterator[LockedField]:
    tally = questionnaire.tally
    if tally is None:
        return
    key = joint_key_of(tally).hex()
    for table in tally.tables:
        described = {**_table(questionnaire, table), "key": key}
        yield LockedField(table.field, _packed(described), _packed(table_words(table)))


def _table(questionnaire: Questionnaire, table: LockedTable) -> Mapping[str, object]:
    """As the page's script reads it: each question is its name, then its codes as they count."""
    items, has_own_coin = questionnaire.items, questionnaire.own_coin.is_offered
    asked = [(n, item) for n, item in of_kind(CountedQuestion, items) if n in table.questions]
    return {
        "table": table.table,
        "cells": table.cells,
        "notAsked": has_not_asked(items, table.questions, has_own_coin=has_own_coin),
        "questions": [[field_name(n - 1), *item.columns] for n, item in asked],
    }


def _packed(words: Mapping[str, object]) -> str:
    """As JSON; empty without any."""
    return json.dumps(words, separators=(",", ":"), ensure_ascii=False) if words else ""


def one_question_context(questionnaire: Questionnaire, number: int) -> dict[str, object]:
    """A draft's question by itself, for the page on which it is written."""
    asked = _questions(questionnaire, DRAFT, "page")[number - 1]
    return {"questionnaire": questionnaire, "question": asked}


def previewed_arms(questionnaire: Questionnaire, chosen: str) -> dict[str, object]:
    """For a draft's preview: all arms, and the one that is looked at; chance draws it if none."""
    codes = [arm.code for arm in questionnaire.arms]
    return {"preview_arms": questionnaire.arms, "arm": chosen if chosen in codes else ""}


def own_coin_context(
    questionnaire: Questionnaire,
    revision: str = "",
    code: str = "",
    *,
    key: str = "",
    last_day: date | None = None,
) -> dict[str, object]:
    """The form for one's own coin; ``code`` was let in at the door, ``key`` is drawn if empty."""
    return {
        "code": code,
        **page_context(questionnaire, last_day),
        "revision": revision,
        "questions": [
            _for_hands(questionnaire, question)
            for question in _questions(questionnaire, Launched(revision), "hand")
        ],
        "subset_steps": subset_steps(questionnaire),
        "arm_steps": arm_steps(questionnaire),
        "arm_choices": arm_choices(questionnaire),
        "key": key or new_key(),
        "together_line": together_line() if questionnaire.vouchers else "",
    }


def new_key() -> str:
    """A submission key, for one fetch of a form."""
    return secrets.token_hex(KEY_BYTES)


def languages_named(languages: Sequence[str]) -> list[tuple[str, str]]:
    """The other languages of a page, each with its name in its own words."""
    names = dict(settings.LANGUAGES)
    return [(code, names.get(code, code)) for code in languages if code != written_language()]


def page_context(questionnaire: Questionnaire, last_day: date | None) -> dict[str, object]:
    """What every page of a survey shows; the last day may move, so no document has it."""
    least = least_protected(questionnaire)
    shown: dict[str, object] = {
        "questionnaire": questionnaire,
        "scripts": scripts_of(questionnaire),
        "modules": " ".join(script.name for script in modules_of(questionnaire)),
        "code_scripts": CODE_SCRIPTS,
        "odds_lines": odds_lines(questionnaire),
        "least_protected": least,
        "total_odds": total_odds(questionnaire),
        "publishing_line": publishing_line(questionnaire),
        "direct_questions": direct_questions(questionnaire),
        "who_learns": who_learns(questionnaire),
        "learning_note": learning_note(questionnaire),
        "strength": strength(questionnaire),
        "is_learned": learning(questionnaire) is Learning.YES,
        "second_questions": second_questions(questionnaire),
        "unlinked_line": unlinked_line(questionnaire),
        "counted_line": counted_line(questionnaire),
        "tally_lines": list(tally_lines(questionnaire)),
        "keeping": keeping_lines(questionnaire, last_day),
        "opening_summary": opening_summary(questionnaire, last_day),
        "flooding_note": flooding_note(questionnaire),
        "text_readers": readers_line(questionnaire),
        "text_reports": reports_line(questionnaire),
        "tables_line": tables_line(questionnaire),
        "direct_mark": direct_mark(questionnaire),
        "subset_lines": subset_lines(questionnaire),
        "asked_words": asked_words(questionnaire),
        "asking_line": asking_line(questionnaire),
        "drawing_line": drawing_line(questionnaire),
        "arm_lines": arm_lines(questionnaire),
    }
    return {**shown, "is_long": is_long(questionnaire, shown, least)}


def _questions(questionnaire: Questionnaire, launched: Launched, path: str) -> list[AskedQuestion]:
    begins = {section.first: section for section in questionnaire.layout.sections}
    items = questionnaire.items
    return [
        AskedQuestion(
            n,
            item,
            question_template(item, path),
            SLOTS(item, n, launched),
            integrity=launched.items.get(n, ""),
            section=begins.get(n),
            mixes_options=n in questionnaire.layout.order.options,
            opens=below is not None and below.stands_below,
            open_rule=_open_rule(questionnaire, n),
        )
        for n, (item, below) in enumerate(zip(items, [*items[1:], None], strict=True), start=1)
    ]


def _open_rule(questionnaire: Questionnaire, number: int) -> str:
    """Empty where the rule reads unprotected answers alone, so that it is its own."""
    if number not in questionnaire.routes.protected_rules:
        return ""
    rule = questionnaire.routes.open_rules[number - 1]
    return json.dumps(rule and rule.to_document(), separators=(",", ":"))


def _screens(questionnaire: Questionnaire, questions: Sequence[AskedQuestion]) -> list[Screen]:
    layout = questionnaire.layout
    return [
        _screen(questionnaire, [questions[number - 1] for number in numbers])
        for numbers in layout.screens(len(questions))
    ]


def _screen(questionnaire: Questionnaire, questions: Sequence[AskedQuestion]) -> Screen:
    certain = any(not questionnaire.draw.may_leave_out(question.item) for question in questions)
    section = questionnaire.layout.section_of(questions[0].number)
    if section is None:
        return Screen(questions, certain)
    layout, begins = questionnaire.layout, section.first == questions[0].number
    mixes, moves = (
        section.first in firsts for firsts in (layout.order.screens, layout.order.sections)
    )
    return Screen(questions, certain, section, layout.place_of(section), begins, mixes, moves)


def _for_hands(questionnaire: Questionnaire, asked: AskedQuestion) -> AskedQuestion:
    """With all that people need who work out by themselves what they are asked."""
    number = asked.number
    return replace(
        asked,
        drawn_by=die_results(questionnaire).get(number, ""),
        only_if=open_line(questionnaire, number),
        truth_line=truth_line(questionnaire, number),
        next_number=next_number(questionnaire, number),
    )


def question_template(item: Question, path: str) -> str:
    """The template of a question's kind: "page" for the script, "hand" without it."""
    return f"kinds/{kind_name(item)}/{path}.html"


def _part_slots(item: PartsQuestion, number: int, launched: Launched) -> list[Slot]:
    """All parts; where the page draws which ones are sent, none has a field of its own."""
    fields = item.fields(number - 1)
    return [
        Slot(
            fields[min(index, len(fields) - 1)],
            item.slot_code.of_number(index + 1),
            translated(part),
        )
        for index, part in enumerate(item.parts)
    ]


def _item_slots(item: RatingQuestion, number: int, launched: Launched) -> list[Slot]:
    """One for each item shown; it is empty where the page draws the items."""
    if number in launched.items:
        return [Slot(field, "", "") for field in item.fields(number - 1)]
    return _drawn_slots(item, number, launched.revision)


def _drawn_slots(item: RatingQuestion, number: int, revision: str) -> list[Slot]:
    """The items that this page shows, drawn for it alone; which ones they were is kept nowhere.

    A draft has no revision, and so nothing to learn from.
    """
    rated = item.items
    law = display_law(UUID(revision), item) if revision else None
    if law is None:
        numbers = draw_evenly(rated.size, rated.shown, secrets.SystemRandom())
    else:
        numbers = law.draw(rated.shown, np.random.default_rng(secrets.randbits(256)))
    names = catalogue_items(rated.catalogue, numbers)
    return [
        Slot(field, item.slot_code.of_number(shown), names.get(shown, str(shown)))
        for field, shown in zip(item.fields(number - 1), numbers, strict=True)
    ]


# What a page shows of a question with several answers, each with its field.
SLOTS: Table[[int, Launched], list[Slot]] = Table.mostly(
    lambda item, number, launched: [],
    rating=_item_slots,
    ticks=_part_slots,
    matrix=_part_slots,
    ranking=_part_slots,
    ranked_pair=_part_slots,
)
