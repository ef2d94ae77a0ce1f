"""Topic reports in Chromium: asked for, watched, cancelled, repeated, compared and downloaded."""

import json

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from analytics.models import Report
from surveys.models import AuditEntry, Comment
from tests import accessible, factories
from tests.analytics import examples, reporting
from tests.browser.following import follow
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
LONG = "Donaudampfschifffahrtsgesellschaft" * 2


@pytest.fixture
def survey(transactional_db):
    return reporting.make_text_survey(factories.make_user("root", superuser=True))


def address(name: str, survey, *more: object) -> str:
    return reverse(f"analytics:{name}", args=[survey.pk, *more])


def work() -> Report:
    """What a worker does with the report that waits, in this process."""
    waiting = Report.objects.get(state=Report.State.QUEUED)
    return reporting.make(waiting)


def states(survey) -> list[str]:
    """An address for every state of every page."""
    keys = [str(key) for key in Comment.objects.values_list("pk", flat=True)[:2]]
    wide = examples.a_topic(LONG, "שלום", "👩‍🌾", "garden", step=0.17)
    made = [
        examples.store(survey, examples.a_report(examples.GARDEN, wide), names=["", LONG]),
        examples.store(survey, examples.an_internal_report(*keys)),
        examples.store(survey, examples.a_report(topics=())),
        examples.store(survey, examples.an_internal_report(), extract=None),
        examples.store(survey, state="queued"),
        examples.store(survey, state="running", stage="counting words", fraction=0.4),
        examples.store(survey, state="failed", problem="Only 3 words are left."),
        examples.store(survey, state="cancelled"),
    ]
    reporting.make(reporting.ask(survey))
    both = f"?first={made[0].pk}&second={made[1].pk}"
    draft = factories.make_survey(survey.owner)
    unpromised = reporting.make_text_survey(survey.owner, 5, epsilon=None)
    return [
        *(address(name, survey) for name in EMPTY),
        *(address("report", survey, one.pk) for one in made),
        address("compare", survey) + both,
        address("compare", survey) + "?first=x&second=y",
        *(address(name, empty) for empty in (draft, unpromised) for name in EMPTY),
        reverse("surveys:dashboard", args=[survey.pk]),
    ]


EMPTY = ("overview", "ledger", "compare")


@pytest.mark.audit
def test_every_page_is_accessible_reflows_and_keeps_the_policy(watched_page, server, survey):
    page = watched_page
    log_in(page, server, "root")
    for place in states(survey):
        page.goto(server.url + place)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        accessible.check(page, place)


@pytest.mark.audit
def test_a_refused_form_is_accessible_and_keeps_what_was_chosen(page, server, survey):
    log_in(page, server, "root")
    page.goto(server.url + address("overview", survey))
    page.get_by_label("Largest number of topics").fill("7")
    page.get_by_label("Private singular values").check()
    page.get_by_label("Look at the texts a second time").check()
    page.get_by_role("button", name="Create report").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was charged")
    assert page.get_by_label("Largest number of topics").input_value() == "7"
    assert accessible.violations(page) == []
    assert not Report.objects.exists()


