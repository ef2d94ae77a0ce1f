"""What a deposit holds by kind of survey, and what it never holds."""

import hashlib
import io
import json
import re
import subprocess
import zipfile
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, fromstring

import pytest
from django.urls import reverse
from django.utils import timezone

from analytics.pages.releases import published
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.results import exports
from surveys.results.deposit.licences import LICENCES
from tests import factories
from tests.analytics import releasing
from tests.analytics.tabulating import make_tabulated_survey, release
from tests.stored import answer, store_rows, store_texts
from tests.surveys.authoring.trustees import counted_draft
from tests.surveys.results.deposit.depositing import (
    MAKERS,
    deposit,
    files_in,
    hidden_draft,
    randomized_draft,
    unpack,
)
from tests.surveys.results.test_debiased_columns import answered
from tests.tallied import closed_survey, files_of, hand_in

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ALWAYS = {
    *("README.md", "LICENSE", "CITATION.cff", "codebook.json", "codebook.md", "ddi.xml"),
    "SHA256SUMS",
}
WITH_ROWS = {"responses.csv", "figures.json", "figures.py", "figures.R"}
MOMENT = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d")


DDI = "{ddi:codebook:2_5}"  # whose schema the audit has


def ddi_of(files: dict[str, bytes]) -> Element:
    """The root of its XML."""
    return fromstring(files["ddi.xml"].decode())


def launched(owner, **fields: object) -> Survey:
    draft = factories.make_survey(owner, **fields)
    factories.add_question(draft, required=True)
    return factories.launched(draft)


@pytest.mark.parametrize("name", MAKERS)
def test_of_randomized_questions_it_has_rows_if_respondents_read_so(owner, name):
    survey = answered(MAKERS[name](owner), 40)
    files = files_in(deposit(survey))
    assert set(files) == ALWAYS | WITH_ROWS
    wanted = "".join(exports.responses_csv(survey.revision, codes=True, debiased=True))
    assert files["responses.csv"].decode() == wanted
    assert len(wanted.splitlines()) == 41
    assert "no rows of answers" not in files["README.md"].decode()
    header = wanted.splitlines()[0].split(",")
    assert [one.get("name") for one in ddi_of(files).iter(f"{DDI}var")] == header


def test_without_the_choice_it_has_no_rows_and_says_why(owner):
    survey = answered(randomized_draft(owner, publish_rows=False), 40)
    files = files_in(deposit(survey))
    assert set(files) == ALWAYS
    for name in ("README.md", "ddi.xml"):
        assert "Before the launch, no one chose to publish rows" in files[name].decode()
    assert "40 responses" not in files["codebook.md"].decode()
    assert "responses" not in json.loads(files["codebook.json"])


def test_with_a_direct_question_it_has_no_rows_and_names_the_question(owner):
    draft = hidden_draft(owner)
    factories.add_question(draft, text="Do you smoke?", design="direct")
    files = files_in(deposit(answered(draft, 40)))
    assert set(files) == ALWAYS
    assert "because these questions are not randomized: Question 4." in files["README.md"].decode()
    assert "Question 4." in ddi_of(files).findtext(f".//{DDI}restrctn")
    assert ddi_of(files).find(f"{DDI}fileDscr") is None


def test_no_count_of_a_direct_answer_stands_in_it(owner):
    """Weights are made from these, so that none of them can be worked out either."""
    draft = factories.make_survey(owner, batch_size=1, publish_rows=True)
    factories.add_question(draft, required=True)
    factories.add_question(draft, text="Do you smoke?", design="direct", required=True)
    survey = factories.launched(draft)
    store_rows(survey.revision, ["0001"] * 777 + ["0100"] * 111)
    files = files_in(deposit(survey))
    assert set(files) == ALWAYS
    everything = b"".join(content for name, content in files.items() if name != "SHA256SUMS")
    for number in (b"777", b"111", b"87.5"):
        assert number not in everything
    assert b"weight" not in files["README.md"].replace(b"weights made from direct answers", b"")


def test_texts_are_in_no_file(owner):
    draft = hidden_draft(owner)
    factories.add_text(draft)
    survey = answered(draft, 40)
    store_texts(survey.revision, 4, ["a sentence of a respondent"] * 3)
    files = files_in(deposit(survey))
    assert set(files) == ALWAYS | WITH_ROWS  # a text is in no row
    assert not any(b"a sentence of a respondent" in content for content in files.values())
    words = files["README.md"].decode()
    assert "Texts that you write are never in these rows." in words
    assert "; questions answered in people’s own words: 1" in words
    assert "asked directly" not in words


def test_of_texts_alone_it_has_no_rows(owner):
    draft = factories.make_survey(owner, publish_rows=True)
    factories.add_text(draft)
    files = files_in(deposit(factories.launched(draft)))
    assert set(files) == ALWAYS
    assert "no question of this survey is randomized" in files["README.md"].decode()


