"""The page of locked tables: files are uploaded by keyboard, each state fits a narrow page."""

import pytest
from django.urls import reverse

from surveys.models import TallyFile
from surveys.trust.digests import canonical
from tests import accessible
from tests.browser.following import another_page
from tests.tallied import closed_survey, files_of, hand_in, noise_of
from tests.tour import log_in

pytestmark = [
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
]


def test_files_go_in_by_keyboard_and_the_counts_fit_a_narrow_page(page, server, owner, tmp_path):
    survey = closed_survey(owner, 0, 0, 2, 5, 6, 6)
    log_in(page, server, owner.username)
    address = server.url + reverse("surveys:locked", args=[survey.pk])
    page.goto(address)
    accessible.check_narrow(page, "locked tables, list ready")
    file = tmp_path / "noise.json"
    file.write_bytes(b"{}")
    page.set_input_files("input[type=file]", file)
    page.locator("input[type=file]").focus()
    page.keyboard.press("Tab")
    with another_page(page):
        page.keyboard.press("Enter")
    assert "This file does not come from a trustee." in page.content()
    accessible.check_narrow(page, "locked tables, refused")
    file.write_bytes(canonical(noise_of(survey, 1)))
    page.set_input_files("input[type=file]", file)
    page.locator("input[type=file]").focus()
    page.keyboard.press("Tab")
    with another_page(page):
        page.keyboard.press("Enter")
    assert "Uploaded: the noise file of Ada." in page.content()
    assert TallyFile.objects.filter(kind="noise").count() == 1
    hand_in(survey, *files_of(survey)[1:])
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    accessible.check_narrow(page, "locked tables, opened")
