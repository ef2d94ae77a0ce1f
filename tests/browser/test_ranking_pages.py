"""A ranking in Chromium: accessible, reflowing, previewed at once, usable without a script."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from ranking.models import RankingChoice
from tests import accessible
from tests.browser.following import follow
from tests.ranking import rated
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
NAMES = [f"Unit {number:02}" for number in range(60)] + ["Donaudampfschifffahrt" * 6]


def make_ranking(owner, *, epsilon=None, is_rated=True):
    catalogue = rated.make_catalogue(owner, *NAMES)
    survey = rated.make_rated_survey(owner, catalogue, epsilon=epsilon, title="Units")
    if is_rated:
        rated.count(survey, *([1 + 7 * n % 11, 5, 1 + 3 * n % 17] for n in range(len(NAMES))))
    return survey


@pytest.fixture
def survey(root):
    """An open ranking."""
    return make_ranking(root)


@pytest.fixture
def surveys(root, survey):
    """An open and a randomized ranking, and one without ratings."""
    return [survey, make_ranking(root, epsilon="2"), make_ranking(root, is_rated=False)]


def address(survey, name: str = "table") -> str:
    return reverse(f"ranking:{name}", args=[survey.pk, 2])


def addresses(surveys) -> list[str]:
    first, second, empty = surveys
    catalogue = rated.question_of(empty).revision.survey.questions.last().catalogue
    unused = rated.make_catalogue(first.owner, "Loose")
    return [
        address(first),
        address(first) + "?compare=on&order=cautious&prior=fixed&fixed=1,1,1&page=2",
        address(first) + "?u1=x&prior=average&strength=-1&q=Unit+1",
        address(first) + "?q=nothing+like+it",
        address(second) + "?compare=on&page=2",
        address(empty),
        address(first, "history"),
        reverse("ranking:overview", args=[first.pk]),
        reverse("admin:surveys_catalogue_change", args=[catalogue.pk]),
        reverse("admin:surveys_catalogue_import", args=[unused.pk]),
    ]


@pytest.mark.audit
def test_every_page_is_accessible_reflows_and_keeps_the_policy(watched_page, server, surveys):
    page = watched_page
    log_in(page, server, "root")
    for place in addresses(surveys):
        page.goto(server.url + place)
        if "/admin/" not in place:
            accessible.check(page, place)
        assert page.evaluate("violations") == [], place


def test_a_phone_shows_rank_name_score_and_the_whole_caption_without_scrolling_sideways(
    page, server, survey
):
    log_in(page, server, "root")
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(server.url + address(survey) + "?q=Unit+1")
    visible = page.locator("#ranking-result .scroll").first.bounding_box()
    table = page.locator("table.ranking")
    score = table.locator("tbody tr").first.locator("td.number strong").bounding_box()
    assert score["x"] + score["width"] <= visible["x"] + visible["width"]
    form = page.locator("#ranking-form").bounding_box()
    assert visible["y"] < form["y"], "what people came for stands before how to change it"
    caption = table.locator("caption").bounding_box()
    assert caption["x"] + caption["width"] <= visible["x"] + visible["width"]


def test_a_utility_is_typed_and_the_preview_follows_without_a_reload(page, server, survey):
    log_in(page, server, "root")
    page.goto(server.url + address(survey))
    page.evaluate("window.same = true")
    page.get_by_label("Good", exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("-9")
    expect(page.locator("#ranking-result")).to_contain_text("between −9 and 2")
    expect(page.locator("#ranking-status")).to_have_text("The preview was updated.")
    assert page.evaluate("window.same")
    assert "u3=-9" in page.url
    assert not RankingChoice.objects.exists()
    page.get_by_role("button", name="Save for everyone").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text(
        "All people who open this page now see these settings"
    )
    assert RankingChoice.objects.get().utilities == "1,2,-9"


@pytest.mark.audit
def test_without_a_script_the_form_previews_and_saves(page_without_script, server, survey):
    page = page_without_script
    log_in(page, server, "root")
    page.goto(server.url + address(survey))
    page.get_by_label("Order by").select_option("cautious")
    follow(page.get_by_role("button", name="Show", exact=True))
    assert "in cautious order" in page.locator("main").inner_text()
    follow(page.get_by_role("link", name="Next"))
    assert "Page 2 of 2" in page.locator("main").inner_text()
    follow(page.get_by_role("button", name="Save for everyone"))
    assert (
        "All people who open this page now see these settings" in page.locator("main").inner_text()
    )


@pytest.mark.audit  # tests/ranking imports without a browser
def test_a_file_is_imported_by_hand(page, server, root):
    catalogue = rated.make_catalogue(root, "Loose")
    log_in(page, server, "root")
    page.goto(server.url + reverse("admin:surveys_catalogue_change", args=[catalogue.pk]))
    follow(page.get_by_role("link", name="Import items from a file"))
    file = {"name": "units.csv", "mimeType": "text/csv", "buffer": b"A,1,2\nB,3,4\n"}
    page.set_input_files("input[type=file]", [file])
    follow(page.get_by_role("button", name="Preview"))
    assert "2 items to import" in page.inner_text("main, #content")
    follow(page.get_by_role("button", name="Import all items"))
    assert "2 items imported" in page.inner_text(".messagelist")
