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
from analytics.kinds.answers import ANSWER_KINDS
from analytics.kinds.clouds import CloudSettings
from analytics.kinds.comparisons import ComparisonSettings
from analytics.kinds.tree_reports import TreeSettings
from analytics.models import Report
from analytics.services import making
from surveys.models import Question, Survey
from surveys.results import urls
from tests import factories, kept
from tests.stored import store_rows

owner = kept.owner
survey = kept.survey

DRUNK, TOWN, AGE, HEALTH, COINS = 1, 2, 3, 4, 5
# Rows of 20 people each: drunk (direct), town, age, health (a scale), a report through two coins.
TOWNS, AGES = ("00", "01", "02"), ("30", "40")
OTHERS = [
    f"{drunk}{town}{age}{health}{coins}"
    for drunk, health in (("00", "00"), ("01", "01"), ("01", "00"), ("00", "02"))
    for town in TOWNS[:2]
    for age in AGES
    # Most people are in the North and younger, so that it is known who is pooled with whom.
    for _ in range(1 + (town == TOWNS[0]) + (age == AGES[0]))
    for coins in ("00", "01")
]
TIMES = 5
# She, and one who is like her but for what sets her apart; drunk and health go before and after it.
ALONE = {
    "alone in her town": ("0230", "0130"),
    "alone with her age": ("0199", "0140"),
    "alone in declining her age": ("01--", "0140"),
    "alone in declining her town": ("0330", "0130"),
}
# All that these addresses take: every question by every other.
NUMBERS = (DRUNK, TOWN, AGE, HEALTH)
MARGINS = "North: 35%0ASouth: 30%0AWest: 35"
QUERIES = {
    "break-down": [
        f"question={q}&by={by}&also_by={also or ''}&method=wald&level=95&hold=each"
        for q in (DRUNK, HEALTH, COINS)
        for by in NUMBERS
        for also in (None, *NUMBERS)
        if len({q, by, also}) == 3 and (also is None or by < also)
    ],
    "weight": [
        f"by={TOWN}&margins={MARGINS}&method=wald&level=95",
        f"by={AGE}&method=wald&level=95",
    ],
    "regression": [
        f"outcome={outcome}&link=logit&level=95" + "".join(f"&predictors={one}" for one in by)
        for outcome in (f"{DRUNK}-1", f"{HEALTH}-1", f"{COINS}-1", f"{TOWN}-0")
        for by in ((DRUNK,), (TOWN,), (AGE,), (TOWN, AGE), (HEALTH, TOWN))
        if int(outcome[0]) not in by
    ],
}
SETTINGS = [
    *(
        ComparisonSettings(q, by=by, draws=100)
        for q in (DRUNK, HEALTH, AGE, COINS)
        for by in (DRUNK, TOWN, HEALTH)
        if q != by
    ),
    *(CloudSettings((HEALTH, AGE), by) for by in (DRUNK, TOWN)),
    CloudSettings((DRUNK, HEALTH), TOWN),
    *(TreeSettings(q, by) for q in (DRUNK, COINS) for by in ((TOWN,), (TOWN, HEALTH))),
]  # fmt: skip
# Where the answers themselves are handed out, to people who may have them, or none at all.
NO_GROUPS = {
    "list", "dashboard", "chart", "responses", "responses-parquet", "exports", "ask-export",
    "export", "texts", "report", "codebook",
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
    factories.add_question(
        draft, "Bad", "Fair", "Good", text="Health?", kind=kinds.SCALE, design=direct,
        required=True,
    )  # fmt: skip
    factories.add_question(draft, text="Ever stolen?", required=True)
    return factories.launched(draft)


def answered(survey: Survey, she: str, other: str, drunk: tuple[str, str], health) -> None:
    store_rows(survey.revision, OTHERS * TIMES)
    rows = zip(drunk, (she, other), health, strict=True)
    store_rows(survey.revision, [f"{one}{apart}{well}00" for one, apart, well in rows])


def seen(survey: Survey, client, *, only: str) -> dict[str, str]:
    """Everything that splits people, by address and what it is asked."""
    found = {}
    for one in urls.urlpatterns:
        kind = next((kind for kind in QUERIES if kind in one.name), "")
        if not one.name.endswith(only):
            continue
        for query in QUERIES.get(kind, [""] * (one.name == "dashboard")):
            address = "/surveys/" + re.sub(r"<\w+:survey_id>", str(survey.pk), str(one.pattern))
            address = re.sub(r"<int:\w+>", "1", address)
            reply = client.get(f"{address}?{query}")
            body = b"".join(reply.streaming_content) if reply.streaming else reply.content
            found[f"{one.name} {query}"] = f"{reply.status_code} {cleaned(body.decode(), survey)}"
    for settings in SETTINGS:
        found[str(settings)] = reported(survey, settings)
    return found


def cleaned(body: str, survey: Survey) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="\w+|nonce="[^"]*|name="key" value="[^"]*', "", body)


def reported(survey: Survey, settings) -> str:
    kind = {ComparisonSettings: "comparison", CloudSettings: "clouds", TreeSettings: "tree"}
    report = services.request_answer_report(
        survey=survey,
        kind=kind[type(settings)],
        settings=settings,
        by=survey.owner,
        later=tasks.make_later,
    )
    making.make(report.pk, report.run)
    report = Report.objects.get(pk=report.pk)
    return f"{report.state} {report.problem} {json.dumps(report.document)}"


class Undone(Exception):
    """Ends a look at one of two surveys."""


def look(client, survey: Survey, apart: str, only: str, *answers: tuple[str, str]):
    found: dict[str, str] = {}
    with suppress(Undone), transaction.atomic():
        answered(survey, *ALONE[apart], *answers)
        found = seen(survey, client, only=only)
        raise Undone
    return found


def differences(client, survey: Survey, apart: str, only: str = "") -> list[str]:
    client.force_login(survey.owner)
    one = look(client, survey, apart, only, ("00", "01"), ("00", "02"))
    other = look(client, survey, apart, only, ("01", "00"), ("02", "00"))
    assert sum(text.startswith(("200", "finished")) for text in one.values()) > 30
    return [place for place in one if one[place] != other[place]]


def test_no_file_nor_all_of_them_say_what_one_person_answered(client, survey):
    assert differences(client, survey, "alone in her town", "-json") == []


@pytest.mark.audit  # files are made from what pages and pictures show
@pytest.mark.parametrize("apart", ALONE)
def test_no_page_picture_or_file_says_what_one_person_answered(client, survey, apart):
    assert differences(client, survey, apart) == []


def test_every_address_that_takes_a_grouping_is_asked():
    """A new one is added to those that are asked, or to those that split no people."""
    names = {one.name for one in urls.urlpatterns}
    asked = {name for name in names if any(kind in name for kind in QUERIES)}
    assert names - asked == NO_GROUPS
    kinds = {type(settings) for settings in SETTINGS}
    assert len(ANSWER_KINDS) == len(kinds)
