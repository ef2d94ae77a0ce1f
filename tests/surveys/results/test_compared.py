"""What a picture compares its shares with: the plan, and the survey that asked the same before."""

from collections import Counter
from datetime import timedelta
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.services import close
from surveys.models import AuditEntry, Openings, Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.planning.services import set_plan
from surveys.randomized_response.planning import Reading as PlanReading
from surveys.results.analyses.earlier_surveys import MOST_BEFORE, marks_of
from surveys.results.figures.questions import question_figure
from surveys.results.handover.report import question_tables
from surveys.results.queries import ItemCounts
from surveys.results.questions import all_reports
from surveys.results.reading import Reading, method_of
from surveys.results.shares import ShareReport
from surveys.web.drawing.pictures import NARROW, WIDE
from tests import factories
from tests.arms import STOLEN
from tests.stored import store_rows

NO, YES = "000000000000018", "010101010101042"
READING = Reading()


@pytest.fixture
def before(owner):
    """A survey that is over: half of its sixty answers are yes."""
    survey = factories.make_open_survey(owner, title="Last year")
    store_rows(survey.revision, [NO, YES] * 30)
    close(survey=survey, by=owner)
    return Survey.objects.get(pk=survey.pk)


@pytest.fixture
def survey(owner):
    """The survey after it: a third of its ninety answers are yes."""
    survey = factories.make_open_survey(owner, title="This year")
    store_rows(survey.revision, [NO, NO, YES] * 30)
    return survey


def reports(survey, user, reading=READING):
    revision = Revision.objects.get(survey=survey)
    marks = marks_of(revision, reading, user)
    return [report for report, _ in marks.beside_all(all_reports(revision, reading))]


def first(survey, user):
    return reports(survey, user)[0]


def bars_of(figure, width: int = WIDE) -> str:
    return str(figure.chart(width))


def test_without_a_plan_and_a_survey_before_a_picture_has_no_other_marks(survey):
    report = first(survey, survey.owner)
    figure = question_figure(report)
    assert all(row.planned is None and row.earlier is None for row in report.rows)
    assert "bracket" not in figure.units + bars_of(figure)
    assert "square" not in figure.units + bars_of(figure)
    assert "planned" not in figure.words
    assert len(question_tables(report)[0].head) == 7


def test_a_plan_is_drawn_said_and_written_in_the_table_until_it_is_reached(owner, survey):
    set_plan(survey=survey, responses=360, by=survey.owner)
    report = first(survey, survey.owner)
    row = report.rows[0]
    figure = question_figure(report)
    assert "brackets: planned interval" in figure.units
    assert (
        f"Intervals expected from 360 planned responses: Yes {row.planned_words}." in figure.words
    )
    for width in (WIDE, NARROW):
        assert f"'end': {row.planned.low}" in bars_of(figure, width)
    (table,) = question_tables(report)
    assert table.head[-1] == "Planned interval"
    assert table.rows[0][-1] == row.planned_words
    set_plan(survey=survey, responses=90, by=survey.owner)
    assert first(survey, survey.owner).rows[0].planned is None


def test_the_survey_before_is_drawn_said_and_written_in_the_table(before, survey):
    report, was = first(survey, survey.owner), first(before, before.owner)
    assert was.rows[0].earlier is None
    row = report.rows[0]
    assert row.earlier.share == was.rows[0].share != row.share
    figure = question_figure(report)
    assert "hollow square: earlier survey, “Last year”" in figure.units
    assert f"Earlier survey, “Last year”: Yes {was.rows[0].estimate_words} (" in figure.words
    assert f"'earlier': {was.rows[0].shown_share}" in bars_of(figure)
    (table,) = question_tables(report)
    assert table.head[-1] == "Earlier survey: “Last year”"
    assert table.rows[0][-1].startswith(was.rows[0].estimate_words)


