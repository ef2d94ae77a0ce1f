"""What every kind of question keeps, over the registry: a new kind is held to all of it."""

import json
import math
import random
from collections.abc import Sequence

import pytest

from analytics.pages.releases import forms as release_forms
from analytics.sources import survey_answers, survey_codes, survey_scales, survey_tables
from surveys.authoring import hints, inlines
from surveys.authoring.draft import anchors, rules
from surveys.authoring.draft.kinds import draft_kinds
from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.simulation import people
from surveys.collecting import rows, scripts
from surveys.collecting.replies import receipts, words
from surveys.collecting.replies.receipts import WIDEST_LABELS
from surveys.counts import cells
from surveys.kinds.counted.promise import counted_as
from surveys.kinds.levels.promise import LevelQuestion, level_code
from surveys.models import Question
from surveys.questionnaire.facts import form
from surveys.questionnaire.facts.form import LISTED_CODES
from surveys.questionnaire.formats.launched import canonical_bytes, with_languages
from surveys.questionnaire.kinds import question as promised
from surveys.questionnaire.kinds.question import was_asked
from surveys.questionnaire.kinds.registry import (
    Table,
    kind_name,
    kinds,
    question_document,
    read_question,
)
from surveys.questionnaire.refusals import Refused
from surveys.results import exports, queries, questions
from surveys.results import routes as result_routes
from surveys.results.analyses import grouping, regressions, trust
from surveys.results.codebook import columns
from surveys.results.debiasing import columns as debiased_columns
from surveys.results.debiasing import events
from surveys.wording import channels, odds, protection, reports, routes
from tests import factories, families
from tests.bodies import SENT, first_code
from tests.conftest import ROOT

ROOMS = (
    release_forms,
    survey_answers,
    survey_codes,
    survey_scales,
    survey_tables,
    inlines,
    anchors,
    rules,
    people,
    grouping,
    regressions,
    trust,
    cells,
    routes,
    result_routes,
    hints,
    receipts,
    rows,
    scripts,
    columns,
    debiased_columns,
    events,
    exports,
    form,
    queries,
    questions,
    channels,
    odds,
    protection,
    reports,
    words,
)
TABLES = [
    pytest.param(table, id=f"{room.__name__}.{name}")
    for room in ROOMS
    for name, table in vars(room).items()
    if isinstance(table, Table)
]
# Codes that no question accepts; the last is longer than any text here.
GARBAGE = ("", "?", "zz", "01 ", "0" * 5000)
pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(owner) -> list[promised.Question]:
    """Questions of a draft with every kind and every design."""
    draft = factories.make_survey(owner)
    factories.add_one_of_each(draft)
    factories.add_other_designs(draft)
    factories.add_long_list(draft)
    factories.add_picked(draft)
    factories.add_long_scale(draft)
    factories.add_text(draft)
    factories.add_other(draft)
    factories.add_pages(draft)
    factories.add_ticks(draft, design=Question.Design.DIRECT)
    factories.add_ticks(draft)
    factories.add_rounded(draft)
    factories.add_ranking(draft)
    factories.add_ranking(draft, design=Question.Design.DIRECT, required=False)
    factories.add_day(draft)
    factories.add_day(draft, design=Question.Design.TWO_COINS)
    factories.add_matrix(draft)
    factories.add_matrix(draft, design=Question.Design.DIRECT, required=False)
    factories.add_ticks(draft, design=Question.Design.K_ARY, epsilon=2, shown=4, most=1)
    families.add_family(draft)
    factories.add_rating(draft, size=3)
    factories.add_rating(draft, size=4, design=Question.Design.K_ARY, epsilon=4)
    items = list(draft_questionnaire(draft).items)
    leveled = next(item for item in items if isinstance(item, LevelQuestion))
    return [*items, counted_as(leveled, 1)]


def test_the_draft_of_these_tests_has_every_kind(asked):
    assert {kind_name(item) for item in asked} == set(kinds())


def test_a_document_is_of_one_kind_and_reads_back_as_the_same_question(asked):
    for item in asked:
        document = json.loads(canonical_bytes(question_document(item)))
        assert document["form"] == kind_name(item)
        assert read_question(document) == item


def test_a_document_has_all_words_of_an_author_under_the_names_of_texts(asked):
    """So that each can be a map from language to text."""
    for item in asked:
        document = str(with_languages(question_document(item), "xx"))
        assert document.count(repr({"xx": item.text})) == 1
        for level in getattr(item, "levels", ()):
            assert repr({"xx": level.text}) in document


