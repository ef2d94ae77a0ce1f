"""P11: a respondent's page is light, and its script is short enough to be read."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from playwright.sync_api import CDPSession, Page

from surveys.collecting import scripts as run_by_pages
from surveys.collecting.scripts import CORE, REPLIES, Script, scripts_of, too_long
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.trust.bundles import BUNDLES, CURVES, HPKE
from surveys.web.static_files import integrity
from tests.browser import answering
from tests.conftest import ROOT
from tests.factories import (
    add_condition,
    add_one_of_each,
    add_question,
    add_rating,
    add_text,
    add_ticks,
    launched,
    make_catalogue,
    make_lists,
    make_open_survey,
    make_other_survey,
    make_survey,
)
from tests.locked_texts import locked_survey
from tests.sixty import make_sixty
from tests.surveys.authoring.text_keys import add_key, new_key
from tests.surveys.authoring.trustees import counted_draft

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
FILES = sorted((ROOT / "static" / "surveys" / "collecting").glob("*.js"))
CORE_LINES, REPLY_LINES = 420, 60  # of the core, and of what shows replies
MOST_LINES = 800  # of all that one revision can need
MOST_REQUESTS = 14  # to open a page
OTHERS = 2  # of them files of others' cryptography
KILOBYTE = 1024
OTHER_FILES = (
    *(
        "send",
        "replies",
        "invitation",
        "practice",
        "lists",
        "parts",
        "subset",
        "logic",
        "steps",
        "channel",
    ),
)


class Network:
    """What the browser transferred, headers included, as its network panel counts it."""

    def __init__(self, session: CDPSession) -> None:
        self.sizes: list[float] = []
        self.addresses: list[str] = []
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})  # as on a first visit
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._finished)

    def _asked(self, event) -> None:
        self.addresses.append(event["request"]["url"])

    def _finished(self, event) -> None:
        self.sizes.append(event["encodedDataLength"])


@pytest.fixture
def network(page: Page) -> Iterator[Network]:
    session = page.context.new_cdp_session(page)
    yield Network(session)
    session.detach()


def test_the_whole_way_needs_at_most_14_requests_and_60_kilobytes(page, network, server, survey):
    answering.answer_whole_survey(page, server, survey)
    assert 6 <= len(network.addresses) <= MOST_REQUESTS, network.addresses
    assert Counter(network.addresses).most_common(1)[0][1] == 1
    assert 2 * KILOBYTE < sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.parametrize("name", ["own-coin", "how-it-works"])
def test_the_other_pages_are_as_light(page, network, server, survey, name):
    page.goto(answering.address(server, survey, name), wait_until="networkidle")
    assert len(network.addresses) <= MOST_REQUESTS
    assert sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.audit  # they are among the sixty below
@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
def test_surveys_with_second_questions_are_as_light(page, network, server, owner, name):
    address = answering.address(server, make_other_survey(owner), name)
    page.goto(address, wait_until="networkidle")
    assert len(network.addresses) <= MOST_REQUESTS
    assert sum(network.sizes) <= 60 * KILOBYTE


@pytest.mark.parametrize("levels", [pytest.param(5, marks=pytest.mark.audit), 11])
def test_rating_fifty_items_is_as_light(page, network, server, owner, levels):
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
    answering.go_to_questions(page, server, survey)
    answering.press(page, "Continue")
    answering.send(page)
    assert len(network.addresses) <= MOST_REQUESTS
    assert 20 * KILOBYTE < sum(network.sizes) <= 60 * KILOBYTE, network.sizes


@pytest.mark.parametrize(
    "name",
    ["start", *(pytest.param(n, marks=pytest.mark.audit) for n in ("own-coin", "how-it-works"))],
)
def test_surveys_with_long_lists_are_as_light(page, network, server, owner, name):
    address = answering.address(server, make_lists(owner), name)
    page.goto(address, wait_until="networkidle")
    assert len(network.addresses) <= MOST_REQUESTS
    assert sum(network.sizes) <= 60 * KILOBYTE


def test_sixty_questions_of_every_kind_are_as_light(page, network, server, owner):
    survey = make_sixty(owner)
    page.goto(answering.address(server, survey), wait_until="networkidle")
    assert len(network.addresses) <= MOST_REQUESTS
    assert 20 * KILOBYTE < sum(network.sizes) <= 60 * KILOBYTE, network.sizes
    scripts = scripts_of(questionnaire_of(survey.revision))
    assert sum(len(_lines(script)) for script in scripts) <= MOST_LINES
    further = [one for one in further_scripts() if one not in scripts]
    assert all(too_long([*scripts, *two]) for two in combinations(further, 2))


def make_everything(owner) -> Survey:
    """A survey whose page needs nearly every file; together all would be too many lines."""
    last_day = timezone.now().date() + timedelta(days=30)
    sealed = {"opening": Survey.Opening.CLOSE, "close_on": last_day, "batch_size": 5}
    draft = make_survey(owner, invitation_only=True, **sealed)
    add_one_of_each(draft)
    add_text(draft)
    add_ticks(draft)
    car = draft.questions.get(text="Do you own a car?")
    add_condition(draft.questions.get(kind="text"), car)
    return launched(draft)


def test_the_scripts_of_a_page_are_exactly_those_that_its_revision_needs(
    page, network, server, owner
):
    names = {"channel", "send", "replies", "steps"}
    draft = make_survey(owner)
    add_question(draft, design="direct")
    for survey, more in (
        (launched(draft), set()),
        (make_open_survey(owner, asked=2), {"practice", "typed", "subset"}),
        (make_lists(owner), {"practice", "lists"}),
    ):
        network.addresses.clear()
        answering.open_start(page, server, survey)
        tags = page.locator("script").evaluate_all(
            "scripts => scripts.map(({ type, src, integrity }) => [type, src, integrity])"
        )
        asked = [address for address in network.addresses if address.endswith(".js")]
        assert sorted(asked) == sorted(address for _, address, _ in tags)
        assert {address.split("/")[-1].split(".")[0] for address in asked} == names | more
        assert all(kind == "module" for kind, _, _ in tags)
        assert all(integrity.startswith("sha384-") for _, _, integrity in tags)


@pytest.mark.parametrize(
    "name",
    [
        "typed",
        *(pytest.param(name, marks=pytest.mark.audit) for name in OTHER_FILES),
    ],
)
def test_a_page_with_one_changed_script_asks_nothing_and_offers_the_own_coin(
    fresh_page, server, owner, name
):
    def change(route) -> None:
        name = route.request.url.removeprefix(server.url + settings.STATIC_URL)
        served = (Path(settings.STATIC_ROOT) / name).read_text()
        route.fulfill(body=f"{served}// changed", content_type="text/javascript")

    makes = {"lists": make_lists, "subset": partial(make_open_survey, asked=2)}
    survey = makes.get(name, make_everything)(owner)
    # Before the page is opened at all: the browser's memory would serve the script as it was.
    fresh_page.route(f"**{staticfiles_storage.url(f'surveys/collecting/{name}.js')}", change)
    fresh_page.goto(answering.address(server, survey))
    fresh_page.locator("p[data-without-script]").wait_for(state="visible")
    assert not fresh_page.get_by_role("button", name="Start").last.is_visible()
    has_own_coin = name != "lists"  # only the script can draw which of their options are marked
    assert fresh_page.get_by_role("link", name="Use my own coin").last.is_visible() is has_own_coin


def further_scripts() -> list[Script]:
    """Every file of ours that some page runs beside the core."""
    named = [one for one in vars(run_by_pages).values() if isinstance(one, Script)]
    return [one for one in named if one not in CORE and one.bundle is None]


def combinations_of_files() -> Iterator[tuple[Script, ...]]:
    """All that pages could run, each with the core: twice as many for each further file."""
    further = further_scripts()
    for count in range(len(further) + 1):
        for chosen in combinations(further, count):
            yield (*CORE, *chosen)


def test_the_core_has_at_most_420_readable_lines():
    scripts = [*CORE, *further_scripts()]
    assert sorted(f"{script.name}.js" for script in scripts) == [file.name for file in FILES]
    assert len(_lines(REPLIES)) <= REPLY_LINES
    assert sum(len(_lines(script)) for script in CORE if script is not REPLIES) <= CORE_LINES
    assert max(len(line) for script in scripts for line in _lines(script)) <= 100


def test_no_revision_is_launched_whose_page_runs_more_than_800_lines_or_asks_14_times():
    """All that launch accepts are short enough, and it refuses no others."""
    lines = {script: len(_lines(script)) for script in [*CORE, *further_scripts()]}
    for scripts in combinations_of_files():
        is_short = sum(lines[script] for script in scripts) <= MOST_LINES
        is_light = len(scripts) + len(["the page", "its style", "its icon"]) <= MOST_REQUESTS
        assert (too_long(scripts) == "") == (is_short and is_light)


def test_a_page_that_would_run_more_is_refused_with_what_makes_it_long():
    scripts = [*CORE, *2 * further_scripts()]
    total = sum(len(_lines(script)) for script in scripts)
    reason = too_long(scripts)
    assert f"{total} lines of script" in reason
    assert all(f"{one.name} {len(_lines(one))}" in reason for one in further_scripts())


def test_lines_of_others_are_not_counted_their_requests_are_and_they_are_at_most_two():
    others = [one for one in vars(run_by_pages).values() if isinstance(one, Script) and one.bundle]
    assert [one.others for one in others] == [
        f"hpke {HPKE.version}",
        f"@noble/curves {CURVES.version}",
    ]
    assert len(others) <= OTHERS
    assert too_long([*CORE, *others]) == ""
    few = sorted(further_scripts(), key=lambda one: one.lines)[: MOST_REQUESTS - 3 - len(CORE)]
    assert too_long([*CORE, *few]) == ""
    scripts = [*CORE, *few, *others]
    assert f"in {len(scripts)} files" in too_long(scripts)


def others_of(survey: Survey) -> list[str]:
    """The files of others' cryptography that its page loads."""
    return [one.path for one in scripts_of(questionnaire_of(survey.revision)) if one.bundle]


