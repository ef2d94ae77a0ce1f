"""All answers of a large survey are taken away as a file that a worker writes, for a day."""

import csv
import io
import stat
from datetime import timedelta

import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from surveys.models import AuditEntry, Export, Membership, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.operations import retention
from surveys.results import exports as direct
from surveys.results.labelled.data_files import PROGRAMS
from surveys.results.taking import files, queries, services
from surveys.results.taking.formats import FORMATS
from tests import factories, kept
from tests.stored import store_rows
from tests.surveys.counts.test_kept_counts import all_kinds, send

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
ROWS = 20


@pytest.fixture(autouse=True)
def large(monkeypatch, settings, tmp_path):
    """Any survey is large; files lie in a directory of the test's own."""
    monkeypatch.setattr(queries, "DIRECT", 10)
    monkeypatch.setattr(direct, "BLOCK", 7)
    settings.EXPORTS_DIR = tmp_path / "exports"


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(lambda: answered(factories.make_user()))


def answered(owner: User) -> Survey:
    draft = factories.make_survey(owner)
    factories.add_question(draft, "Bus", "Tram", text="How?", kind="choice", design="direct")
    survey = factories.launched(draft)
    store_rows(survey.revision, ["00", "01"] * (ROWS // 2))
    return survey


def asked(survey: Survey, kind: str = "csv", by: User | None = None) -> Export:
    return services.ask(survey, kind, by=by or survey.owner, later=lambda key: None)


def written(survey: Survey, kind: str = "csv") -> Export:
    export = asked(survey, kind)
    services.write(export.pk)
    return Export.objects.get(pk=export.pk)


def taken(client, survey: Survey, export: Export, **headers: str):
    client.force_login(survey.owner)
    return client.get(reverse("surveys:export", args=[survey.pk, export.pk]), headers=headers)


def body(reply) -> bytes:
    return b"".join(reply.streaming_content)


@pytest.fixture
def every_kind(owner) -> Survey:
    survey = all_kinds(owner, batch_size=5)
    send(survey, ROWS)
    return survey


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind not in PROGRAMS])
def test_the_file_is_what_the_direct_download_of_a_small_survey_is(client, every_kind, kind):
    survey, export = every_kind, written(every_kind, kind)
    content = body(taken(client, survey, export))
    assert (export.written, export.total, export.size) == (ROWS, ROWS, len(content))
    asked = {"codes": kind.endswith("codes"), "debiased": True}
    if kind.startswith("csv"):
        assert content.decode() == "".join(direct.responses_csv(survey.revision, **asked))
    else:
        table = pq.read_table(io.BytesIO(content))
        headings = next(csv.reader(direct.responses_csv(survey.revision, **asked)))
        assert table.column_names == headings
        assert table.num_rows == ROWS
        whole = b"".join(direct.responses_parquet(survey.revision, **asked))
        assert table.equals(pq.read_table(io.BytesIO(whole)))


def test_what_an_opening_has_not_finished_is_in_no_file(client, survey):
    store_rows(survey.revision, ["00"], opening=5)
    lines = body(taken(client, survey, written(survey))).decode().splitlines()
    assert len(lines) == 1 + ROWS


def test_the_direct_addresses_lead_to_the_page_of_files(client, survey):
    client.force_login(survey.owner)
    for name in ("surveys:responses", "surveys:responses-parquet"):
        reply = client.get(reverse(name, args=[survey.pk]))
        assert reply.url == reverse("surveys:exports", args=[survey.pk])


def test_the_page_says_how_far_a_file_is_and_until_when_it_stays(client, survey):
    client.force_login(survey.owner)
    page = reverse("surveys:exports", args=[survey.pk])
    client.post(reverse("surveys:ask-export", args=[survey.pk]), {"kind": "csv"})
    export = Export.objects.get()
    Export.objects.update(written=7)
    assert b"7 of 20 responses written" in client.get(page).content
    services.write(export.pk)
    shown = client.get(page).content.decode()
    assert reverse("surveys:export", args=[survey.pk, export.pk]) in shown
    assert "The file is deleted on" in shown


@pytest.mark.parametrize(
    ("asked_for", "first", "last"),
    [
        ("bytes=0-9", 0, 9),
        ("bytes=10-", 10, None),
        ("bytes=-5", -5, None),
        ("bytes=3-999999", 3, None),
    ],
)
def test_a_download_is_resumed(client, survey, asked_for, first, last):
    export = written(survey)
    whole = taken(client, survey, export)
    content = body(whole)
    assert (whole.status_code, whole.headers["Accept-Ranges"]) == (200, "bytes")
    resumed = {"range": asked_for, "if-range": whole.headers["ETag"]}
    part = taken(client, survey, export, **resumed)
    expected = content[first:] if last is None else content[first : last + 1]
    assert (part.status_code, body(part)) == (206, expected)
    start = first if first >= 0 else len(content) + first
    assert part.headers["Content-Range"] == (
        f"bytes {start}-{start + len(expected) - 1}/{len(content)}"
    )


@pytest.mark.parametrize("asked_for", ["bytes=5-2", "bytes=9999999-", "bytes=-0"])
def test_a_part_that_there_is_not_is_refused(client, survey, asked_for):
    export = written(survey)
    part = taken(client, survey, export, range=asked_for)
    assert (part.status_code, part.headers["Content-Range"]) == (416, f"bytes */{export.size}")