def test_pages_pictures_and_the_report_show_the_same_marks(client, before, survey):
    set_plan(survey=survey, responses=360, by=survey.owner)
    client.force_login(survey.owner)
    words = question_figure(first(survey, survey.owner)).words
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert words.split(": ")[-1] in page
    assert "Earlier survey: “Last year”</th>" in page
    assert '<th scope="col" class="number">Planned interval</th>' in page
    picture = reverse("surveys:chart", args=[survey.pk, 1])
    assert "planned" in client.get(picture, {"as": "vl.json"}).content.decode()
    handed_over = client.get(reverse("surveys:report", args=[survey.pk])).content.decode()
    assert "Earlier survey: “Last year”" in handed_over


def test_a_survey_that_this_person_may_not_read_is_no_survey_before(before, survey):
    stranger = factories.make_user("eve")
    assert first(before, stranger).rows[0].earlier is None
    assert first(survey, stranger).rows[0].earlier is None


def test_a_survey_that_is_open_erased_or_newer_is_no_survey_before(before, survey):
    revision = Revision.objects.get(survey=survey)
    newer = replace_launch(revision, days=-400)
    assert marks_of(revision, READING, survey.owner).before
    assert not marks_of(newer, READING, survey.owner).before
    Survey.objects.filter(pk=before.pk).update(erased_on=before.closed_on)
    assert not marks_of(revision, READING, survey.owner).before
    # Launched last and open: so the one before it is open too.
    last = factories.make_open_survey(survey.owner, title="Next year")
    assert not marks_of(last.revision, READING, survey.owner).before


def replace_launch(revision: Revision, days: int) -> Revision:
    """The same revision, as if it had been launched so many days later."""
    moved = Revision.objects.get(pk=revision.pk)
    moved.launched_at += timedelta(days=days)
    return moved


def asked_of_all(owner, title: str, *texts: str, over: bool = False) -> Survey:
    """Direct yes/no questions with forty answers, of which 30 are no."""
    draft = factories.make_survey(owner, title=title)
    for text in texts:
        factories.add_question(draft, text=text, design="direct", required=True)
    return answered(draft, ["00" * len(texts)] * 30 + ["01" * len(texts)] * 10, over=over)


def answered(draft: Survey, rows: list[str], *, over: bool) -> Survey:
    survey = factories.launched(draft)
    store_rows(survey.revision, rows)
    if over:
        close(survey=survey, by=survey.owner)
    return Survey.objects.get(pk=survey.pk)


def titles(survey: Survey) -> list[str]:
    return [report.earlier for report in reports(survey, survey.owner)]


def test_each_question_is_compared_with_the_newest_survey_that_asked_it(client, owner):
    asked_of_all(owner, "Old", "First?", "Second?", over=True)
    asked_of_all(owner, "Mid", "First?", over=True)
    new = asked_of_all(owner, "New", "First?", "Second?", "Third?")
    assert titles(new) == ["“Mid”", "“Old”", ""]
    client.force_login(owner)
    for number, title in ((1, "Mid"), (2, "Old")):
        address = reverse("surveys:chart", args=[new.pk, number])
        assert f"“{title}”" in client.get(address, {"as": "vl.json"}).json()["description"]


def test_a_survey_that_shares_only_a_text_hides_no_other(owner):
    asked_of_all(owner, "Old", "Do you smoke?", over=True)
    for title, over in (("Unrelated", True), ("New", False)):
        draft = factories.make_survey(owner, title=title)
        text = "Do you smoke?" if title == "New" else "Do you drive?"
        factories.add_question(draft, text=text, design="direct", required=True)
        factories.add_text(draft, text="Anything else?")
        survey = answered(draft, ["00"] * 40, over=over)
    assert reports(survey, owner)[0].earlier == "“Old”"


def test_what_some_are_asked_and_words_that_stand_twice_are_not_compared(owner):
    draft = factories.make_survey(owner, title="Filtered")
    car = factories.add_question(draft, text="Do you own a car?", design="direct", required=True)
    speed = factories.add_question(draft, text="Do you speed?", design="direct", required=True)
    factories.add_condition(speed, car)
    answered(draft, ["00--"] * 40 + ["0101"] * 40, over=True)
    assert titles(asked_of_all(owner, "All", "Do you speed?", over=True)) == [""]
    for over in (True, False):  # twice the same, each question in one of two arms
        draft = factories.make_survey(owner, arms="Direct: 1\nCoins: 1")
        for arm, fields in (("Direct", {"design": "direct"}), ("Coins", {})):
            factories.add_question(draft, text=STOLEN, arms=arm, required=True, **fields)
        survey = answered(draft, ["00--00"] * 50 + ["--0101"] * 50, over=over)
    assert set(titles(survey)) == {""}


