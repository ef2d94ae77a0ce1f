"""Every download and picture says which version made it."""

import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from xml.etree import ElementTree

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import get_resolver, reverse
from django.utils import timezone
from pyarrow import parquet

from analytics.kinds.tables.settings import TableQuestion, TableSettings
from surveys import PROGRAM, VERSION
from surveys.models import Question
from tests import factories
from tests.analytics import examples, tabulating
from tests.versions.filling import answer

FILE = re.compile(r"(?:.*[/.])?.+\.(csv|json|svg|png|parquet)")
# What a page has to be asked, by the name of its address.
FIRST = timezone.now().date() + timedelta(2)
REMINDERS = f"?first={FIRST}&last={FIRST + timedelta(7)}"
QUERIES = {
    "surveys:planner-curve": "?error=0.03",
    "surveys:planner-price": "?error=0.03",
    **{f"surveys:break-down-{form}": "?question=1&by=2" for form in ("picture", "csv", "json")},
    **{
        f"surveys:weighted-{form}": "?by=2&margins=North:+50%0ASouth:+50"
        for form in ("csv", "json")
    },
    **{
        f"surveys:reminders-{form}": f"{REMINDERS}&sends=1&rival_sends=1" for form in ("csv", "svg")
    },
    **{
        f"surveys:regression-{form}": "?outcome=2-1&predictors=3"
        for form in ("picture", "csv", "json")
    },
}
RATED = 5  # the number of the question whose items are rated
WITHIN: dict[str, Callable[[bytes], str]] = {
    "json": lambda content: find(json.loads(content)),
    "svg": lambda content: ElementTree.fromstring(content)[0].text or "",
    "png": lambda content: re.search(rb"tEXtSoftware\0(.+?\d\.\d\.\d)", content)[1].decode(),
    "parquet": lambda content: (
        parquet.read_schema(io.BytesIO(content)).metadata[b"program"].decode()
    ),
}


def find(document: dict) -> str:
    return document["program"] if "program" in document else document["usermeta"]["program"]


def addresses(resolver=None, route: str = "", space: str = "") -> Iterator[tuple[str, str, str]]:
    """(name, arguments, ending) of every address that ends like a file."""
    for one in (resolver or get_resolver()).url_patterns:
        whole = route + str(one.pattern)
        if hasattr(one, "url_patterns"):
            yield from addresses(one, whole, f"{one.namespace}:" if one.namespace else space)
        elif found := FILE.fullmatch(whole):
            yield space + one.name, whole, found[1]


ADDRESSES = list(addresses())


@pytest.fixture
def survey(db):
    """Answers to what can be broken down, weighted, explained, ranked, and reported on."""
    direct, kinds = Question.Design.DIRECT, Question.Kind
    draft = factories.make_survey(factories.make_user(superuser=True))
    factories.add_question(draft, required=True)
    factories.add_question(
        draft, "North", "South", text="Where?", kind=kinds.CHOICE, design=direct, required=True
    )
    factories.add_question(
        draft, text="Weight?", kind=kinds.NUMBER, design=direct, minimum=0, maximum=9, required=True
    )
    factories.add_text(draft)
    factories.add_rating(draft, required=True)
    factories.add_budget(draft, source="all")
    made = factories.launched(draft)
    answer(made, 60, np.random.default_rng(3))
    return made


def test_the_addresses_of_files_are_found():
    assert len(ADDRESSES) >= 24
    assert {ending for _, _, ending in ADDRESSES} == {"csv", "json", "svg", "png", "parquet"}


def test_every_download_and_picture_says_which_version_made_it(client, survey):
    client.force_login(survey.owner)
    report = examples.store(survey, examples.a_report())
    settings = TableSettings((TableQuestion(2), TableQuestion(3)), ((2,), (2, 3)), is_public=True)
    released = tabulating.release(survey, settings)
    silent = []
    for name, route, ending in ADDRESSES:
        known = {"survey_id": survey.pk, "report_id": report.pk, "name": "topic-1", "place": 1}
        known["number"] = RATED if name.startswith("ranking:") else 1
        if name.startswith(("releases:", "analytics:release")):
            known["report_id"] = released.pk
        arguments = {key: known[key] for key in re.findall(r"<\w+:(\w+)>", route)}
        reply = client.get(reverse(name, kwargs=arguments) + QUERIES.get(name, ""))
        assert reply.status_code == 200, name
        content = reply.getvalue()
        header = reply.get("Content-Disposition", "")
        if header and f"-deniable-{VERSION}-" not in header:
            silent.append(f"{name}: {header}")
        if ending == "csv":
            assert header, name
        elif WITHIN[ending](content) != PROGRAM:
            silent.append(name)
    assert silent == []


def test_a_report_on_a_file_says_so_too(tmp_path):
    source = tmp_path / "texts.csv"
    words = "rent landlord flat", "train ticket platform", "bread butter oven"
    lines = [words[number % 3] for number in range(300)]
    source.write_text("text\n" + "\n".join(lines) + "\n")
    for ending in ("json", "html"):
        target = tmp_path / f"report.{ending}"
        call_command(
            "topics",
            input=str(source),
            column="text",
            kind="exact_topics",
            output=str(target),
        )
        assert PROGRAM in target.read_text()
