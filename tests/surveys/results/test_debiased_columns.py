"""Files have debiased columns: without reading any page, their means are its estimates."""

import csv
import io
import math
from collections.abc import Iterator

import numpy as np
import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import Level
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question, field_name
from surveys.results.labelled.variables import Variable
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.parts import PartsReport
from surveys.results.rows.ranks import RankReport
from surveys.results.rows.rounded import RoundedReport
from surveys.results.rows.scales import ScaleReport
from surveys.results.shares import ShareReport
from tests import factories
from tests.arms import make_arms_draft
from tests.families import make_family_draft, make_hidden_draft
from tests.golden.surveys import every_kind
from tests.stored import store_rows
from tests.surveys.results.test_anchors import add_pair
from tests.versions import filling

PEOPLE = 300
CLOSE = 1e-12
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def every_kind_draft(owner: User) -> Survey:
    draft = factories.make_survey(owner, batch_size=1)
    every_kind(draft)
    factories.add_long_scale(draft, text="And with life?", design="scale_mean")
    factories.add_matrix(draft, "Never", "Now", "Often", text="Lately?", required=False, shown=2)
    return draft


def anchor_draft(owner: User) -> Survey:
    draft = factories.make_survey(owner, batch_size=1)
    add_pair(draft)
    return draft


def special_draft(owner: User) -> Survey:
    """A rounded number with answers beside it."""
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_rounded(draft, special="[998] Do not know\n[999] Refused")
    return draft


MAKERS = {
    "special answers": special_draft,
    "every kind": every_kind_draft,
    "anchor": anchor_draft,
    "family": lambda owner: make_family_draft(owner, batch_size=1),
    "hidden": lambda owner: make_hidden_draft(owner, batch_size=1),
    "arms": lambda owner: make_arms_draft(owner, batch_size=1),
}


def answered(draft: Survey, people: int = PEOPLE) -> Survey:
    """Random reports; one person in four uses a coin of their own, one in five was not asked."""
    survey, rng = factories.launched(draft), np.random.default_rng(5)
    questionnaire = questionnaire_of(survey.revision)
    arms = [arm.code for arm in questionnaire.arms] or [""]
    rows = []
    for person in range(people):
        own_coin, left_out = person % 4 == 3, rng.random(len(questionnaire.items)) < 0.2
        codes = [
            item.not_asked
            if (own_coin and not item.is_offered_with_own_coin) or (skipped and item.is_randomized)
            else code_of(item, rng, own_coin)
            for item, skipped in zip(questionnaire.items, left_out, strict=True)
            if item.width
        ]
        rows.append("".join(codes) + arms[person % len(arms)])
    store_rows(survey.revision, rows)
    return survey


def code_of(item: Question, rng: np.random.Generator, own_coin: bool) -> str:
    if isinstance(item, FamilyQuestion):  # every way
        return str(rng.choice([level.code for level in item.levels]))
    return filling.CODES(item, rng, own_coin)


@pytest.fixture(params=MAKERS)
def survey(request, owner) -> Survey:
    return answered(MAKERS[request.param](owner))


def csv_columns(client, survey: Survey, query: str = "") -> dict[str, list[str]]:
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:responses", args=[survey.pk]) + query)
    text = b"".join(reply.streaming_content).decode()
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def codes_of(variable: Variable, columns: dict[str, list[str]]) -> list[str]:
    """The code of each row, which may stand in the column of reasons."""
    cells = columns[variable.name]
    if not variable.reasons:
        return cells
    return [cell or reason for cell, reason in zip(cells, columns[variable.reasons], strict=True)]


def codebook(client, survey: Survey) -> dict:
    client.force_login(survey.owner)
    return client.get(reverse("surveys:codebook", args=[survey.pk])).json()


def debiased_names(book: dict) -> list[str]:
    return [one["column"] for entry in book["columns"] for one in entry.get("debiased", ())]


def numbers(cells: list[str]) -> np.ndarray:
    return np.array([float(cell) for cell in cells if cell])


def mean(cells: list[str]) -> tuple[float, float]:
    """The mean of a column and its standard error, as any program computes them."""
    column = numbers(cells)
    return column.mean(), column.std(ddof=1) / math.sqrt(len(column))


def ratio(top: list[str], bottom: list[str]) -> tuple[float, float]:
    """A ratio of two means, linearised, over the rows that have both."""
    pairs = zip(top, bottom, strict=True)
    a, b = np.array([(float(t), float(u)) for t, u in pairs if t and u]).T
    value = a.mean() / b.mean()
    rest = a - value * b
    return value, rest.std(ddof=1) / math.sqrt(len(rest)) / abs(b.mean())


Estimate = tuple[tuple[str, ...], float, float]  # a column or two, the estimate, its error


