"""Questions with long lists, from the draft to the download."""

import csv
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire, item_of
from surveys.collecting.services import receive
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.models import Option, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.refusals import Malformed, NothingAsked, OutsideAlphabet
from surveys.questionnaire.submission import body_length, parse
from surveys.randomized_response.errors import ReportError
from surveys.randomized_response.estimates import estimate_frequencies
from surveys.results.analyses.forms import answerable, groupable
from surveys.results.codebook.book import codebook
from surveys.results.exports import responses_csv
from surveys.results.figures.questions import share_words, worded_rows
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.wording import odds
from surveys.wording.learning import strength, who_learns
from surveys.wording.protection import odds_lines
from tests.bodies import a_code, body_of, items_of
from tests.early_documents import version_1
from tests.factories import (
    PLACES,
    add_long_list,
    add_question,
    make_lists,
)
from tests.posting import post
from tests.question_forms import save_question
from tests.stored import store_rows

DESIGNS = Question.Design
pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=make_lists)]


def made(draft: Survey, *options: str, **fields: object) -> PromisedQuestion:
    return item_of(add_long_list(draft, *options, **fields))


# ---- What is frozen ----------------------------------------------------------------------------


@pytest.mark.parametrize("design", [DESIGNS.SUBSET, DESIGNS.OUE])
def test_a_long_list_keeps_the_epsilon_that_was_typed_and_reads_back(draft, design):
    item = made(draft, design=design)
    assert 1.0985 < item.epsilon <= 1.0986
    assert item.is_randomized
    assert item.is_drawn
    assert not item.is_offered_with_own_coin
    questionnaire = draft_questionnaire(draft)
    assert Questionnaire.from_document(questionnaire.to_document()) == questionnaire
    assert questionnaire.loss.epsilon == item.epsilon


def test_documents_from_before_there_were_long_lists_still_read(draft):
    add_question(draft)
    questionnaire = draft_questionnaire(draft)
    document = version_1(questionnaire.to_document())
    for item in document["items"]:
        del item["marking"]
    assert Questionnaire.from_document(document) == questionnaire


def test_prefer_not_to_say_is_one_of_the_options_that_are_marked(draft):
    item = made(draft, required=False)
    assert (len(item.levels), item.marks.options) == (201, 201)
    assert item.levels[200].declines
    assert (item.width, item.not_asked) == (52, "-" * 52)


def test_a_long_list_has_no_channel_to_be_mistaken_for_one(draft):
    item = made(draft)
    assert isinstance(item, ListQuestion)
    assert not isinstance(item, LevelQuestion)
    assert not hasattr(item, "channel")


# ---- What is refused -----------------------------------------------------------------------------


# ---- What is sent --------------------------------------------------------------------------------


def parsed(survey: Survey, codes: list[str], *, own_coin: bool = False):
    questionnaire = Questionnaire.from_document(survey.revision.document)
    body = body_of(survey.revision, codes, own_coin=own_coin)
    return parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk))


def test_every_submission_is_equally_long_on_both_paths(survey):
    subset, each = items_of(survey)
    for own_coin in (False, True):
        body = body_of(survey.revision, own_coin=own_coin)
        questionnaire = Questionnaire.from_document(survey.revision.document)
        assert len(body) == body_length(questionnaire)
    assert (subset.width, each.width) == (50, 8)


def test_a_subset_with_a_mark_too_few_or_too_many_is_refused(survey):
    subset, _ = items_of(survey)
    good = a_code(subset.marks)
    assert parsed(survey, [good, "00000000"]).codes == (good, "00000000")
    few = a_code(subset.marks).replace("ff", "fe", 1)
    many = good[:-2] + "80"
    for wrong in (few, many, good[:-2], good + "00", good.upper(), "-" * 50, "z" * 50):
        with pytest.raises((OutsideAlphabet, Malformed)):
            parsed(survey, [wrong, "00000000"])
        if wrong != "-" * 50:
            with pytest.raises(ReportError):
                subset.label(wrong)
    with pytest.raises(OutsideAlphabet):  # 31 options: the last bit belongs to none
        parsed(survey, [good, "00000080"])


