"""Catalogues in the admin: own ones only, items from a file after a look at it."""

import time
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from ranking.models import PendingImport
from surveys.models import AuditEntry, Catalogue, CatalogueItem
from tests import factories
from tests.ranking import rated


@pytest.fixture
def catalogue(owner) -> Catalogue:
    return rated.make_catalogue(owner, "Algebra")


def address(catalogue, name: str = "import") -> str:
    return reverse(f"admin:surveys_catalogue_{name}", args=[catalogue.pk])


def upload(client, catalogue, text: str, name: str = "items.csv"):
    file = SimpleUploadedFile(name, text.encode())
    return client.post(address(catalogue), {"file": file, "_preview": "1"}, follow=True)


def test_a_catalogue_is_made_renamed_and_deleted(staff, owner):
    add = reverse("admin:surveys_catalogue_add")
    staff.post(add, {"name": "Units"})
    catalogue = Catalogue.objects.get()
    assert catalogue.owner == owner
    again = staff.post(add, {"name": "Units"})
    assert (
        "A catalogue with this name exists already. Choose another name." in again.content.decode()
    )
    staff.post(address(catalogue, "change"), {"name": "Course units"})
    staff.post(address(catalogue, "delete"), {"post": "yes"})
    assert not Catalogue.objects.exists()
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["catalogue made", "catalogue renamed", "catalogue deleted"]


def test_a_file_is_looked_at_before_its_items_are_made(staff, catalogue):
    text = upload(staff, catalogue, "name,1,2\nB,1,2\nČeština,3,4\n").content.decode()
    assert "2 items to import" in text
    assert "Čeština" in text
    assert "3, 4" in text
    assert CatalogueItem.objects.count() == 1
    text = staff.post(address(catalogue), {"_import": "1"}, follow=True).content.decode()
    assert "2 items imported" in text
    assert CatalogueItem.objects.count() == 3


def test_lines_that_cannot_be_used_are_listed_and_nothing_is_made(staff, catalogue):
    text = upload(staff, catalogue, "B,1,2\nC,1,<b>\n").content.decode()
    assert "Nothing was imported" in text
    assert "line 2: count 2 must be a number of 0 or more, not “&lt;b&gt;”" in text
    assert "items to import" not in text


MOST = 0.05


def used(act: Callable[[], object]) -> float:
    """Seconds of CPU, the least of some: what else the machine does is not ours.

    Of one that costs more than ``MOST`` no try costs less; of others one of forty is undisturbed,
    also on a machine whose cores are shared by six processes.
    """
    least = float("inf")
    for _ in range(40):
        start = time.process_time()
        act()
        least = min(least, time.process_time() - start)
        if least <= MOST:
            break
    return least


def file_of_many(catalogue: Catalogue) -> PendingImport:
    """400,000 items that wait, without the seconds that reading them once takes."""
    content = b"".join(b"Item %d,1,2\n" % number for number in range(400_000))
    shown = [[f"Item {number}", [1, 2]] for number in range(20)]
    return PendingImport.objects.create(
        catalogue=catalogue, form="csv", content=content, items=400_000, preview=shown
    )


@pytest.mark.both_databases
def test_a_small_file_costs_at_most_50_ms_however_many_items_wait(staff, catalogue):
    """It read all that waited for each: 4.35 s for a file of 12 bytes that could not be used."""
    file_of_many(catalogue)
    assert used(lambda: upload(staff, catalogue, "B,1,2\nC,1,x\n")) <= MOST
    assert used(lambda: staff.get(address(catalogue))) <= MOST
    page = staff.get(address(catalogue)).content.decode()
    assert "400,000" in page
    assert "Item 19" in page
    assert "and 399,980 more." in page
    assert used(lambda: upload(staff, catalogue, "B,1,2\nC,3,4\n")) <= MOST
    assert PendingImport.objects.get().items == 2


def test_what_waits_is_read_again_only_to_be_imported(staff, catalogue):
    upload(staff, catalogue, "B,1,2\nC,3,4\n")
    PendingImport.objects.update(content=b"\xff")
    page = staff.get(address(catalogue)).content.decode()
    assert "2 items to import" in page
    assert "3, 4" in page


@pytest.mark.parametrize("name", ["items.xlsx", "items"])
def test_other_files_are_refused(staff, catalogue, name):
    assert "ends in .csv or .json" in upload(staff, catalogue, "B\n", name).content.decode()


def test_without_a_file_the_form_says_so(staff, catalogue):
    text = staff.post(address(catalogue), {"_preview": "1"}).content.decode()
    assert "This field is required" in text


def test_a_dropped_file_is_gone(staff, catalogue):
    upload(staff, catalogue, "B\n")
    staff.post(address(catalogue), {"_drop": "1"})
    text = staff.post(address(catalogue), {"_import": "1"}).content.decode()
    assert (
        "Nothing was imported, because the file that you chose was already imported or discarded."
        in text
    )


def test_somebody_elses_catalogues_are_not_there(client, catalogue):
    client.force_login(factories.make_user("eve"))
    for name in ("import", "change", "delete"):
        assert client.get(address(catalogue, name)).status_code == 404
    item = catalogue.items.get()
    assert (
        client.get(reverse("admin:surveys_catalogueitem_change", args=[item.pk])).status_code == 404
    )
    for kind in ("catalogue", "catalogueitem"):
        listed = client.get(reverse(f"admin:surveys_{kind}_changelist")).content.decode()
        assert "Algebra" not in listed
        assert catalogue.name not in listed


def test_after_launch_nothing_can_be_changed(staff, catalogue, owner):
    rated.make_rated_survey(owner, catalogue)
    assert staff.get(address(catalogue)).status_code == 403
    change = staff.get(address(catalogue, "change"))
    assert "frozen" in change.content.decode()
    assert staff.post(address(catalogue, "change"), {"name": "Other"}).status_code == 403
    assert staff.post(address(catalogue, "delete"), {"post": "yes"}).status_code == 403


def test_an_item_is_added_changed_and_deleted(staff, catalogue):
    add = reverse("admin:surveys_catalogueitem_add")
    staff.post(add, {"catalogue": catalogue.pk, "name": "Drama", "starting": "[1, 2]"})
    item = CatalogueItem.objects.get(name="Drama")
    assert (item.number, item.starting) == (2, [1, 2])
    change = reverse("admin:surveys_catalogueitem_change", args=[item.pk])
    refused = staff.post(change, {"name": "Algebra", "starting": "[]"})
    assert refused.status_code == 200
    staff.post(change, {"name": "Theatre", "starting": "[]"})
    item.refresh_from_db()
    assert (item.name, item.starting) == ("Theatre", [])
    first = catalogue.items.get(number=1)
    delete = reverse("admin:surveys_catalogueitem_delete", args=[first.pk])
    staff.post(delete, {"post": "yes"})
    item.refresh_from_db()
    assert item.number == 1


def test_items_are_found_by_name_and_catalogue(staff, catalogue, owner):
    rated.make_catalogue(owner, "Drama")
    listed = reverse("admin:surveys_catalogueitem_changelist")
    assert "Drama" not in staff.get(f"{listed}?q=alg").content.decode()
    only = staff.get(f"{listed}?catalogue__id__exact={catalogue.pk}").content.decode()
    assert "Algebra" in only
    assert ">Drama<" not in only