def test_a_report_is_asked_for_watched_cancelled_repeated_compared_and_downloaded(
    page, server, survey
):
    log_in(page, server, "root")
    page.goto(server.url + reverse("surveys:dashboard", args=[survey.pk]))
    page.get_by_role("link", name="Reports on texts").click()
    expect(page.get_by_text("No report yet")).to_be_visible()
    ask(page)

    page.get_by_role("button", name="Cancel this report").click()
    expect(page.locator(".messages")).to_contain_text("The report was cancelled.")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")

    first = work()
    expect(page.get_by_role("heading", name="in 600 texts")).to_be_visible()  # without a reload
    expect(page.locator("#topic-1")).to_be_visible()

    second = reporting.ask_and_make(survey, seed=2)
    page.goto(server.url + address("report", survey, second.pk))
    page.get_by_role("link", name="Compare with another report").click()
    page.get_by_label("Second report").select_option(str(first.pk))
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Topics with similar words")).to_be_visible()
    pairs = page.get_by_role("group", name="Topics with similar words").locator("tbody tr")
    expect(pairs).to_have_count(3)
    for cosine in pairs.locator("td.number").all_inner_texts():
        assert 0.9 < float(cosine) <= 1

    page.goto(server.url + address("report", survey, second.pk))
    files = downloads(page)
    assert files["report"]["kind"] == "private_topics"
    written = AuditEntry.objects.filter(action="topic report downloaded")
    assert sorted(entry.after["file"] for entry in written) == [
        "csv",
        "json",
        "spectrum.png",
        "spectrum.svg",
        "spectrum.vl.json",
    ]
    page.goto(server.url + address("ledger", survey))
    lines = page.get_by_role("group", name="What the budget was spent on").locator("tbody tr")
    expect(lines).to_have_count(2)


def ask(page) -> None:
    """By keyboard alone."""
    page.get_by_label("Private topics", exact=False).first.focus()
    page.keyboard.press("Space")
    page.get_by_label("25 % of the budget").focus()
    page.keyboard.press("Space")
    page.get_by_label("Largest number of topics").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.get_by_role("button", name="Create report").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")


def downloads(page) -> dict:
    """Take every file of the first picture and of the report; the JSON document."""
    found = {}
    for name in ("Words and topics (CSV)", "SVG of:", "PNG of:", "Vega-Lite of:", "Whole report"):
        with page.expect_download() as taken:
            page.get_by_role("link", name=name).first.click()
        found[name] = taken.value.path().read_bytes()
    assert found["PNG of:"].startswith(b"\x89PNG")
    assert found["SVG of:"].startswith(b"<svg")
    assert json.loads(found["Vega-Lite of:"])["$schema"].startswith("https://vega.github.io/")
    assert b"within_noise" in found["Words and topics (CSV)"]
    return json.loads(found["Whole report"])


def test_progress_is_announced_without_moving_the_focus(page, server, survey):
    report = reporting.ask(survey)
    log_in(page, server, "root")
    page.goto(server.url + address("report", survey, report.pk))
    button = page.get_by_role("button", name="Cancel this report")
    button.focus()
    Report.objects.update(state="running", stage="counting words", fraction=0.1)
    expect(page.locator("#progress-status")).to_have_text("counting words: 10 % done")
    Report.objects.update(stage="finding topics", fraction=0.6)
    expect(page.locator("#progress-status")).to_have_text("finding topics: 60 % done")
    assert page.locator("progress").get_attribute("value") == "60"
    expect(button).to_be_focused()


def test_a_double_click_asks_for_one_report(page, server, survey):
    log_in(page, server, "root")
    page.goto(server.url + address("overview", survey))
    page.get_by_label("100 % of the budget").check()
    # Both are on their way before either is answered.
    sent = page.evaluate("""async () => {
      const form = document.getElementById('ask');
      const send = () => fetch(form.action, {method: 'POST', body: new FormData(form)});
      return (await Promise.all([send(), send()])).map(reply => reply.url);
    }""")
    report = Report.objects.get()
    assert sent == [server.url + address("report", survey, report.pk)] * 2


@pytest.mark.audit
def test_without_a_script_a_report_is_asked_for_watched_and_read(
    page_without_script, server, survey
):
    page = page_without_script
    log_in(page, server, "root")
    page.goto(server.url + address("overview", survey))
    ask(page)
    work()
    follow(page.get_by_role("link", name="Look again"))
    assert "in 600 texts" in page.locator("main").inner_text()
    page.get_by_text("Name the topics").click()
    page.get_by_label("Topic 1", exact=True).fill("Gardens")
    follow(page.get_by_role("button", name="Save names"))
    assert "Gardens" in page.locator("main").inner_text()
