"""Where the operator asks for work, the page does it before it sends, and nobody is locked out."""

import pytest

from surveys.models import Response
from tests.browser import answering
from tests.conftest import Server
from tests.load import gunicorn

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_page_works_before_it_sends_and_idle_senders_have_a_tenth(page, survey, tmp_path):
    log = tmp_path / "log.txt"
    limits = {"DENIABLE_PROOF_OF_WORK_BITS": "10", "DENIABLE_SUBMISSIONS_PER_HOUR": "10"}
    with gunicorn(log, workers=1, **limits) as running:
        server = Server(f"http://127.0.0.1:{running.port}", running.process, log)
        for sent in range(2):
            answering.answer_whole_survey(page, server, survey)
            assert Response.objects.count() == sent + 1
        for heading in ("This is everything that was sent", "Too many answers"):
            page.goto(answering.address(server, survey, "own-coin"))
            answering.fill_own_coin(page, answering.OWN_COIN)
            answering.press(page, "Send")
            page.wait_for_url("**/send/")
            assert answering.heading(page).startswith(heading)
        assert page.get_by_role("button", name="Send again").is_visible()
        assert Response.objects.count() == 3