def test_a_page_loads_the_cryptography_of_others_that_it_needs_and_no_more(owner):
    assert others_of(locked_survey(owner, new_key("Registry"))) == [HPKE.path]
    assert others_of(launched(counted_draft(owner))) == [CURVES.path]


def test_a_page_that_seals_texts_and_locks_what_is_counted_is_as_light(
    page, network, server, owner
):
    draft = counted_draft(owner)
    add_question(draft)
    add_text(draft)
    for layer, name in enumerate(("Registry", "Institute"), start=1):
        add_key(draft, new_key(name), layer)
    survey = launched(draft)
    page.goto(answering.address(server, survey), wait_until="networkidle")
    assert len(network.addresses) <= MOST_REQUESTS
    assert 20 * KILOBYTE < sum(network.sizes) <= 60 * KILOBYTE, network.sizes
    assert others_of(survey) == [HPKE.path, CURVES.path]
    page.goto(answering.address(server, survey, "how-it-works"))
    words = " ".join(page.locator("main").inner_text().split())
    for bundle in BUNDLES:
        assert f"{bundle.path} {bundle.package} {bundle.version}. It " in words
        assert integrity(bundle.path) in words


def test_how_it_works_names_each_script_with_a_sentence_and_its_fingerprint(client, owner):
    survey = make_everything(owner)
    words = client.get(reverse("respondent:how-it-works", args=[survey.pk])).content.decode()
    scripts = scripts_of(questionnaire_of(survey.revision))
    assert words.count("<code>sha384-") == len(scripts) + len(["the icon"])
    for script in scripts:
        assert escape(str(script.sentence)) in words
        assert f"<code>{integrity(script.path)}</code>" in words
    icon = "surveys/collecting/icon.svg"  # HTML has no integrity for icons
    assert f'href="{staticfiles_storage.url(icon)}"' in words.partition("<main>")[2]
    assert f"<code>{integrity(icon)}</code>" in words


def _lines(script: Script) -> list[str]:
    return (ROOT / "static" / script.path).read_text().splitlines()


def test_the_script_imports_nothing_from_elsewhere():
    for file in FILES:
        text = file.read_text()
        imported = re.findall(r'\b(?:from|import)\s+"([^"]+)"', text)
        assert len(re.findall(r"\bimport\b", text)) == len(imported)
        others = {f"../../{bundle.path}" for bundle in BUNDLES}
        assert set(imported) <= {f"./{other.name}" for other in FILES} | others
        assert not re.search(r"https?:|\beval\b|\bFunction\(|innerHTML|Storage\b|cookie", text)
