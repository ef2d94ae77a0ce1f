"""Above a network's limit the page works before it sends again, and tells no one of it."""

from functools import partial

import pytest

from surveys.models import Question, SubmissionKey
from tests import factories
from tests.browser import answering
from tests.conftest import Server
from tests.factories import add_question
from tests.load import gunicorn

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(
        make=factories.launched_with(partial(add_question, design=Question.Design.DIRECT))
    ),
]


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
        for heading in (
            "This is everything that was sent",
            "These answers were not stored: too many",
        ):
            page.goto(answering.address(server, survey, "own-coin"))
            answering.fill_own_coin(page, {"Have you ever shoplifted?": "Yes"})
            answering.press(page, "Send")
            page.wait_for_url("**/send/")
            assert answering.heading(page).startswith(heading)
        assert page.get_by_role("button", name="Send again").is_visible()
        assert SubmissionKey.objects.count() == 3


@pytest.mark.parametrize("bits", ["23", "40"])
def test_a_reply_that_asks_for_more_work_than_ours_is_none_of_ours(page, server, survey, bits):
    """22 bits take seconds; with 40 the page would work for months."""
    asked = []

    def refuse(route) -> None:
        asked.append(route.request.headers.get("deniable-work"))
        route.fulfill(status=429, body=f'{{"reply":"work","bits":{bits}}}')

    answering.go_to_questions(page, server, survey)
    answering.give(page, "Yes")
    answering.press(page, "Continue")
    page.route("**/send/", refuse)
    answering.press(page, "Send")
    page.get_by_role("heading", name="No reply arrived").wait_for()
    assert asked == [None]
    page.unroute("**/send/")
    answering.press(page, "Send again")
    page.get_by_role("heading", name="This is everything that was sent").wait_for()
    assert SubmissionKey.objects.count() == 1
