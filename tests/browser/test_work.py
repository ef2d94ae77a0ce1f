"""Above a network's limit the page works before it sends again, and tells no one of it."""

import pytest

from surveys.models import Question, SubmissionKey
from tests.browser import answering
from tests.conftest import Server
from tests.factories import add_question, launched, make_survey
from tests.load import gunicorn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


@pytest.fixture
def survey(owner):
    draft = make_survey(owner)
    add_question(draft, design=Question.Design.DIRECT)
    return launched(draft)


def test_above_the_limit_the_page_works_and_without_script_there_is_another(page, survey, tmp_path):
    log = tmp_path / "log.txt"
    more = {"workers": 1, "DENIABLE_SUBMISSIONS_PER_HOUR": "1"}
    with gunicorn(log, "-c", "tests/easy_work.py", **more) as running:
        server = Server(f"http://127.0.0.1:{running.port}", running.process, log)
        replies = []
        page.on("response", lambda reply: replies.append((reply.request.method, reply.status)))
        for sent in range(2):
            answering.answer_whole_survey(page, server, survey, ("Yes",))
            assert SubmissionKey.objects.count() == sent + 1
        posted = [status for method, status in replies if method == "POST"]
        assert posted == [200, 429, 200]
        for heading in ("This is everything that was sent", "Too many answers"):
            page.goto(answering.address(server, survey, "own-coin"))
            answering.fill_own_coin(page, {"Have you ever shoplifted?": "Yes"})
            answering.press(page, "Send")
            page.wait_for_url("**/send/")
            assert answering.heading(page).startswith(heading)
        assert page.get_by_role("button", name="Send again").is_visible()
        assert SubmissionKey.objects.count() == 3