def test_what_is_accepted_is_stored_in_its_width_and_has_a_label(asked):
    for item in asked:
        for own_coin in (False, True):
            code = first_code(item, own_coin=own_coin)
            sent = SENT(item, code)
            read = item.read(sent, own_coin=own_coin)
            assert len(read) == (0 if item.text_bytes else item.width)
            assert item.label(read)
            assert len(item.fields(0)) == len(sent) == len(set(item.fields(0)))
            assert all(name.startswith("q001") for name in item.fields(0))


def test_where_codes_are_listed_the_page_may_send_these_alone_and_they_are_stored_as_sent(asked):
    listed = [item for item in asked if LISTED_CODES(item)]
    assert len({kind_name(item) for item in listed}) > 5
    for item in listed:
        for code in (*map(level_code, range(200)), item.not_asked):
            if code in LISTED_CODES(item):
                assert item.read([code], own_coin=False) == code
            else:
                with pytest.raises(Refused):
                    item.read([code], own_coin=False)


def test_a_question_that_is_not_asked_with_an_own_coin_takes_only_the_mark_for_that(asked):
    for item in asked:
        mark = SENT(item, item.not_asked)
        if item.is_offered_with_own_coin or not item.fields(0):
            continue
        assert not was_asked(item, item.read(mark, own_coin=True))
        with pytest.raises(Refused):
            item.read(SENT(item, first_code(item, own_coin=False)), own_coin=True)


@pytest.mark.parametrize("garbage", GARBAGE, ids=["empty", "sign", "letters", "space", "long"])
def test_garbage_is_refused_on_both_paths(asked, garbage):
    """A text may hold any short words, so that only what is too long is garbage to it."""
    for item in asked:
        fields = len(item.fields(0)) or 1
        for own_coin in (False, True):
            if item.text_bytes and own_coin and len(garbage) < 5000:
                continue
            with pytest.raises(Refused):
                item.read([garbage] * fields, own_coin=own_coin)


def test_random_bytes_are_refused_or_stored_in_their_width(asked):
    """Never another error: a submission is counted or refused."""
    chance = random.Random(5)
    for item in asked:
        for _ in range(200):
            values = [_noise(chance) for _ in item.fields(0)]
            try:
                code = item.read(values, own_coin=chance.random() < 0.5)
            except Refused:
                continue
            assert item.text_bytes or len(code) == item.width


def _noise(chance: random.Random) -> str:
    return "".join(chance.choice("0123456789abcdef-._*%+") for _ in range(chance.randrange(12)))


def test_epsilon_is_finite_where_and_only_where_an_answer_is_randomized(asked):
    for item in asked:
        assert math.isfinite(item.epsilon) == item.is_randomized
        assert not item.is_drawn or item.is_randomized
        assert item.is_offered_with_own_coin or item.is_drawn or not item.fields(0)


def test_the_widest_label_is_at_least_as_wide_as_each_label(asked):
    for item in asked:
        code = item.read(SENT(item, first_code(item, own_coin=False)), own_coin=False)
        parts: Sequence[str] = [item.label(code)]
        if getattr(item, "slots", 0):
            parts = [part.partition(": ")[2] for part in item.label(code).split("; ")]
        widest = max(len(label.encode()) for label in WIDEST_LABELS(item))
        assert all(len(part.encode()) <= widest for part in parts)


@pytest.mark.parametrize("path", ["page", "hand"])
def test_every_kind_has_a_template_on_both_paths(asked, path):
    for item in asked:
        assert (ROOT / "templates" / rows.question_template(item, path)).is_file()


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_a_function_for_every_kind(table):
    assert all(callable(getattr(table, name)) for name in kinds())


def test_every_kind_that_an_author_can_choose_becomes_a_question():
    assert set(draft_kinds()) == set(Question.Kind)


def test_a_table_tells_kinds_with_levels_from_all_others_but_the_named_ones():
    table: Table[[], str] = Table.with_levels(
        lambda item: "levels", lambda item: "usual", number=lambda item: "number"
    )
    found = {name: getattr(table, name)(None) for name in kinds()}
    leveled = {"levels", "long_scale", "paired", "compared", "family", "picked"}
    assert {name for name, said in found.items() if said == "levels"} == leveled
    assert {name for name, said in found.items() if said == "number"} == {"number"}
    with pytest.raises(TypeError):
        Table.with_levels(lambda item: 1, lambda item: 0, nunber=lambda item: 2)
