"""Pages of reports and of the ledger: what they say, and to whom."""

import re
from decimal import Decimal
from uuid import uuid4

import pytest
from django.urls import reverse

from analytics.models import Report
from surveys.models import AuditEntry, Comment, Membership
from surveys.roles import Role
from tests import factories
from tests.analytics import examples, reporting


@pytest.fixture
def survey(owner):
    return reporting.make_text_survey(owner)


@pytest.fixture
def finished(survey):
    return examples.store(survey, examples.a_report())


@pytest.fixture
def internal(survey):
    keys = [str(key) for key in Comment.objects.values_list("pk", flat=True)[:2]]
    return examples.store(survey, examples.an_internal_report(*keys))


def address(name: str, survey, *more: object) -> str:
    return reverse(f"analytics:{name}", args=[survey.pk, *more])


def words(response) -> str:
    """What a page says, without its tags."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", text).replace("&#x27;", "'")


def looks(action: str = "internal report seen") -> int:
    return AuditEntry.objects.filter(action=action).count()


SURVEY_PAGES = ("overview", "compare", "ledger", "ledger-picture")
REPORT_PAGES = ("report", "progress", "csv", "json")
PICTURES = ("picture", "svg", "png", "vega")
POSTED = ("cancel", "repeat", "names")


def read_addresses(survey, report) -> list[str]:
    return [
        *(address(name, survey) for name in SURVEY_PAGES),
        *(address(name, survey, report.pk) for name in REPORT_PAGES),
        *(address(name, survey, report.pk, "topic-1") for name in PICTURES),
    ]


def posted_addresses(survey, report) -> list[str]:
    return [address("ask", survey), *(address(name, survey, report.pk) for name in POSTED)]


def member(survey, role: Role, name: str):
    user = factories.make_user(name)
    Membership.objects.create(survey=survey, user=user, role=role)
    return user


# Who may see and do what.


def test_every_page_asks_for_a_login(client, survey, finished):
    for place in read_addresses(survey, finished):
        assert client.get(place).url.startswith(reverse("login")), place
    for place in posted_addresses(survey, finished):
        assert client.post(place).url.startswith(reverse("login")), place


def test_a_stranger_is_told_that_there_is_nothing(client, survey, finished):
    client.force_login(factories.make_user("eve"))
    for place in read_addresses(survey, finished):
        assert client.get(place).status_code == 404, place
    for place in posted_addresses(survey, finished):
        assert client.post(place).status_code == 404, place


def test_an_analyst_reads_private_reports_and_the_ledger_and_changes_nothing(
    client, survey, finished
):
    client.force_login(member(survey, Role.ANALYST, "grace"))
    for place in read_addresses(survey, finished):
        assert client.get(place).status_code == 200, place
    for place in posted_addresses(survey, finished):
        assert client.post(place).status_code == 403, place
    assert (
        '<form class="card report-form"'
        not in client.get(address("overview", survey)).content.decode()
    )


def test_internal_reports_do_not_exist_for_anybody_but_the_owner(client, survey, internal):
    for role in (Role.ANALYST, Role.EDITOR):
        client.force_login(member(survey, role, role.value))
        for place in read_addresses(survey, internal)[len(SURVEY_PAGES) :]:
            assert client.get(place).status_code == 404, (role, place)
        listed = words(client.get(address("overview", survey)))
        assert "Exact topics (internal)" not in listed
        assert "No report yet" in listed
    client.force_login(member(survey, Role.EDITOR, "ed"))
    for place in posted_addresses(survey, internal)[1:]:
        assert client.post(place).status_code == 404, place
    assert looks() == 0


def test_a_report_is_not_found_below_another_survey(client, survey, finished):
    other = reporting.make_text_survey(survey.owner, 10)
    client.force_login(survey.owner)
    for place in read_addresses(other, finished)[len(SURVEY_PAGES) :]:
        assert client.get(place).status_code == 404, place
    assert client.get(address("report", survey, uuid4())).status_code == 404


def test_pages_that_change_something_take_no_get_and_the_others_no_post(client, survey, finished):
    client.force_login(survey.owner)
    for place in posted_addresses(survey, finished):
        assert client.get(place).status_code == 405, place
    for place in read_addresses(survey, finished):
        assert client.post(place).status_code == 405, place


# Internal reports leave a trace.


def test_one_look_at_an_internal_report_is_one_entry_its_pictures_are_none(
    client, survey, internal
):
    client.force_login(survey.owner)
    page = client.get(address("report", survey, internal.pk)).content.decode()
    assert looks() == 1
    sources = re.findall(r'src="([^"]*look\.svg[^"]*)"', page)
    assert len(sources) == 3
    for source in sources:
        assert client.get(source.replace("&amp;", "&")).status_code == 200
    assert looks() == 1


def test_a_picture_of_an_internal_report_opened_by_itself_is_a_look(client, survey, internal):
    client.force_login(survey.owner)
    plain = address("picture", survey, internal.pk, "topic-1")
    for asked in ("", "?seen=", "?seen=1:2:3", "?seen=%00"):
        client.get(plain + asked)
    other = examples.store(survey, examples.an_internal_report())
    page = client.get(address("report", survey, other.pk)).content.decode()
    borrowed = re.search(r"\?seen=([^\"&]+)", page)[1]
    assert looks() in (4, 5)
    before = looks()
    client.get(f"{plain}?seen={borrowed}")
    assert looks() == before + 1


def test_an_internal_report_shows_comments_and_says_that_it_must_not_be_published(
    client, survey, internal
):
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, internal.pk)))
    assert "internal – do not publish" in page
    assert "Typical comments" in page
    assert Comment.objects.get(pk=examples_of(internal)[0]).text in page
    assert "What this report promises" not in page


def examples_of(report: Report) -> list[str]:
    return report.extract.document["topics"][0]["examples"]


def test_an_internal_report_whose_answers_were_erased_says_so(client, survey, internal):
    internal.extract.delete()
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, internal.pk)))
    assert "Its content is gone" in page
    assert client.get(address("csv", survey, internal.pk)).status_code == 404


def test_a_look_at_a_private_report_is_no_entry(client, survey, finished):
    client.force_login(survey.owner)
    client.get(address("report", survey, finished.pk))
    client.get(address("picture", survey, finished.pk, "topic-1"))
    assert looks() == 0


# What a report says.


def test_a_report_says_what_it_found_promised_and_cost(client, survey, finished):
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, finished.pk)))
    for told in (
        "the data supports at most 2 topics",
        "2 of 5 eigenvalues lie above the noise edge",
        "Topic 1: garden, flower, water",
        "about 1,200 of 5,000 (1,100 to 1,300)",
        "Coherence 0.120",
        "computed from the released noisy counts.",
        "Diversity 0.90",
        "Epsilon 1.24: odds change at most 3.44-fold",
        "one respondent more or fewer",
        "1.81",
        "which words occur together 78 % 0.078 0",
        "Together 100 % 0.1 0.0000001",
        "At most so many 3",
        "0.1.0+0123456789abcdef",
        "within the noise",
    ):
        assert told in page, told


def test_words_within_the_noise_are_named_so_in_the_picture_s_text_and_the_table(
    client, survey, finished
):
    client.force_login(survey.owner)
    page = client.get(address("report", survey, finished.pk)).content.decode()
    assert "Within the noise: gravel." in page
    assert page.count('class="within"') == 1


def test_a_report_without_topics_says_that_the_noise_hides_them(client, survey):
    nothing = examples.a_report()
    empty = examples.store(
        survey,
        examples.a_report(
            spectrum=examples.SpectrumShown(nothing.spectrum.values[2:], 1.5, 0), topics=()
        ),
    )
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, empty.pk)))
    assert "the data supports no topic" in page
    assert "Name the topics" not in page


def test_a_report_of_another_version_is_not_shown_and_nothing_breaks(client, survey, finished):
    Report.objects.filter(pk=finished.pk).update(state=Report.State.FAILED)
    other = examples.store(survey, examples.a_report(), document={"version": 99})
    client.force_login(survey.owner)
    assert "cannot be shown" in words(client.get(address("report", survey, other.pk)))
    assert client.get(address("json", survey, other.pk)).status_code == 404


def test_words_of_answers_are_text_never_markup(client, survey):
    evil = examples.a_topic("<script>alert(1)</script>", "נייר", "👩‍🌾", "a" * 200, "‮abc")
    report = examples.store(survey, examples.a_report(evil), names=["<b>x</b>"])
    client.force_login(survey.owner)
    page = client.get(address("report", survey, report.pk)).content.decode()
    assert "<script>alert" not in page
    assert "<b>x</b>" not in page
    svg = client.get(address("picture", survey, report.pk, "topic-1")).content.decode()
    assert "<script" not in svg


# While it is made.


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (Report.State.QUEUED, "Waiting for a worker"),
        (Report.State.RUNNING, "counting words: 25 % done"),
    ],
)
def test_a_report_that_is_being_made_says_how_far_it_is(client, survey, state, told):
    report = examples.store(survey, state=state, stage="counting words", fraction=0.25)
    client.force_login(survey.owner)
    page = client.get(address("report", survey, report.pk))
    assert told in words(page)
    assert "<progress" in page.content.decode()
    assert "Cancel this report" in words(page)
    assert 'http-equiv="refresh"' not in page.content.decode()
    part = client.get(address("progress", survey, report.pk))
    assert told in words(part)
    assert part["X-Report-State"] == state


@pytest.mark.parametrize("state", [Report.State.FAILED, Report.State.CANCELLED])
def test_a_report_that_was_not_made_says_why_and_can_be_tried_again(client, survey, state):
    report = examples.store(survey, state=state, problem="Only 3 words are left.")
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, report.pk)))
    assert "Only 3 words are left. Nothing was charged." in page
    assert "Try again" in page


@pytest.mark.parametrize("fraction", [-1.0, 7.0])
def test_progress_stays_within_the_bar(client, survey, fraction):
    report = examples.store(survey, state=Report.State.RUNNING, stage="x", fraction=fraction)
    client.force_login(survey.owner)
    assert re.search(r": (0|100) % done", words(client.get(address("report", survey, report.pk))))


# Asking, cancelling, repeating, naming.


def question_of(survey) -> str:
    return reporting.text_items(survey)[0].id


def asked(survey, **changes: str) -> dict[str, str]:
    plain = {"kind": "private_topics", "share": "1/4", "topics": "3", "language": "en"}
    return {"key": str(uuid4()), "question": question_of(survey), **plain, **changes}


def test_a_report_is_asked_for_watched_cancelled_and_tried_again(client, survey):
    client.force_login(survey.owner)
    response = client.post(address("ask", survey), asked(survey), follow=True)
    report = Report.objects.get()
    assert response.redirect_chain[-1][0] == address("report", survey, report.pk)
    assert "Waiting for a worker" in words(response)
    assert reporting.queued()[0] == ("make_report", [str(report.pk), 1])
    response = client.post(address("cancel", survey, report.pk), follow=True)
    assert "The report is cancelled. Nothing was charged." in words(response)
    response = client.post(address("cancel", survey, report.pk), follow=True)
    assert "nothing was cancelled" in words(response)
    response = client.post(address("repeat", survey, report.pk), follow=True)
    assert "The report is queued again." in words(response)
    response = client.post(address("repeat", survey, report.pk), follow=True)
    assert "being made just now" in words(response)


def test_a_made_report_is_shown_with_what_it_cost_in_the_ledger(client, survey):
    report = reporting.ask_and_make(survey, share=reporting.QUARTER)
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, report.pk)))
    assert "in 600 texts" in page
    cost = f"{Decimal(report.expenditure.mu_squared).normalize():f}"
    assert cost in page
    account = words(client.get(address("ledger", survey)))
    assert cost in account
    assert "Private topics on “What would help?”" in account


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"topics": "0"}, "see the marked field"),
        ({"topics": "1e9"}, "see the marked field"),
        ({"topics": "NaN"}, "see the marked field"),
        ({"share": "9/4"}, "see the marked field"),
        ({"share": ""}, "Choose how much of the budget"),
        ({"kind": "🙃"}, "see the marked field"),
        ({"question": str(uuid4())}, "see the marked field"),
        ({"language": "xx"}, "see the marked field"),
        ({"kind": "private_svd", "refine": "on"}, "does not look twice"),
        ({"share": "1/10", "question": "second"}, "No text to this question is stored yet"),
    ],
)
def test_what_cannot_be_asked_for_is_told_and_nothing_is_set_aside(client, survey, changes, told):
    if changes.get("question") == "second":
        changes = {**changes, "question": reporting.text_items(survey)[1].id}
    client.force_login(survey.owner)
    response = client.post(address("ask", survey), asked(survey, **changes))
    assert response.status_code == 200
    assert told in words(response)
    assert "nothing was charged" in words(response)
    assert not Report.objects.exists()


def test_an_editor_cannot_ask_for_an_internal_report_and_the_owner_can(client, survey):
    client.force_login(member(survey, Role.EDITOR, "ed"))
    given = asked(survey, kind="exact_topics", share="")
    assert "Exact topics" not in words(client.get(address("overview", survey)))
    client.post(address("ask", survey), given)
    assert not Report.objects.exists()
    client.force_login(survey.owner)
    client.post(address("ask", survey), given)
    assert Report.objects.get().kind == "exact_topics"


def test_topics_of_an_internal_report_are_named_by_its_curator(client, survey, internal):
    client.force_login(survey.owner)
    given = {"name1": "Things that grow"}
    page = words(client.post(address("names", survey, internal.pk), given, follow=True))
    assert "The names are saved." in page
    assert "1. Things that grow" in page
    assert b"Things that grow" in client.get(address("json", survey, internal.pk)).content


def test_topics_are_named_and_the_names_stand_everywhere(client, survey, finished):
    client.force_login(survey.owner)
    given = {"name1": "  Green   things ", "name2": ""}
    response = client.post(address("names", survey, finished.pk), given, follow=True)
    page = words(response)
    assert "Green things" in page
    assert "Topic 2: train" in page
    assert (
        "Green things"
        in b"".join(client.get(address("csv", survey, finished.pk)).streaming_content).decode()
    )


def test_a_name_that_cannot_be_kept_is_told_at_its_field(client, survey, finished):
    client.force_login(survey.owner)
    response = client.post(address("names", survey, finished.pk), {"name1": "x" * 101})
    assert "The names were not saved" in words(response)
    response = client.post(address("names", survey, finished.pk), {"name1": "a\u202eb"})
    assert "control character" in words(response)
    assert Report.objects.get(pk=finished.pk).names == []


# Empty states, and why a kind is not offered.


def test_a_draft_says_that_the_budget_is_set_before_the_launch(client, owner):
    draft = factories.make_survey(owner)
    client.force_login(owner)
    assert "set it before the launch" in words(client.get(address("overview", draft)))
    assert "No budget was promised" in words(client.get(address("ledger", draft)))


def test_a_survey_without_free_text_says_so(client, owner):
    survey = factories.make_open_survey(owner)
    client.force_login(owner)
    page = words(client.get(address("overview", survey)))
    assert "no question that is answered in free text" in page


def test_without_a_promised_budget_only_internal_kinds_are_offered_and_the_page_says_why(
    client, owner
):
    survey = reporting.make_text_survey(owner, 10, epsilon=None)
    client.force_login(owner)
    page = words(client.get(address("overview", survey)))
    assert "promised no privacy budget" in page
    assert "Exact topics (internal)" in page
    assert "Private topics" not in page
    assert client.get(address("ledger-picture", survey)).status_code == 404
    client.force_login(member(survey, Role.EDITOR, "ed"))
    assert "Ask for a report" not in words(client.get(address("overview", survey)))


def test_a_spent_budget_offers_no_private_report_and_says_why(client, survey):
    examples.store(survey, state=Report.State.QUEUED, **whole_budget(survey))
    client.force_login(survey.owner)
    page = words(client.get(address("overview", survey)))
    assert "spent or set aside" in page
    assert "How much it may cost" not in page


def whole_budget(survey) -> dict[str, str]:
    from analytics import selectors
    from analytics.services.ledger import written

    return written(selectors.account_of(survey).budget.limit)


def test_reports_are_listed_in_pages_newest_first(client, survey):
    for _ in range(21):
        examples.store(survey, examples.a_report())
    client.force_login(survey.owner)
    first = words(client.get(address("overview", survey)))
    assert "Page 1 of 2" in first
    for page in ("2", "0", "x", "9" * 30, "-1"):
        assert client.get(address("overview", survey) + f"?page={page}").status_code == 200


# Comparing.


def compared(client, survey, first: object, second: object):
    return client.get(address("compare", survey) + f"?first={first}&second={second}")


def test_two_reports_are_compared_topic_by_topic(client, survey, finished):
    second = examples.store(survey, examples.a_report(examples.TRAIN), names=["Railways"])
    client.force_login(survey.owner)
    page = words(compared(client, survey, finished.pk, second.pk))
    assert "Railways 1.00" in page
    assert "no counterpart" in page
    assert "Words of like meaning count as different" in page


def test_a_report_of_another_survey_is_compared_only_by_who_may_read_both(client, survey, finished):
    other = reporting.make_text_survey(factories.make_user("grace"), 10)
    theirs = examples.store(other, examples.a_report())
    client.force_login(survey.owner)
    assert "Topics that belong" not in words(compared(client, survey, finished.pk, theirs.pk))
    Membership.objects.create(survey=other, user=survey.owner, role=Role.ANALYST)
    assert "Topics that belong" in words(compared(client, survey, finished.pk, theirs.pk))
    hidden = examples.store(other, examples.an_internal_report())
    assert "Topics that belong" not in words(compared(client, survey, finished.pk, hidden.pk))
    assert looks() == 0


def test_comparing_with_an_internal_report_is_a_look_at_it(client, survey, finished, internal):
    client.force_login(survey.owner)
    page = words(compared(client, survey, finished.pk, internal.pk))
    assert "Internal – do not publish" in page
    assert "of different kinds" in page
    assert looks() == 1


@pytest.mark.parametrize("second", ["", "x", "%00", "0b5ee1d2-7d55-4c8e-9d3a-8f3f2b6c1a77", "same"])
def test_what_cannot_be_compared_is_told(client, survey, finished, second):
    client.force_login(survey.owner)
    second = str(finished.pk) if second == "same" else second
    response = compared(client, survey, finished.pk, second)
    assert response.status_code in (200, 400)
    assert "Topics that belong" not in words(response)


# The ledger.


def test_the_ledger_says_what_was_promised_is_spent_and_left(client, survey):
    client.force_login(survey.owner)
    page = words(client.get(address("ledger", survey)))
    for told in (
        "epsilon 20",
        "except with a chance of 0.000001",
        "Spent so far: epsilon 0.00",
        "Nothing was spent yet.",
        "25 % of the budget",
    ):
        assert told in page, told