def test_only_surveys_of_the_same_owner_are_compared_and_the_report_is_written_down_for_all(
    client, owner
):
    earlier = asked_of_all(owner, "Of ada", "Do you smoke?", over=True)
    later = asked_of_all(owner, "Of ada, too", "Do you smoke?")
    other = asked_of_all(factories.make_user("bob"), "Of bob", "Do you smoke?")
    client.force_login(factories.make_user("root", superuser=True))
    for survey, holds in ((other, False), (later, True)):
        page = client.get(reverse("surveys:report", args=[survey.pk])).content.decode()
        assert ("“Of ada”" in page) is holds
    taken = AuditEntry.objects.filter(action="report downloaded")
    assert sorted(taken.values_list("survey", flat=True)) == sorted(
        [other.pk, later.pk, earlier.pk]
    )


@pytest.mark.parametrize("reading", Survey.Reading)
def test_what_a_plan_is_expected_to_say_is_what_so_many_answers_of_these_proportions_say(
    owner, reading
):
    """To the last digit: in the reading of the plan, whatever the page is read by."""
    row, plan = {}, {"planned_responses": 360, "planned_reading": reading}
    for n in (90, 360):
        survey = factories.make_open_survey(owner, title=f"{n}", **plan)
        store_rows(survey.revision, [NO, NO, YES] * (n // 3))
        as_planned = Reading(method_of(PlanReading(reading), None))
        row[n] = [
            row
            for report in reports(survey, owner, READING if n == 90 else as_planned)
            if isinstance(report, ShareReport)
            for row in report.rows
        ]
    assert [one.planned for one in row[90]] == [one.shown for one in row[360]]


def test_a_plan_that_was_not_reached_is_no_longer_expected(client, survey):
    set_plan(survey=survey, responses=360, by=survey.owner)
    close(survey=survey, by=survey.owner)
    survey = Survey.objects.get(pk=survey.pk)
    assert all(row.planned is None for row in first(survey, survey.owner).rows)
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "The 360 planned responses were not reached." in page


def test_other_answers_other_help_and_another_second_question_are_not_compared(owner):
    given = {"text": "How often?", "kind": "choice", "design": "direct", "required": True}
    grouped = {"text": "Have you bribed?", "design": "two_groups", "required": True}
    grouped |= {"p_sensitive": "3/4, 1/4", "harmless_yes": "1/4, 3/4"}
    for over in (True, False):
        draft = factories.make_survey(owner, title=str(over))
        factories.add_question(draft, "Never", "Once" if over else "Often", **given)
        factories.add_question(draft, "A", "B", **{**given, "text": "Which?", "help": str(over)})
        factories.add_question(draft, **grouped, harmless=f"Is it {over}?")
        factories.add_question(draft, text="The same?", design="direct", required=True)
        survey = answered(draft, ["00000000", "01010301"] * 40, over=over)
    assert titles(survey) == ["", "", "", "“True”"]


@pytest.mark.parametrize("add", [factories.add_matrix, factories.add_ticks])
def test_parts_that_chance_asks_for_are_compared_each_with_itself(owner, add):
    """Though their labels say how many were asked, which differs."""
    for over in (True, False):
        draft = factories.make_survey(owner, title=str(over))
        add(draft)
        survey = factories.launched(draft)
        (item,) = questionnaire_of(survey.revision).items
        chance = np.random.default_rng(over)
        store_rows(survey.revision, [row_of(item, chance) for _ in range(60)])
        if over:
            close(survey=survey, by=owner)
    (report,) = reports(survey, owner)
    assert report.earlier == "“True”"
    assert all(row.earlier.answer == row.answer for row in report.all_rows)
    assert any(row.earlier.label != row.label for row in report.all_rows)


def row_of(item, chance: np.random.Generator) -> str:
    parts = sorted(chance.choice(item.size, item.slots, replace=False))
    levels = chance.integers(len(item.levels), size=item.slots)
    codes = zip(parts, levels, strict=True)
    return "".join(item.slot_code.of_number(part + 1) + item.levels[n].code for part, n in codes)


def test_before_is_the_estimate_of_one_look_at_the_level_that_is_read(before, survey):
    """Collecting is over there, so it is not looked at while answers come."""
    live = reports(survey, survey.owner, Reading("confidence-sequence", 0.99))[0]
    closed = reports(before, before.owner, Reading("clopper-pearson", 0.99))[0]
    assert [row.earlier.interval for row in live.rows] == [row.interval for row in closed.rows]
    table = question_tables(live)[0]
    was = closed.rows[0]
    assert table.rows[0][-1] == f"{was.estimate_words} ({was.low_words} to {was.high_words})"


def test_a_share_among_those_who_answered_has_neither_mark(before, survey):
    set_plan(survey=survey, responses=360, by=survey.owner)
    found = [one for one in reports(survey, survey.owner) if isinstance(one, ShareReport)]
    among = [one.among_answered for one in found if one.among_answered]
    assert {(row.planned_words, row.earlier_words) for row in among} == {("–", "–")}
    assert all(row.planned and row.earlier for one in found for row in one.rows)


def test_the_protection_of_a_question_may_differ_and_a_way_to_decline_may_not(owner):
    direct = {"design": "direct", "required": True}
    for title, asked in (
        ("Direct", direct),
        ("May decline", {"design": "direct"}),
        ("Coins", {"required": True}),
    ):
        draft = factories.make_survey(owner, title=title)
        factories.add_question(draft, text="Do you smoke?", **asked)
        last = answered(draft, ["00", "01"] * 30, over=title != "Coins")
    assert titles(last) == ["“Direct”"]


def test_a_text_that_stands_twice_is_not_compared_though_its_help_differs(owner):
    draft = factories.make_survey(owner, title="Twice")
    for words in ("", "Count e-cigarettes, too."):
        factories.add_question(
            draft, text="Do you smoke?", help=words, design="direct", required=True
        )
    answered(draft, ["0001"] * 40, over=True)
    assert titles(asked_of_all(owner, "Once", "Do you smoke?")) == [""]


def test_a_survey_without_answers_or_whose_answers_are_being_opened_hides_no_older_one(owner):
    asked_of_all(owner, "Old", "Do you smoke?", over=True)
    opening = asked_of_all(owner, "Opening", "Do you smoke?", over=True)
    state = {"since": opening.closed_on, "round": 2, "done": 0}
    Openings.objects.update_or_create(pk=opening.revision.pk, defaults=state)
    draft = factories.make_survey(owner, title="Empty")
    factories.add_question(draft, text="Do you smoke?", design="direct", required=True)
    answered(draft, [], over=True)
    assert titles(asked_of_all(owner, "New", "Do you smoke?")) == ["“Old”"]


def test_no_more_than_the_twenty_newest_surveys_are_looked_through(owner):
    asked_of_all(owner, "Old", "Do you smoke?", over=True)
    for place in range(MOST_BEFORE - 1):
        asked_of_all(owner, str(place), f"Number {place}?", over=True)
    survey = asked_of_all(owner, "New", "Do you smoke?")
    assert (titles(survey), MOST_BEFORE) == (["“Old”"], 20)
    asked_of_all(owner, "One more", "Do you drive?", over=True)
    assert titles(asked_of_all(owner, "Newer", "Do you smoke?")) == [""]


@pytest.mark.parametrize("counts", [(3, 3, 1), (1, 1, 1), (0, 5, 0), (7, 0, 2)])
def test_more_answers_in_the_same_proportions_are_whole_and_sum_to_the_same(counts):
    """By largest remainders none is off by a person."""
    item = ItemCounts(None, Counter(dict(zip("abc", counts, strict=True))))
    for planned in (10, 11, 100, 1001):
        factor = Fraction(planned, sum(counts))
        found = item.times(factor).by_code
        assert found.total() == planned
        assert all(abs(found[code] - n * factor) < 1 for code, n in item.by_code.items())
