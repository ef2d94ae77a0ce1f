"""No page, picture or file that splits people says what one of a few answered, nor do all together.

One person stands alone: in her town, by her age, or since she declined one. Two surveys differ in
that she and one of the people with whom she is pooled have each other's answer. Every address that
takes a grouping, asked for each grouping, must then show the same: whatever is subtracted from
whatever else, it cannot say which of the two answered what. Addresses are those that are
registered: a new one is asked too, or makes this fail.
"""

import json
import re
from contextlib import suppress

import pytest
from django.db import transaction

from analytics import services, tasks
from analytics.kinds.clouds import CloudSettings
from analytics.kinds.comparisons import ComparisonSettings
from analytics.kinds.tree_reports import TreeSettings
from analytics.models import Report
from analytics.reports.registry import ANSWER_KINDS
from analytics.services import making
from surveys.models import Question, Survey
from surveys.results import urls
from tests import factories, kept
from tests.stored import store_rows

owner = kept.owner
survey = kept.survey

DRUNK, TOWN, AGE, OUT, HEALTH, COINS = 1, 2, 3, 4, 5, 6
# Rows of 20 people each: drunk, town, age, out (all directly), and of those who go out alone health
# (a scale) and a report through two coins.
TOWNS, AGES = ("00", "01", "02"), ("30", "40")
OTHERS = [
    f"{drunk}{town}{age}01{health}{coins}"
    for drunk, health in (("00", "00"), ("01", "01"), ("01", "00"), ("00", "02"))
    for town in TOWNS[:2]
    for age in AGES
    # Most people are in the North and younger, so that it is known who is pooled with whom.
    for _ in range(1 + (town == TOWNS[0]) + (age == AGES[0]))
    for coins in ("00", "01")
]
TIMES = 5
# She, and one who is like her but for what sets her apart, have the answers a and b about drunk, h
# and i about health.
ALONE = {
    "alone in her town": ["{a}023001{h}00", "{b}013001{i}00"],
    "alone with her age": ["{a}019901{h}00", "{b}014001{i}00"],
    "alone in declining her age": ["{a}01--01{h}00", "{b}014001{i}00"],
    "alone in declining her town": ["{a}033001{h}00", "{b}013001{i}00"],
}
# She stays in, so was not asked the last two questions, and lives in the North; all others like her
# live in the South. One of them and a person of each town who was asked swap answers too, so that
# no total moves.
NOT_ASKED = [
    *("{a}003000----", "{b}0030010200", "{b}013000----", "{a}0130010200"),
    *(f"{drunk}013000----" for drunk in ("00", "01") for _ in range(15)),
]


def break_downs(*numbers: int) -> list[str]:
    """By each of these questions, and by each two."""
    return [
        f"question={q}&by={by}&also_by={also or ''}&method=wald&level=95&hold=each"
        for q in (DRUNK, HEALTH, COINS)
        for by in numbers
        for also in (None, *numbers)
        if len({q, by, also}) == 3 and (also is None or by < also)
    ]


# All that these addresses take: every question by every other.
MARGINS = "North: 35%0ASouth: 30%0AWest: 35"
ONLY_WEST = "North: 0%0ASouth: 0%0AWest: 1"
QUERIES = {
    "break-down": break_downs(DRUNK, TOWN, AGE, OUT, HEALTH, COINS),
    "weight": [
        f"by={TOWN}&margins={MARGINS}&method=wald&level=95",
        f"by={AGE}&method=wald&level=95",
        # By shares of 0 all people are left out but those of one combination.
        *(
            f"by={TOWN}&margins={ONLY_WEST}&by_2={DRUNK}&margins_2={shares}&method=wald&level=95"
            for shares in ("No: 1%0AYes: 1", "No: 0%0AYes: 1", "No: 1%0AYes: 0")
        ),
        f"by=none&strata={TOWN}&method=wald&level=95",
        f"by=none&strata={DRUNK}&clusters={TOWN}&method=wald&level=95",
        f"by={AGE}&clusters={TOWN}&method=wald&level=95",
        f"by={TOWN}&margins={MARGINS}&strata={OUT}&clusters={TOWN}&method=wald&level=95",
    ],
    "regression": [
        f"outcome={outcome}&link=logit&level=95" + "".join(f"&predictors={one}" for one in by)
        for outcome in (f"{DRUNK}-1", f"{HEALTH}-1", f"{COINS}-1", f"{TOWN}-0", f"{AGE}-number")
        for by in ((DRUNK,), (TOWN,), (AGE,), (TOWN, AGE), (HEALTH, TOWN), (COINS, TOWN), (COINS,))
        if int(outcome[0]) not in by
    ],
}
CLOUD = CloudSettings((DRUNK, HEALTH), TOWN)
SETTINGS = [
    *(
        ComparisonSettings(q, by=by, draws=100)
        for q in (DRUNK, HEALTH, AGE, COINS)
        for by in (DRUNK, TOWN, HEALTH)
        if q != by
    ),
    *(CloudSettings((HEALTH, AGE), by) for by in (DRUNK, TOWN)),
    CLOUD,
    *(TreeSettings(q, by) for q in (DRUNK, COINS) for by in ((TOWN,), (TOWN, HEALTH))),
]  # fmt: skip
Asked = tuple[dict[str, list[str]], list]  # addresses with their queries, and reports
ALL: Asked = QUERIES, SETTINGS
# Where the answers themselves are handed out, to people who may have them, or none at all.
NO_GROUPS = {
    "list", "dashboard", "chart", "responses", "responses-parquet", "exports", "ask-export",
    "export", "deposit", "ask-deposit", "texts", "sealed-texts", "locked-table", "report",
    "codebook", "codebook-md", "syntax-R", "syntax-do", "syntax-sps",
    # Totals with noise, of all people whose answers were locked.
    "locked", "take-trustee-file", "trustee-noise", "trustee-share", "locked-csv", "locked-json",
}  # fmt: skip


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(make_split_survey)