def test_files_say_of_each_report_what_pages_say(survey):
    subset, each = items_of(survey)
    for item in (subset, each):
        codes = [a_code(item.marks, first) for first in range(item.marks.options)]
        for code in (*codes, item.not_asked):
            assert item.english(code) == item.label(code)
    for report in (0, 0b1011, 0x5A5A5A5A, 2**30 - 1, 2**31 - 1):
        code = report.to_bytes(4, "little").hex()
        assert each.english(code) == each.label(code)


def test_with_a_coin_of_ones_own_nothing_but_the_dashes_is_taken(survey):
    subset, each = items_of(survey)
    dashes = [item.not_asked for item in (subset, each)]
    assert [item.read([item.not_asked], own_coin=True) for item in (subset, each)] == dashes
    with pytest.raises(OutsideAlphabet):
        subset.read([a_code(subset.marks)], own_coin=True)
    with pytest.raises(OutsideAlphabet):
        parsed(survey, dashes)


def test_a_path_on_which_nothing_is_asked_counts_nothing(survey):
    dashes = [item.not_asked for item in items_of(survey)]
    with pytest.raises(
        NothingAsked, match="this page needs its script to ask the questions of this survey"
    ):
        parsed(survey, dashes, own_coin=True)


# ---- What respondents and authors read -----------------------------------------------------------


def test_the_odds_are_those_of_the_stored_numbers(draft):
    subset = made(draft)
    (line,) = odds_lines(Questionnaire("T", "I", "O", "C", 1, (subset,)))
    assert line.sentences == (
        "Your browser sends the list with exactly 50 of 200 options marked by chance. The true "
        "option is marked for 50 of 100 people, any other option for 24.9 of 100. So what "
        "is sent proves little.",
    )
    each = made(draft, design=DESIGNS.OUE, epsilon=4)
    (line,) = odds_lines(Questionnaire("T", "I", "O", "C", 1, (each,)))
    said = "The true option is marked for 50 of 100 people, any other option for 1.8 of 100"
    assert said in line.sentences[0]
    assert line.sentences[0].endswith("So what is sent says a lot.")


def test_a_list_that_is_protected_lightly_earns_no_plain_no(draft):
    strong = Questionnaire("T", "I", "O", "C", 1, (made(draft),))
    light = Questionnaire("T", "I", "O", "C", 1, (made(draft, epsilon=3),))
    assert (who_learns(strong), who_learns(light)) == ("No", "Not for sure")
    assert (
        odds.epsilon_words(strong.items[0])
        == "1.10 (the odds of a guess about a person change at most 3-fold)"
    )


@pytest.mark.usefixtures("_static_files")
def test_the_receipt_names_the_marked_options_and_shows_the_code(client, survey):
    subset, _ = items_of(survey)
    code = a_code(subset.marks, first=195)
    body = body_of(survey.revision, [code, "05000000"])
    page = post(survey, body, client).content.decode()
    assert "50 of 200 options marked: Albach; Alberg" in page
    assert "2 of 31 options marked: Albach; Albruck" in page
    assert f"q001={code}" in page
    assert page.count("marked by chance") == 2
    assert strength(questionnaire_of(survey.revision)) in page


# ---- What is worked out --------------------------------------------------------------------------