def on_the_dashboard(survey: Survey) -> Iterator[Estimate]:
    """What the page shows of randomized questions, each with the columns that should tell it."""
    for number, counts in enumerate(item_counts(survey.revision), start=1):
        report, name = question_report(number, counts, Reading()), field_name(number - 1)
        if isinstance(report, RoundedReport):
            yield from of_rounded(report, name)
        elif isinstance(report, PartsReport) and report.item.is_randomized:
            yield from of_parts(report, name)
        elif isinstance(report, ShareReport) and is_told(report):
            yield from of_shares(report, name)


def of_rounded(report: RoundedReport, name: str) -> Iterator[Estimate]:
    """With answers beside the number the mean is a ratio, and each of these a share."""
    special = report.item.number.special
    names = (f"{name}_score", f"{name}_answered") if special else (f"{name}_mean",)
    yield names, report.mean, report.standard_error
    for each, row in zip(special, report.special, strict=True):
        yield (f"{name}_{each.code}",), row.share, row.standard_error


def is_told(report: ShareReport) -> bool:
    """Long lists have no columns, two groups one whose error is larger, follow-ups a family's."""
    item = report.item
    if isinstance(item, GroupedQuestion) or item.design in ("subset", "oue"):
        return False
    return item.is_randomized or bool(report.among_asked)


def called(item: Question, level: Level) -> str:
    """What an answer is called in the names of columns: no and yes, or its place from 1."""
    if level.declines:
        return "declined"
    place = int(level.code)
    return ("no", "yes")[place] if item.kind == "yes_no" else str(place + 1)


def of_parts(report: PartsReport, name: str) -> Iterator[Estimate]:
    item = report.item
    places = range(1, item.size + 1)
    if item.kind == "ticks":
        names = [f"{name}_{part}" for part in places]
    else:
        answers = [called(item, level) for level in item.levels]
        names = [f"{name}_{part}_{answer}" for part in places for answer in answers]
    for column, row in zip(names, report.rows, strict=True):
        yield (column,), row.share, row.standard_error


def of_shares(report: ShareReport, name: str) -> Iterator[Estimate]:
    item = report.item
    answers = [called(item, level) for level in item.choices]
    shares = dict(zip(answers, report.rows, strict=False))
    if len(answers) == 2 and item.kind == "yes_no":
        shares = {"yes": report.rows[0]} if report.rows else {}
    for answer, row in shares.items():
        yield (f"{name}_{answer}",), row.share, row.standard_error
    if report.among_answered:
        row = report.among_answered
        yield (f"{name}_yes", f"{name}_declined"), row.share, row.standard_error
    if isinstance(report, ScaleReport):
        for step, row in enumerate(report.sums, start=1):
            yield (f"{name}_upto_{step}",), row.share, row.standard_error
    hidden = getattr(item, "hidden", None)
    counts = "_asked" if hidden and not hidden.is_own else ""
    for answer, row in zip(answers, report.among_asked, strict=False):
        if not (counts and answer == "no"):  # of two answers, one says the other
            yield (f"{name}_{answer}{counts}", f"{name}_asked"), row.share, row.standard_error


def test_the_means_of_columns_are_the_estimates_of_the_dashboard(client, survey):
    """Two groups and ranks have other columns, which a test of their own holds."""
    columns, seen = csv_columns(client, survey), set()
    for names, value, error in on_the_dashboard(survey):
        seen.add(names[0])
        cells = [columns[name] for name in names]
        if names[1:] and names[1].endswith("_declined"):  # among those who answered
            cells[1] = [cell and repr(1 - float(cell)) for cell in cells[1]]
        found = mean(*cells) if len(cells) == 1 else ratio(*cells)
        assert found == pytest.approx((value, error), abs=CLOSE), names
    groups = {f"{field_name(index)}_yes" for index in two_groups(survey)}
    assert {name for name in columns if name.endswith("_yes")} - groups <= seen


def two_groups(survey: Survey) -> list[int]:
    items = questionnaire_of(survey.revision).items
    return [index for index, item in enumerate(items) if isinstance(item, GroupedQuestion)]


def test_two_groups_that_are_as_large_have_the_estimate_of_the_dashboard(client, owner):
    """Otherwise it is near: the dashboard knows how large the groups are, a column does not."""
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_other_designs(draft)
    survey = factories.launched(draft)
    (index,) = two_groups(survey)
    items = questionnaire_of(survey.revision).items
    codes = [[item.not_asked] * len(items) for item in items[:1] * 20]
    for person, reported in enumerate(["00"] * 7 + ["01"] * 3 + ["02"] * 6 + ["03"] * 4):
        codes[person][index] = reported
    store_rows(survey.revision, ["".join(row) for row in codes])
    report = question_report(index + 1, list(item_counts(survey.revision))[index], Reading())
    found, _ = mean(csv_columns(client, survey)[f"{field_name(index)}_yes"])
    assert found == pytest.approx(report.rows[0].share, abs=CLOSE)


