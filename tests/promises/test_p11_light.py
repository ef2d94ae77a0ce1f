"""P11: a respondent's page is light, and its script is short enough to be read."""

import re
from collections import Counter

import pytest

from tests.browser import answering
from tests.conftest import ROOT
from tests.factories import (
    add_rating,
    launched,
    make_catalogue,
    make_lists,
    make_open_survey,
    make_other_survey,
    make_survey,
)

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPTS = sorted((ROOT / "static" / "surveys" / "collecting").glob("*.js"))
EVERY_PAGE = ["channel.js", "invitation.js", "send.js", "steps.js"]
WHERE_QUESTIONS_ARE_DRAWN = "subset.js"
KILOBYTE = 1024


class Network:
    """What the browser transferred, headers included, as its network panel counts it."""

    def __init__(self, page) -> None:
        self.sizes: list[float] = []
        self.addresses: list[str] = []
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": False})
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._finished)

    def _asked(self, event) -> None:
        self.addresses.append(event["request"]["url"])

    def _finished(self, event) -> None:
        self.sizes.append(event["encodedDataLength"])


def test_the_whole_way_needs_at_most_8_requests_and_60_kilobytes(page, server, survey):
    network = Network(page)
    answering.answer_whole_survey(page, server, survey)
    assert 6 <= len(network.addresses) <= 8, network.addresses
    assert Counter(network.addresses).most_common(1)[0][1] == 1
    assert 2 * KILOBYTE < sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.parametrize("name", ["own-coin", "how-it-works"])
def test_the_other_pages_are_as_light(page, server, survey, name):
    network = Network(page)
    page.goto(answering.address(server, survey, name), wait_until="networkidle")
    assert len(network.addresses) <= 8
    assert sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.parametrize(
    "name",
    ["start", *(pytest.param(n, marks=pytest.mark.audit) for n in ("own-coin", "how-it-works"))],
)
def test_surveys_with_second_questions_are_as_light(page, server, owner, name):
    network = Network(page)
    address = answering.address(server, make_other_survey(owner), name)
    page.goto(address, wait_until="networkidle")
    assert len(network.addresses) <= 8
    assert sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.parametrize("levels", [pytest.param(5, marks=pytest.mark.audit), 11])
def test_rating_fifty_items_is_as_light(page, server, owner, levels):
    """The whole way, receipt included, with names as long as titles of books are."""
    catalogue = make_catalogue(owner, 50)
    for item in catalogue.items.all():
        catalogue.items.filter(pk=item.pk).update(
            name=f"{item.name}, with a title of fifty letters"
        )
    draft = make_survey(owner)
    scale = [f"Level {level}" for level in range(levels)]
    add_rating(draft, *scale, catalogue=catalogue, design="k_ary", epsilon=5)
    survey = launched(draft)
    network = Network(page)
    answering.go_to_questions(page, server, survey)
    answering.press(page, "Continue")
    answering.send(page)
    assert len(network.addresses) <= 8
    assert 20 * KILOBYTE < sum(network.sizes) <= 60 * KILOBYTE, network.sizes


@pytest.mark.parametrize(
    "name",
    ["start", *(pytest.param(n, marks=pytest.mark.audit) for n in ("own-coin", "how-it-works"))],
)
def test_surveys_with_long_lists_are_as_light(page, server, owner, name):
    network = Network(page)
    address = answering.address(server, make_lists(owner), name)
    page.goto(address, wait_until="networkidle")
    assert len(network.addresses) <= 8
    assert sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.parametrize("subset", [None, 2])
def test_the_preloaded_modules_are_exactly_those_that_are_imported(page, server, owner, subset):
    survey = make_open_survey(owner, asked=subset)
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    answering.open_start(page, server, survey)
    preloaded = page.locator("link[rel=modulepreload]").evaluate_all(
        "links => links.map((link) => [link.href, link.integrity])"
    )
    scripts = [address for address in asked if address.endswith(".js")]
    assert sorted(scripts) == sorted(address for address, _ in preloaded)
    assert all(integrity.startswith("sha384-") for _, integrity in preloaded)
    assert len(scripts) == len(EVERY_PAGE) + (subset is not None)
    assert page.locator("script").count() == 1
    assert page.locator("script[integrity^=sha384-]").count() == 1
    assert complaints == []


def test_a_changed_script_is_not_run(page, server, survey):
    def change(route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, body=reply.text() + "\n// changed")

    page.route("**/surveys/collecting/channel*.js", change)
    page.goto(answering.address(server, survey), wait_until="networkidle")
    page.get_by_text("script is not running").wait_for(state="visible")
    assert not page.get_by_role("button", name="Start").is_visible()
    assert page.get_by_role("link", name="Use my own coin").is_visible()


def test_the_script_has_at_most_500_readable_lines_and_50_more_where_questions_are_drawn():
    lines = {script.name: script.read_text().splitlines() for script in SCRIPTS}
    assert list(lines) == [*EVERY_PAGE, WHERE_QUESTIONS_ARE_DRAWN]
    assert sum(len(lines[name]) for name in EVERY_PAGE) <= 500
    assert len(lines[WHERE_QUESTIONS_ARE_DRAWN]) <= 50
    assert max(len(line) for script in lines.values() for line in script) <= 100


def test_the_script_imports_nothing_from_elsewhere():
    for script in SCRIPTS:
        text = script.read_text()
        imported = re.findall(r'\b(?:from|import)\s+"([^"]+)"', text)
        assert len(re.findall(r"\bimport\b", text)) == len(imported)
        assert set(imported) <= {f"./{other.name}" for other in SCRIPTS}
        assert not re.search(r"https?:|\beval\b|\bFunction\(|innerHTML|Storage\b|cookie", text)