@pytest.mark.parametrize("asked_for", ["bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=a-"])
def test_what_is_no_single_range_gets_the_whole_file(client, survey, asked_for):
    assert taken(client, survey, written(survey), range=asked_for).status_code == 200


def test_a_part_never_continues_another_file(client, survey):
    old = written(survey)
    validator = taken(client, survey, old).headers["ETag"]
    new = written(survey)
    part = taken(client, survey, new, **{"range": "bytes=10-", "if-range": validator})
    assert part.status_code == 200
    assert taken(client, survey, old).status_code == 404


def test_each_download_is_in_the_audit_log_and_its_parts_are_so_once(client, survey):
    export = written(survey)
    downloads = AuditEntry.objects.filter(action="responses downloaded")
    for part in ("bytes=10-", "bytes=1-", "bytes=0-9"):
        taken(client, survey, export, range=part)
    assert [entry.after for entry in downloads] == [{"file": export.pk.hex[:8]}]
    taken(client, survey, export)
    taken(client, survey, export, range="bytes=10-")
    assert downloads.all().count() == 2
    assert AuditEntry.objects.filter(action="export asked for").count() == 1


def test_only_who_may_read_asks_and_only_who_asked_takes(client, survey):
    stranger, reader = factories.make_user("stranger"), factories.make_user("reader")
    Membership.objects.create(survey=survey, user=reader, role="analyst")
    with pytest.raises(NotAllowed):
        asked(survey, by=stranger)
    export = written(survey)
    for person in (stranger, reader):
        client.force_login(person)
        address = reverse("surveys:export", args=[survey.pk, export.pk])
        assert client.get(address).status_code == 404


def test_whose_role_is_taken_away_gets_no_file_that_was_written_before(client, survey):
    reader = factories.make_user("reader")
    member = Membership.objects.create(survey=survey, user=reader, role="analyst")
    export = asked(survey, by=reader)
    services.write(export.pk)
    client.force_login(reader)
    address = reverse("surveys:export", args=[survey.pk, export.pk])
    assert client.get(address).status_code == 200
    member.delete()
    assert client.get(address).status_code == 404


def test_one_of_each_kind_at_a_time(survey, owner):
    other = answered(owner)
    first = asked(survey)
    assert asked(survey) == first
    with pytest.raises(NotPossible):
        asked(other)
    assert asked(other, "parquet").kind == "parquet"
    Export.objects.filter(pk=first.pk).update(heard_at=timezone.now() - queries.SILENCE * 2)
    assert asked(other).revision == other.revision


def test_the_file_is_readable_by_its_owner_alone(survey):
    export = written(survey)
    assert stat.S_IMODE(files.path_of(export.pk).stat().st_mode) == 0o600
    assert stat.S_IMODE(files.directory().stat().st_mode) == 0o700


@pytest.mark.django_db(transaction=True)
def test_it_goes_after_a_day(client):
    survey = answered(factories.make_user())
    export = written(survey)
    later = timezone.now() - timedelta(days=1, minutes=1)
    Export.objects.update(finished_at=later)
    assert taken(client, survey, export).status_code == 404
    retention.keep_dates(now=timezone.now())
    assert (Export.objects.count(), files.keys()) == (0, set())


@pytest.mark.django_db(transaction=True)
def test_a_file_of_no_export_goes_with_the_next_run():
    survey = answered(factories.make_user())
    export = written(survey)
    stays = written(survey, "parquet")
    Export.objects.filter(pk=export.pk).delete()  # as with its person's account
    retention.keep_dates(now=timezone.now())
    assert files.keys() == {stays.pk}


@pytest.mark.django_db(transaction=True)
def test_it_goes_with_the_answers_and_its_bytes_are_overwritten(client):
    survey = answered(factories.make_user())
    export = written(survey)
    path = files.path_of(export.pk)
    beside = path.with_name("the same bytes")
    beside.hardlink_to(path)
    today = timezone.now().date()
    Survey.objects.filter(pk=survey.pk).update(delete_on=today)
    assert taken(client, survey, export).status_code == 404  # on the day, before any run
    retention.keep_dates(now=timezone.now())
    assert (Export.objects.count(), files.keys()) == (0, set())
    assert set(beside.read_bytes()) == {0}


def test_answers_that_are_erased_while_a_file_is_written_stay_in_none(survey, monkeypatch):
    export = asked(survey)
    parts = FORMATS["csv"].parts

    def erased_meanwhile(revision):
        for number, part in enumerate(parts(revision)):
            yield part
            if number == 0:
                services.destroy_files_of(survey)
                Export.objects.all().delete()

    form = FORMATS["csv"].__class__("Responses", "csv", "text/csv", erased_meanwhile)
    monkeypatch.setitem(FORMATS, "csv", form)
    services.write(export.pk)
    assert files.keys() == set()


def test_a_full_disk_is_said_and_leaves_nothing(client, survey, settings, tmp_path):
    export = asked(survey)
    settings.EXPORTS_DIR = tmp_path / "file" / "below"
    (tmp_path / "file").write_text("no directory")
    services.write(export.pk)
    settings.EXPORTS_DIR = tmp_path / "exports"
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:exports", args=[survey.pk])).content
    assert b"could not be written" in page