def test_releases_are_in_it_as_they_can_be_downloaded(owner):
    survey = make_tabulated_survey(owner)
    assert set(files_in(deposit(survey))) == ALWAYS
    release(survey)
    files = files_in(deposit(survey))
    own = {f"releases/1/{name}" for name in ("release.csv", "covariance.csv", "release.json")}
    assert set(files) == ALWAYS | own
    document = json.loads(files["releases/1/release.json"])
    assert document["tables"]
    assert files["releases/1/release.csv"].decode().startswith("table,number,question_1")
    assert "`releases/1/release.csv`" in files["README.md"].decode()


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_tables_at_openings_are_in_it_from_the_first_opening_on(owner):
    survey = releasing.make_released_survey(owner)
    releasing.answer(survey, [(0, 0, 20)] * 20)
    assert set(files_in(deposit(survey, is_open=True))) == ALWAYS
    releasing.let_pass(survey, 31)
    files = files_in(deposit(survey, is_open=True))
    assert json.loads(files["releases/1/release.json"])["tables"]
    assert "responses.csv" not in files


def test_a_release_that_cannot_be_read_ends_it_with_a_clear_error(owner, monkeypatch):
    survey = make_tabulated_survey(owner)
    release(survey)
    monkeypatch.setattr(published, "result_of", lambda report: None)
    with pytest.raises(NotPossible, match="This program cannot read a release of this survey"):
        deposit(survey)


def test_of_counted_questions_it_has_the_totals_of_the_page_and_no_locked_answer(client, owner):
    survey = closed_survey(owner, 0, 0, 2, 5, 6, 6)
    before = files_in(deposit(survey))
    assert not any(name.startswith("totals/") for name in before)
    hand_in(survey, *files_of(survey))
    files = files_in(deposit(survey))
    assert set(files) - set(before) == {"totals/table-1.csv", "totals/table-1.json"}
    assert json.loads(files["totals/table-1.json"])["ballots"] == 6
    client.force_login(owner)
    page = client.get(reverse("surveys:locked", args=[survey.pk])).content.decode()
    assert "totals of 6 locked answers" in page
    for kind in ("csv", "json"):
        downloaded = client.get(reverse(f"surveys:locked-{kind}", args=[survey.pk, 1]))
        content = (
            b"".join(downloaded.streaming_content) if downloaded.streaming else downloaded.content
        )
        assert files[f"totals/table-1.{kind}"] == content
    assert (
        "Of answers that were counted while locked, the deposit contains only the opened totals."
        in files["README.md"].decode()
    )


def test_rows_of_a_survey_with_counted_questions_have_no_column_of_them(owner):
    draft = counted_draft(owner, publish_rows=True)
    draft.questions.filter(position=0).update(design="two_coins")
    files = files_in(deposit(factories.launched(draft)))
    assert set(files) == ALWAYS | WITH_ROWS
    header = files["responses.csv"].decode().splitlines()[0]
    assert header == "q001_rep,q001_yes"


def test_its_digests_are_those_that_sha256sum_checks(owner, tmp_path):
    folder = unpack(answered(hidden_draft(owner), 40), tmp_path)
    subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=folder, check=True,
                   capture_output=True)  # fmt: skip
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert set(sums) == names - {"SHA256SUMS"}
    assert sums["README.md"] == hashlib.sha256((folder / "README.md").read_bytes()).hexdigest()


def test_the_same_survey_gives_the_same_bytes_and_nothing_says_when(owner, monkeypatch):
    survey = answered(randomized_draft(owner), 40)
    first = deposit(survey)
    monkeypatch.setattr(timezone, "now", lambda: datetime(2031, 5, 6, 7, 8, tzinfo=UTC))
    assert deposit(survey) == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    for name, content in files_in(first).items():
        assert not MOMENT.search(content), name


@pytest.mark.parametrize("licence", LICENCES)
def test_the_licence_that_was_chosen_stands_in_its_files(owner, licence):
    files = files_in(deposit(launched(owner, title='A "title": {x}'), licence))
    assert f'license: "{licence}"' in files["CITATION.cff"].decode()
    assert 'title: "A \\"title\\": {x}"' in files["CITATION.cff"].decode()
    assert LICENCES[licence].address in files["LICENSE"].decode()
    assert licence in files["ddi.xml"].decode()


def test_without_an_answer_it_has_columns_and_no_row(owner, tmp_path):
    folder = unpack(launched(owner, publish_rows=True), tmp_path)
    assert len((folder / "responses.csv").read_text().splitlines()) == 1
    assert json.loads((folder / "figures.json").read_text())["questions"] == []


def test_rows_that_come_while_it_is_written_end_it_with_a_clear_error(owner, monkeypatch):
    survey = launched(owner, publish_rows=True, batch_size=5)
    answer(survey, 5)

    lines = exports.responses_csv

    def and_more(*args, **options):
        yield from lines(*args, **options)
        store_rows(survey.revision, ["00"])

    monkeypatch.setattr(exports, "responses_csv", and_more)
    with pytest.raises(NotPossible, match="answers were opened while it was being written"):
        deposit(survey)
