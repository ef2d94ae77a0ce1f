"""Above a network's limit the page works before it sends again, and tells no one of it."""

import pytest

from surveys.models import SubmissionKey
from tests.browser import answering
from tests.conftest import Server
from tests.load import gunicorn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


def test_above_the_limit_the_page_works_and_without_script_there_is_another(page, survey, tmp_path):
    log = tmp_path / "log.txt"
    with gunicorn(log, workers=1, DENIABLE_SUBMISSIONS_PER_HOUR="1") as running:
        server = Server(f"http://127.0.0.1:{running.port}", running.process, log)
        for sent in range(2):
            answering.answer_whole_survey(page, server, survey)
            assert SubmissionKey.objects.count() == sent + 1
        for heading in ("This is everything that was sent", "Too many answers"):
            page.goto(answering.address(server, survey, "own-coin"))
            answering.fill_own_coin(page, answering.OWN_COIN)
            answering.press(page, "Send")
            page.wait_for_url("**/send/")
            assert answering.heading(page).startswith(heading)
        assert page.get_by_role("button", name="Send again").is_visible()
        assert SubmissionKey.objects.count() == 3