def make_split_survey() -> Survey:
    draft = factories.make_survey(factories.make_user())
    direct, kinds = Question.Design.DIRECT, Question.Kind
    factories.add_question(draft, text="Driven drunk?", design=direct, required=True)
    factories.add_question(
        draft, "North", "South", "West", text="Where?", kind=kinds.CHOICE, design=direct
    )
    factories.add_question(
        draft, text="Age?", kind=kinds.NUMBER, design=direct, minimum=18, maximum=99
    )
    out = factories.add_question(draft, text="Do you go out?", design=direct, required=True)
    further = factories.add_questions(
        draft,
        (
            ("Bad", "Fair", "Good"),
            dict(text="Health?", kind=kinds.SCALE, design=direct, required=True),
        ),
        ((), dict(text="Ever stolen?", required=True)),
    )
    for one in further:
        factories.add_condition(one, out)
    return factories.launched(draft)


def answered(survey: Survey, rows: list[str], **answers: str) -> None:
    store_rows(survey.revision, OTHERS * TIMES + [row.format(**answers) for row in rows])


def seen(survey: Survey, client, only: str, asked: Asked) -> dict[str, str]:
    """Everything that splits people, by address and what it is asked."""
    found = {}
    queries, every = asked
    for one in urls.urlpatterns:
        kind = next((kind for kind in queries if kind in one.name), "")
        if not one.name.endswith(only):
            continue
        for query in queries.get(kind, [""] * (one.name == "dashboard")):
            address = "/surveys/" + re.sub(r"<\w+:survey_id>", str(survey.pk), str(one.pattern))
            address = re.sub(r"<int:\w+>", "1", address)
            reply = client.get(f"{address}?{query}")
            body = b"".join(reply.streaming_content) if reply.streaming else reply.content
            found[f"{one.name} {query}"] = f"{reply.status_code} {cleaned(body.decode(), survey)}"
    for settings in every:
        found[str(settings)] = reported(survey, settings)
    return found


def cleaned(body: str, survey: Survey) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="\w+|nonce="[^"]*|name="key" value="[^"]*', "", body)


def reported(survey: Survey, settings) -> str:
    kind = {ComparisonSettings: "comparison", CloudSettings: "clouds", TreeSettings: "tree"}
    report = services.request_report(
        survey=survey,
        kind=kind[type(settings)],
        settings=settings,
        by=survey.owner,
        later=tasks.make_later,
    )
    making.make(report.pk, report.run)
    report = Report.objects.get(pk=report.pk)
    document = report.extract.document if report.extract else None
    return f"{report.state} {report.problem} {json.dumps(document)}"


class Undone(Exception):
    """Ends a look at one of two surveys."""


def look(client, survey: Survey, rows: list[str], only: str, asked: Asked, **answers: str):
    found: dict[str, str] = {}
    with suppress(Undone), transaction.atomic():
        answered(survey, rows, **answers)
        found = seen(survey, client, only, asked)
        raise Undone
    return found


def differences(
    client, survey: Survey, rows: list[str], only: str = "", asked: Asked = ALL, *, least: int = 30
) -> list[str]:
    client.force_login(survey.owner)
    one = look(client, survey, rows, only, asked, a="00", b="01", h="00", i="02")
    other = look(client, survey, rows, only, asked, a="01", b="00", h="02", i="00")
    assert sum(text.startswith(("200", "done")) for text in one.values()) >= least
    return [place for place in one if one[place] != other[place]]


def test_no_file_nor_all_of_them_say_what_one_person_answered(client, survey):
    queries = {**QUERIES, "break-down": break_downs(DRUNK, TOWN, AGE, HEALTH)}
    asked = queries, SETTINGS
    assert differences(client, survey, ALONE["alone in her town"], "-json", asked) == []


def test_where_a_further_question_was_asked_of_others_no_group_differs_by_one_person(
    client, survey
):
    """She is alone in the North among those who were not asked; the others live in the South."""
    asked = [(DRUNK, TOWN, ""), (DRUNK, TOWN, COINS), (COINS, DRUNK, TOWN), (HEALTH, DRUNK, TOWN)]
    few = [f"question={x}&by={by}&also_by={z}&method=wald&level=95" for x, by, z in asked]
    reports = [ComparisonSettings(DRUNK, by=TOWN, draws=100), CLOUD]
    every = {"break-down": few}, reports
    assert differences(client, survey, NOT_ASKED, "-json", every, least=len(few) + 1) == []


@pytest.mark.audit  # files are made from what pages and pictures show
@pytest.mark.parametrize("apart", ALONE)
def test_no_page_picture_or_file_says_what_one_person_answered(client, survey, apart):
    assert differences(client, survey, ALONE[apart]) == []


@pytest.mark.audit
def test_no_page_picture_or_file_differs_by_one_who_was_not_asked_more(client, survey):
    assert differences(client, survey, NOT_ASKED) == []


def test_every_address_that_takes_a_grouping_is_asked():
    """A new one is added to those that are asked, or to those that split no people."""
    names = {one.name for one in urls.urlpatterns}
    asked = {name for name in names if any(kind in name for kind in QUERIES)}
    assert names - asked == NO_GROUPS
    kinds = {type(settings) for settings in SETTINGS}
    assert len(ANSWER_KINDS) == len(kinds)
