"""Long lists that are asked directly, from the draft to the files."""

import csv
import io
import json
from collections import Counter

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.collecting import scripts
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.picked.promise import MOST_OPTIONS, PickedQuestion
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.cells import cells, never_asked
from surveys.questionnaire.refusals import HiddenAnswered, Malformed, OutsideAlphabet, Unanswered
from surveys.questionnaire.submission import body_length, parse
from surveys.results.codebook.book import codebook
from surveys.results.exports import responses_csv
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests.bodies import body_of, items_of
from tests.factories import PLACES, add_condition, add_picked, add_question, make_picked
from tests.question_forms import save_question
from tests.stored import store_rows

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=make_picked)]
OPTIONS = tuple(f"Place {number}" for number in range(MOST_OPTIONS + 1))


def reasons(draft) -> str:
    """Why a draft cannot be launched."""
    with pytest.raises(NotReady) as refused:
        draft_questionnaire(draft)
    return " ".join(map(str, refused.value.reasons))


def parsed(survey, codes: list[str], *, own_coin: bool = False):
    body = body_of(survey.revision, codes, own_coin=own_coin)
    questionnaire = questionnaire_of(survey.revision)
    return parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk))


# ---- What is promised ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "kind", "codes"),
    [
        (20, LevelQuestion, ("00", "19", "20")),
        (21, PickedQuestion, ("000", "020", "021")),
        (MOST_OPTIONS, PickedQuestion, ("000", "299", "300")),
    ],
)
def test_more_than_twenty_options_are_a_list_with_codes_of_three_digits(draft, count, kind, codes):
    item = item_of(add_picked(draft, *OPTIONS[:count]))
    assert type(item) is kind
    assert (item.levels[0].code, item.levels[-2].code, item.levels[-1].code) == codes
    assert item.levels[-1].declines
    assert (item.width, item.not_asked) == (len(codes[0]), "-" * len(codes[0]))
    assert not item.is_randomized


def test_a_document_reads_back_as_the_same_list_and_holds_no_weights(draft):
    add_picked(draft, required=True)
    questionnaire = draft_questionnaire(draft)
    document = questionnaire.to_document()
    assert Questionnaire.from_document(document) == questionnaire
    assert document["items"][0]["form"] == "picked"
    assert document["items"][0]["weights"] == []


@pytest.mark.parametrize(
    ("count", "fields", "why"),
    [
        (MOST_OPTIONS + 1, {}, "Offer between 2 and 300 options. This question has 301."),
        (21, {"kind": "scale"}, "Offer between 2 and 20 options. This question has 21."),
        (
            21,
            {"design": "two_coins"},
            "up to 200 options. Or ask the question directly, with up to 300 options.",
        ),
        (21, {"random_options": True}, "People find an option in a long list by its position"),
        (
            21,
            {"counted_table": 1},
            "A table of locked answers cannot contain a list of more than 20 options",
        ),
    ],
)
def test_what_a_list_cannot_be_is_said(draft, count, fields, why):
    add_picked(draft, *OPTIONS[:count], **fields)
    assert why in reasons(draft)


def test_a_design_for_long_lists_is_no_advice_for_scales(draft):
    add_picked(draft, *OPTIONS[:21], kind="scale")
    assert "design for long lists" not in reasons(draft)


def test_an_author_pastes_three_hundred_options(staff, draft):
    question = add_picked(draft, "Only one")
    save_question(staff, question, option_lines="\n".join(OPTIONS[:MOST_OPTIONS]))
    assert question.options.count() == MOST_OPTIONS
    refused = save_question(staff, question, option_lines="\n".join(OPTIONS))
    assert "You entered 301 options. Offer at most 300 options." in refused.content.decode()
    assert question.options.count() == MOST_OPTIONS


def test_tables_that_are_released_leave_it_out(survey, draft):
    questionnaire = questionnaire_of(survey.revision)
    assert questionnaire.numbered.tabulated == ()
    add_picked(draft)
    add_question(draft, design="direct")
    assert [number for number, _ in draft_questionnaire(draft).numbered.tabulated] == [2]


# ---- What is sent --------------------------------------------------------------------------------


@pytest.mark.parametrize("own_coin", [False, True])
def test_each_answer_is_sent_as_it_is_on_both_paths_in_one_length(survey, own_coin):
    questionnaire = questionnaire_of(survey.revision)
    for codes in (["000", "00"], ["199", "--"], ["200", "--"]):
        body = body_of(survey.revision, codes, own_coin=own_coin)
        assert len(body) == body_length(questionnaire)
        assert parsed(survey, codes, own_coin=own_coin).answers == "".join(codes)


@pytest.mark.parametrize("code", ["201", "999", "00", "0000", "-01", "---", "", "١٠٠"])
def test_other_codes_are_refused(survey, code):
    place, _ = items_of(survey)
    with pytest.raises((OutsideAlphabet, Malformed)):
        place.read([code], own_coin=False)