def test_ranks_from_pairs_that_were_sent_as_often_are_those_of_the_dashboard(client, owner):
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_ranking(draft, "Tea", "Milk", "Juice")
    survey = factories.launched(draft)
    sent = ["0100", "0101", "0101", "0200", "0200", "0201", "0300", "0300", "0300"]
    store_rows(survey.revision, sent)
    (report,) = [question_report(1, counts, Reading()) for counts in item_counts(survey.revision)]
    assert isinstance(report, RankReport)
    found = csv_columns(client, survey)
    for thing, label in enumerate(("Tea", "Milk", "Juice"), start=1):
        (row,) = [row for row in report.rows if row.label == label]
        assert mean(found[f"q001_rank_{thing}"])[0] == pytest.approx(row.mean, abs=CLOSE)


def by_hand(column: dict, reports: dict[str, list[str]]) -> list[str]:
    """The cells of a column by its look-ups in the codebook, as another program would make them."""
    rows = range(len(next(iter(reports.values()))))
    cells = []
    for row in rows:
        numbers = [
            one["values"][" ".join(reports[name][row] for name in one["of"])]
            for one in column["look_ups"]
        ]
        sent = [number for number in numbers if number is not None]
        cells.append(repr(sum(sent, column.get("start", 0.0))) if sent else "")
    return cells


def test_the_codebook_says_how_to_work_each_column_out_of_the_file_of_codes(client, survey):
    reports = csv_columns(client, survey, "?values=codes")
    for entry in codebook(client, survey)["columns"]:
        for column in entry.get("debiased", ()):
            assert list(reports[column["column"]]) == by_hand(column, reports)


def test_the_codebook_has_every_column_of_the_file_in_its_order(client, survey):
    book = codebook(client, survey)
    names = [
        name
        for entry in book["columns"]
        for name in [
            *(column["column"] for column in entry.get("columns", [entry])),
            *([entry["column_of_reasons"]] if "column_of_reasons" in entry else []),
            *(column["column"] for column in entry.get("debiased", [])),
        ]
    ]
    header = list(csv_columns(client, survey))
    assert header == [*names, *([book["arm_column"]] if "arm_column" in book else [])]
    assert list(csv_columns(client, survey, "?values=codes")) == header
    assert len({name.casefold() for name in header}) == len(header)
    assert all(len(name) <= 32 for name in header)


def test_every_debiased_column_says_so_and_what_its_mean_estimates(client, survey):
    book = codebook(client, survey)
    labels = [one["label"] for entry in book["columns"] for one in entry.get("debiased", ())]
    assert labels
    assert all(label.startswith("Debiased: its mean estimates the ") for label in labels)
    assert "not valid" in book["how_to_read_debiased"].lower()


def test_long_lists_have_no_columns_and_neither_have_direct_answers(client, owner):
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_long_list(draft)
    factories.add_question(draft, text="Do you own a car?", design="direct")
    survey = answered(draft, 20)
    assert list(csv_columns(client, survey)) == ["q001_rep", "q002"]
    assert "how_to_read_debiased" not in codebook(client, survey)


def test_files_of_reports_alone_can_be_asked_for(client, survey):
    full, alone = csv_columns(client, survey), csv_columns(client, survey, "?columns=reports")
    names = debiased_names(codebook(client, survey))
    assert names
    assert list(alone) == [name for name in full if name not in names]
    assert all(alone[name] == full[name] for name in alone)


@pytest.mark.parametrize("query", ["", "?values=codes"])
def test_a_parquet_file_has_the_same_columns_as_numbers(client, survey, query):
    """Empty where nobody was asked, so that a mean is one of those who were."""
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:responses-parquet", args=[survey.pk]) + query)
    table = pq.read_table(io.BytesIO(b"".join(reply.streaming_content)))
    names, in_csv = debiased_names(codebook(client, survey)), csv_columns(client, survey, query)
    assert {str(table.schema.field(name).type) for name in names} == {"double"}
    for name in names:
        cells = table[name].to_pylist()
        assert ["" if cell is None else repr(cell) for cell in cells] == list(in_csv[name])
        assert table[name].to_pandas().mean() == pytest.approx(mean(in_csv[name])[0])


def test_nothing_is_called_by_the_bare_name_of_a_question_that_is_randomized(client, survey):
    items = questionnaire_of(survey.revision).items
    bare = {field_name(index) for index, item in enumerate(items) if item.is_randomized}
    assert not bare & set(csv_columns(client, survey))