def collect(survey: Survey, n: int, rng: np.random.Generator) -> tuple[Counter[int], ...]:
    """Store n reports of both lists, and n / 10 that came with a coin; returns the marks."""
    first, second = items_of(survey)
    codes = [
        [bytes(row).hex() for row in item.marks.form.draw(rng.integers(0, 5, n), rng)]
        for item in (first, second)
    ]
    rows = ["".join(pair) for pair in zip(*codes, strict=True)]
    rows += [first.not_asked + second.not_asked] * (n // 10)
    store_rows(survey.revision, rows)
    return tuple(
        Counter(option for code in column for option in item.marks.marked(code))
        for item, column in zip((first, second), codes, strict=True)
    )


def test_the_dashboard_counts_marks_and_estimates_from_them(survey):
    expected = collect(survey, 500, np.random.default_rng(3))
    for number, (counts, marks) in enumerate(
        zip(item_counts(survey.revision), expected, strict=True), start=1
    ):
        assert list(counts.marks) == [marks[x] for x in range(len(counts.item.levels))]
        report = question_report(number, counts, Reading())
        assert (report.n, report.not_asked) == (500, 50)
        found = estimate_frequencies(counts.item.marks.protocol, counts.marks, 500)
        by_label = {row.label: row for row in report.rows}
        for place, level in enumerate(counts.item.levels):
            row = by_label[level.text]
            assert row.share == pytest.approx(found.frequencies[place])
            assert row.reported == counts.marks[place]


def test_the_rows_are_sorted_and_the_first_ones_are_drawn(survey):
    collect(survey, 300, np.random.default_rng(4))
    counts = next(item_counts(survey.revision))
    report = question_report(1, counts, Reading())
    shares = [row.share for row in report.rows]
    assert shares == sorted(shares, reverse=True)
    assert (len(report.drawn_rows), len(report.table_rows), len(report.other_rows)) == (10, 20, 180)
    assert len(worded_rows(report.drawn_rows)) == share_words(report).count(" to ") == 3
    assert share_words(report).endswith("The table also shows 7 smaller shares.")


def test_the_intervals_hold_together_and_say_so(survey):
    collect(survey, 300, np.random.default_rng(5))
    counts = next(item_counts(survey.revision))
    report = question_report(1, counts, Reading())
    found = estimate_frequencies(counts.item.marks.protocol, counts.marks, 300)
    each = 1 - 0.05 / 200
    intervals = {(found.interval(x, each).low, found.interval(x, each).high) for x in range(200)}
    assert {(row.interval.low, row.interval.high) for row in report.rows} == intervals
    assert any(
        "for each of the 200 intervals, and 95% for all of them together (Bonferroni)" in note
        for note in report.notes
    )
    assert any("is often the largest only by chance" in note for note in report.notes)
    assert any(
        "Questions with long lists cannot be used in break-downs" in note for note in report.notes
    )


@pytest.mark.parametrize("method", ["confidence-sequence", "wilson", "wald", "chebyshev"])
def test_every_way_of_reading_works_from_the_first_answer_on(survey, method):
    collect(survey, 1, np.random.default_rng(6))
    for number, counts in enumerate(item_counts(survey.revision), start=1):
        report = question_report(number, counts, Reading(method))
        assert report.n == 1
        assert all(math.isfinite(row.share) for row in report.rows)


def test_false_reports_move_an_estimate_as_far_as_is_said(survey):
    item = items_of(survey)[0]
    marks = [250] * 200
    before = question_report(
        1, ItemCounts(item, Counter(asked=1000), marks=tuple(marks)), Reading()
    )
    false = before.false_reports
    marks[0] += false
    marks[1] -= false
    after = question_report(1, ItemCounts(item, Counter(asked=1000), marks=tuple(marks)), Reading())
    moved = max(row.share for row in after.rows) - before.rows[0].share
    assert (false, moved) == (10, pytest.approx(before.movement))


def test_without_answers_nothing_is_estimated(survey):
    for number, counts in enumerate(item_counts(survey.revision), start=1):
        assert question_report(number, counts, Reading()).n == 0


def test_the_page_and_the_picture_show_them(client, survey, owner):
    collect(survey, 200, np.random.default_rng(8))
    client.force_login(owner)
    page = " ".join(
        client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode().split()
    )
    assert "The other 180 options" in page
    assert "The first 20 of 200 options" in page
    assert "for all intervals together, method:" in page
    picture = client.get(reverse("surveys:chart", args=[survey.pk, 1])).content.decode()
    labels = [place for place in PLACES if f">{place}<" in picture]
    assert len(labels) == 10


def test_break_downs_leave_long_lists_out(survey):
    assert answerable(items_of(survey)) == []
    assert groupable(items_of(survey)) == []


# ---- Downloads -----------------------------------------------------------------------------------


def test_the_download_names_the_marked_options_or_has_the_codes(survey):
    subset, _ = items_of(survey)
    code = a_code(subset.marks)
    receive(survey_id=survey.pk, body=body_of(survey.revision, [code, "01000000"]))
    named = list(csv.reader(responses_csv(survey.revision)))
    assert named[1][0].startswith("50 of 200 options marked: Albach; Alberg; ")
    assert named[1][1] == "1 of 31 options marked: Albach"
    assert list(csv.reader(responses_csv(survey.revision, codes=True)))[1] == [code, "01000000"]


def test_the_codebook_says_how_to_read_and_to_estimate_marks(survey):
    subset, each = codebook(survey.revision, responses=0)["columns"]
    assert "weights" not in subset
    assert (subset["code_width"], subset["marks_in_every_report"]) == (50, 50)
    assert each["marks_in_every_report"] is None
    p, q = (Fraction(each[name]) for name in ("marked_if_true", "marked_if_not"))
    assert p == Fraction(1, 2)
    assert p * (1 - q) / (q * (1 - p)) == items_of(survey)[1].marks.largest_ratio
    assert "bit j mod 8 of byte j div 8" in subset["how_to_read_marks"]
    assert len(subset["levels"]) == 200


# ---- Authors -------------------------------------------------------------------------------------


def change(client, question: Question, **fields: object) -> str:
    typed = {"kind": "choice", "design": "subset", "epsilon": "1.0986", "shown": 10, **fields}
    return save_question(client, question, required="on", **typed).content.decode()


def test_two_hundred_options_are_written_as_lines_and_read_back(staff, draft):
    question = add_question(draft, "old", kind="choice", design="subset", epsilon=1, required=True)
    page = change(staff, question, option_lines="\r\n".join(["", *PLACES, " "]))
    assert "subset selection is the most precise" in page
    assert "people who use their own coin will not be asked" in page
    assert [option.text for option in question.options.all()] == list(PLACES)
    again = staff.get(reverse("admin:surveys_question_change", args=[question.pk]))
    assert "\n".join(PLACES[:5]) in again.content.decode()
    assert item_of(question).marks.options == 200


def test_a_form_without_the_field_keeps_the_options_and_an_empty_field_removes_them(staff, draft):
    question = add_long_list(draft)
    change(staff, question, text="And where else?")
    assert Question.objects.get(pk=question.pk).text == "And where else?"
    assert question.options.count() == 200
    change(staff, question, option_lines=" \n\t")
    assert question.options.count() == 0


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("\n".join(f"Option {n}" for n in range(301)), "You entered 301 options"),
        ("a\nb\nA", "Options 1 and 3 have the same words: A"),
        ("a\n" + "x" * 201, "Option 2 has 201 characters"),
        ("a\nb\u200bc", "Option 2 has invisible characters"),
    ],
)
def test_lines_that_are_no_options_are_refused_and_nothing_is_lost(staff, draft, lines, said):
    question = add_long_list(draft)
    page = change(staff, question, option_lines=lines)
    assert said in page
    assert Option.objects.filter(question=question).count() == 200


def test_the_log_says_that_the_options_were_replaced(staff, draft):
    question = add_question(draft, "old", kind="choice", design="subset", epsilon=1, required=True)
    change(staff, question, option_lines="new\nnewer")
    page = staff.get(reverse("surveys:audit", args=[draft.pk])).content.decode()
    assert "newer" in page