def test_rules_read_what_was_picked_and_a_decline_is_no_answer(survey):
    place, _ = items_of(survey)
    for code, is_asked in (("000", True), ("002", True), ("003", False), ("200", False)):
        wrong, refusal = ("--", Unanswered) if is_asked else ("00", HiddenAnswered)
        with pytest.raises(refusal):
            parsed(survey, [code, wrong])
    assert place.in_rules.given("200") is None
    assert PLACES[150] == place.in_rules.answer_text("150")


def test_a_rule_may_ask_who_is_asked_a_list(draft):
    drove = add_question(draft, design="direct", required=True)
    add_condition(add_picked(draft), drove)
    questionnaire = draft_questionnaire(draft)
    assert questionnaire.items[1].fields_not_asked == ("---",)


def test_options_that_no_rule_names_are_one_answer_to_rules(draft):
    """Else two lists would be 90,000 combinations, and the loss of a person no longer exact."""
    first, second = add_picked(draft), add_picked(draft, required=True)
    asked = add_question(draft)
    for source, place in ((first, PLACES[0]), (second, PLACES[7])):
        add_condition(asked, source, value=place)
    questionnaire = draft_questionnaire(draft)
    walked = list(cells(questionnaire.items))
    assert len(walked) == 3 * 2
    assert {given and given.codes for given, *_ in walked} == {("000",), ("001",), None}
    assert questionnaire.loss.is_exact
    assert never_asked(questionnaire.items) == ()


def test_its_page_runs_the_file_that_finds_answers_and_no_coins(survey):
    names = {script.name for script in scripts.modules_of(questionnaire_of(survey.revision))}
    assert {"lists", "logic", "quotes"} <= names
    assert "channel" not in names


# ---- What is worked out --------------------------------------------------------------------------


@pytest.fixture
def counted(survey) -> Counter[str]:
    """Answers of 400 people, most of whom are from a few places."""
    rng = np.random.default_rng(5)
    places = np.minimum(rng.geometric(0.1, 400) * 7 % 201, 200).tolist()
    codes = [f"{place:03d}" for place in places]
    rows = [code + ("01" if code in ("000", "001", "002") else "--") for code in codes]
    store_rows(survey.revision, rows)
    return Counter(codes)


def test_the_dashboard_shows_the_largest_shares_first_and_the_others_in_a_fold(survey, counted):
    report = question_report(1, next(item_counts(survey.revision)), Reading())
    assert (len(report.drawn_rows), len(report.table_rows), len(report.other_rows)) == (10, 20, 181)
    shares = [row.share for row in report.rows]
    assert shares == sorted(shares, reverse=True)
    place, _ = items_of(survey)
    most, count = counted.most_common(1)[0]
    assert (report.rows[0].label, report.rows[0].reported) == (place.label(most), count)
    assert report.rows[0].share == pytest.approx(count / 400)
    assert any("each interval is valid only on its own" in note for note in report.notes)


def test_others_are_broken_down_by_it_and_it_is_never_broken_down(staff, survey, counted):
    address = reverse("surveys:break-down", args=[survey.pk])
    form = staff.get(address).context["form"]
    offered = {name: [key for key, _ in form.fields[name].choices] for name in ("question", "by")}
    assert offered == {"question": ["2"], "by": ["1", "2"]}
    assert [key for key, _ in form.fields["also_by"].choices] == ["", "2"]
    page = staff.get(address, {"question": "2", "by": "1"})
    assert page.status_code == 200
    refused = staff.get(address, {"question": "1", "by": "2"}).content.decode()
    assert "Select a valid choice" in refused


def test_its_page_is_shown_whole(staff, survey, counted):
    page = staff.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "The first 20 of 201 options." in page
    assert "The other 181 options, in the order of the table above" in page


def test_files_hold_its_words_or_codes_and_the_codebook_reads_them(survey, counted, tmp_path):
    rows = list(csv.DictReader(io.StringIO("".join(responses_csv(survey.revision)))))
    place, _ = items_of(survey)
    assert Counter(row["q001"] for row in rows) == {
        place.label(code): count for code, count in counted.items()
    }
    entry = codebook(survey.revision, responses=400)["columns"][0]
    assert (len(entry["levels"]), entry["not_asked"]) == (201, "---")
    assert "weights" not in entry
    book, file = tmp_path / "codebook.json", tmp_path / "answers.csv"
    book.write_text(json.dumps(codebook(survey.revision, responses=400)))
    file.write_text("".join(responses_csv(survey.revision)))
    said = io.StringIO()
    files = {"input": str(file), "codebook": str(book), "reports": "q001"}
    call_command("estimate", stdout=said, **files)
    estimates = {row["name"]: row["estimate"] for row in json.loads(said.getvalue())["estimates"]}
    most, count = counted.most_common(1)[0]
    assert estimates[place.label(most)] == pytest.approx(count / 400)
