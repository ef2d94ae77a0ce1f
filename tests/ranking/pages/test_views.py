"""The pages and files of a ranking, on both databases."""

import csv
import io
import json
import re
from uuid import uuid4

import numpy as np
import pytest
from django.urls import reverse

from ranking import queries
from ranking.methods.histograms import read_histograms
from ranking.methods.registry import FixedPrior
from ranking.methods.tables import rank_table
from ranking.models import RankingChoice
from ranking.queries import _drawn, _ranked, chosen_method
from ranking.services import choose_method
from surveys.models import AuditEntry, Survey
from surveys.staff.members.services import add_member
from tests import factories
from tests.ranking import rated
from tests.stored import store_rows

NAMES = ("Algebra", "Analysis", "Čeština", "Drama")
COUNTS = ([1, 5, 30], [3, 5, 7], [3, 5, 7], [0, 0, 0])
FILES = ("csv", "json", "parquet", "histograms")


@pytest.fixture
def open_ratings(owner) -> Survey:
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, *NAMES))
    rated.count(survey, *COUNTS)
    return survey


@pytest.fixture
def randomized(owner) -> Survey:
    catalogue = rated.make_catalogue(owner, *NAMES, starting=[[9, 9, 9]])
    survey = rated.make_rated_survey(owner, catalogue, epsilon="2")
    rated.count(survey, *COUNTS)
    return survey


def address(survey: Survey, name: str = "table") -> str:
    return reverse(f"ranking:{name}", args=[survey.pk, 2])


def page(client, survey: Survey, query: str = "", name: str = "table") -> str:
    reply = client.get(address(survey, name) + query)
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def body(reply) -> str:
    return b"".join(reply.streaming_content).decode()


def cells(text: str) -> list[list[str]]:
    """The table's rows: rank, name and every other number."""
    table = text.split('<table class="rows ranking">')[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1], re.S)
    return [
        [
            re.sub(r"<[^>]*>", "", cell).strip()
            for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)
        ]
        for row in rows
    ]


def test_items_are_shown_in_order_with_ties_and_numbers(staff, open_ratings):
    rows = cells(page(staff, open_ratings, "?prior=fixed&fixed=1,1,1"))
    table = rank_table(COUNTS, rated.question_of(open_ratings).method(
        (1.0, 2.0, 3.0), FixedPrior((1.0, 1.0, 1.0)), "score", 0.95))  # fmt: skip
    low, high = table.intervals(np.array([0]))[0]
    assert [row[:2] for row in rows] == [
        ["1", "Algebra"],
        ["2=", "Analysis"],
        ["2=", "Čeština"],
        ["4", "Drama"],
    ]
    assert rows[0][2] == f"{table.posterior.scores[0]:.3f}"
    assert rows[0][3] == f"{low:.3f} to {high:.3f}"
    assert rows[0][4:6] == ["36", "1 · 5 · 30"]
    assert rows[1][7] == "50.0 %"
    assert rows[3][7] == "–"


def test_starting_counts_are_ratings_of_open_items_and_none_of_randomized_ones(staff, owner):
    for epsilon, ratings in ((None, "20"), ("2", "10")):
        catalogue = rated.make_catalogue(owner, "A", "B", starting=[[2, 3, 5]])
        survey = rated.make_rated_survey(owner, catalogue, epsilon=epsilon)
        rated.count(survey, [2, 3, 5], [9, 2, 3])
        rows = {row[1]: row for row in cells(page(staff, survey))}
        assert rows["A"][4] == ratings
        text = page(staff, survey)
        assert ("The starting counts in the catalogue of items add 10." in text) is (
            epsilon is None
        )
        assert ("Each rating was randomized (channel)." in text) is (epsilon is not None)


def test_not_rated_is_no_level_of_an_open_scale(staff, owner):
    catalogue = rated.make_catalogue(owner, "A", "B")
    survey = rated.make_rated_survey(owner, catalogue, required=False)
    rated.count(survey, [2, 3, 5, 90], [9, 2, 3, 0])
    rows = {row[1]: row for row in cells(page(staff, survey))}
    assert rows["A"][4:6] == ["10", "2 · 3 · 5"]


def test_randomized_ratings_may_be_not_rated(staff, owner):
    catalogue = rated.make_catalogue(owner, "A", "B")
    survey = rated.make_rated_survey(owner, catalogue, required=False, epsilon="3")
    rated.count(survey, [20, 30, 50, 40], [90, 20, 30, 30])
    rows = cells(page(staff, survey))
    assert [row[1] for row in rows] == ["A", "B"]
    assert rows[0][5] == "20 · 30 · 50 · 40"


def test_gibbs_sampling_is_offered_for_few_randomized_items_and_shown_the_same_to_everybody(
    staff, randomized, open_ratings, monkeypatch
):
    monkeypatch.setattr(queries, "MOST_SWEEPS", 500)  # of 10,000, twice a second
    linear, sampled = page(staff, randomized), page(staff, randomized, "?how=gibbs")
    assert "Gibbs sampling of the hidden true ratings (randomized ratings)" in sampled
    assert "Gibbs sampling is not saved" in sampled
    assert "Gibbs sampling is not saved" not in linear
    assert cells(sampled) != cells(linear)
    _drawn.cache_clear()
    _ranked.cache_clear()
    assert cells(page(staff, randomized, "?how=gibbs")) == cells(sampled)
    rows = csv.DictReader(io.StringIO(body(staff.get(address(randomized, "csv") + "?how=gibbs"))))
    assert {row["method"].split()[1] for row in rows} == {"prior=gibbs"}
    assert "Select a valid choice" in page(staff, randomized, "?how=magic")
    assert 'name="how"' not in page(staff, open_ratings)


def test_with_too_many_items_for_a_page_gibbs_sampling_is_left_to_the_command_line(staff, owner):
    """Eleven levels: 12,500 / 11^2 is 103."""
    scale = [f"{level} of 10" for level in range(11)]
    for items, offered in ((103, True), (104, False)):
        catalogue = rated.make_catalogue(owner, *(f"Item {number}" for number in range(items)))
        survey = rated.make_rated_survey(owner, catalogue, *scale, epsilon="2")
        rated.count(survey, *([1] * 11 for _ in range(items)))
        text = page(staff, survey, "?how=linear")
        assert ('name="how"' in text) is offered
        assert ("With more than 103 items" in text) is not offered


@pytest.mark.audit
def test_gibbs_sampling_serves_ratings_that_may_be_declined(staff, owner):
    catalogue = rated.make_catalogue(owner, "A", "B")
    survey = rated.make_rated_survey(owner, catalogue, required=False, epsilon="3")
    rated.count(survey, [20, 30, 50, 40], [90, 20, 30, 30])
    rows = cells(page(staff, survey, "?how=gibbs"))
    assert [row[1] for row in rows] == ["A", "B"]
    assert all(1 <= float(end) <= 3 for row in rows for end in row[3].split(" to "))


def test_the_preview_is_the_same_result_without_the_page_around_it(staff, open_ratings):
    query = "?u1=-5&u2=0&u3=7&order=cautious&prior=average&strength=4&compare=on"
    whole, part = page(staff, open_ratings, query), page(staff, open_ratings, query, "fragment")
    assert cells(part) == cells(whole)
    assert "<html" not in part
    assert "−5 and 7" in part
    assert not RankingChoice.objects.exists()


def test_a_permalink_asks_the_same_after_the_choice_for_everybody_changed(
    staff, open_ratings, owner
):
    shown = page(staff, open_ratings)
    link = re.search(r'href="([^"]*)">Link to this view', shown)[1].replace("&amp;", "&")
    question = rated.question_of(open_ratings)
    other = question.method((9.0, 2.0, 1.0), FixedPrior((1.0, 1.0, 1.0)), "score", 0.95)
    choose_method(revision=question.revision, item=question.item, method=other, by=owner)
    assert cells(staff.get(link).content.decode()) == cells(shown)
    assert cells(page(staff, open_ratings)) != cells(shown)


def test_saving_makes_it_the_method_of_everybody_and_is_told_in_the_history(staff, open_ratings):
    data = {"u1": "-5", "u2": "0", "u3": "7", "order": "cautious", "prior": "fixed"}
    reply = staff.post(address(open_ratings, "save"), data | {"fixed": "1,2,1"}, follow=True)
    assert "All people who open this page now see these settings." in reply.content.decode()
    chosen = chosen_method(rated.question_of(open_ratings))
    assert (chosen.utilities, chosen.prior.code) == ((-5, 0, 7), "fixed:1,2,1")
    history = page(staff, open_ratings, name="history")
    assert "ada" in history
    assert "-5,0,7" in history
    assert "fixed:1,2,1" in history


def test_the_same_method_again_is_no_change(staff, open_ratings):
    data = {"u1": "1", "u2": "2", "u3": "4", "order": "score", "prior": "ml"}
    for _ in range(2):
        reply = staff.post(address(open_ratings, "save"), data, follow=True)
    assert (
        "Nothing was changed: the items are already ordered by these settings."
        in reply.content.decode()
    )
    assert RankingChoice.objects.count() == 1


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?u1=x", "Write a number"),
        ("?u1=nan", "Write a number"),
        ("?u1=1,5", "Write a number"),
        ("?u1=1&u2=1&u3=1", "equal utilities order nothing"),
        ("?u1=1e99", "Write a number"),
        ("?u1=", "required"),
        ("?prior=fixed&fixed=1,2", "Write 3 numbers"),
        ("?prior=fixed&fixed=-1,2,3", "The number of ghost ratings cannot be below 0"),
        ("?prior=average&strength=", "Write one of these: empirical"),
        ("?prior=nothing", "Select a valid choice"),
        ("?order=%00", "Select a valid choice"),
        ("?u1=1&u2=1&u3=1.0000001", "differ by less than 0.000001"),
        ("?level=100", "Select a valid choice"),
        ("?q=" + "x" * 201, "at most 200"),
    ],
)
def test_what_cannot_be_used_is_said_and_the_saved_order_is_shown(staff, open_ratings, query, told):
    text = staff.get(address(open_ratings) + query).content.decode()
    assert told in text
    # Nobody rated Drama: by the saved method it has the average score.
    assert [row[1] for row in cells(text)] == ["Algebra", "Drama", "Analysis", "Čeština"]


@pytest.mark.parametrize("query", ["?u1=nan", "?prior=fixed&fixed=1,2"])
@pytest.mark.parametrize("name", FILES[:3])
def test_what_cannot_be_used_is_not_downloaded(staff, open_ratings, query, name):
    reply = staff.get(address(open_ratings, name) + query, follow=True)
    text = reply.content.decode()
    assert "Nothing was downloaded" in text
    assert text.count('role="alert"') > 0
    assert cells(text) == cells(page(staff, open_ratings))
    assert not AuditEntry.objects.filter(action="ranking downloaded").exists()


def test_a_wrong_form_is_not_saved_and_comes_back_as_it_was_written(staff, open_ratings):
    data = {"u1": "five", "u2": "0", "u3": "7", "order": "score", "prior": "ml"}
    reply = staff.post(address(open_ratings, "save"), data, follow=True)
    assert 'value="five"' in reply.content.decode()
    assert not RankingChoice.objects.exists()


def test_fixed_ghost_ratings_of_nothing_and_items_without_ratings_are_told(staff, open_ratings):
    text = page(staff, open_ratings, "?prior=fixed&fixed=0,0,0")
    assert "1 item(s) have no ratings" in text
    assert "The items cannot be ordered by this method yet" in text
    reply = staff.get(address(open_ratings, "json") + "?prior=fixed&fixed=0,0,0", follow=True)
    assert "Nothing was downloaded: prior" in reply.content.decode()


def test_before_the_first_rating_and_with_one_item_the_page_says_so(staff, owner):
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, "Only one"))
    assert "No ratings yet" in page(staff, survey)
    rated.count(survey, [1, 2, 3])
    assert "only if at least two items have ratings" in page(staff, survey)
    (row,) = cells(page(staff, survey, "?prior=fixed&fixed=1,1,1"))
    assert row[:2] == ["1", "Only one"]
    assert row[6:8] == ["1", "–"]


TELLING = [[6 + i % 3, 3, 1] for i in range(10)] + [[8 + i, 12, 80] for i in range(10)]
LISTED = [f"Item {number}" for number in range(20)]


def chosen_option(text: str) -> str:
    select = text.split('<select name="prior"')[1].split("</select>")[0]
    found = re.search(r'value="(\w+)" selected', select)
    return found[1] if found else ""


def test_where_popularity_tells_the_page_starts_with_it_and_says_its_terms(staff, owner):
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, *LISTED))
    rated.count(survey, *TELLING)
    text = page(staff, survey)
    assert chosen_option(text) == "popularity"
    assert "prior mean regressed on the logarithm of the number of ratings" in text
    assert "for items with 10 rating(s) and" in text
    assert "a Dirichlet prior of strength" in text
    rows = list(csv.DictReader(io.StringIO(body(staff.get(address(survey, "csv"))))))
    assert len({row["prior_mean"] for row in rows}) > 2


def test_a_stored_ranking_keeps_its_prior_whatever_the_default_would_be(staff, owner):
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, *LISTED))
    sent = {"u1": "1", "u2": "2", "u3": "3", "order": "score"}
    staff.post(address(survey, "save"), sent | {"prior": "empirical"})
    rated.count(survey, *TELLING)
    assert chosen_option(page(staff, survey)) == "empirical"
    staff.post(address(survey, "save"), sent | {"prior": "popularity"})
    assert RankingChoice.objects.first().prior == "popularity"
    assert chosen_option(page(staff, survey)) == "popularity"


@pytest.mark.parametrize("origin", ["adaptive", "imported"])
def test_where_popularity_was_made_it_is_neither_offered_nor_accepted(staff, owner, origin):
    starting = TELLING if origin == "imported" else ()
    catalogue = rated.make_catalogue(owner, *LISTED, starting=starting)
    survey = rated.make_rated_survey(owner, catalogue, adaptive=origin == "adaptive")
    rated.count(survey, *TELLING)
    assert chosen_option(page(staff, survey)) == "empirical"
    assert 'value="popularity"' not in page(staff, survey)
    assert "Choose “empirical”" in page(staff, survey, "?prior=popularity")
    staff.post(address(survey, "save"), {"prior": "popularity"})
    assert not RankingChoice.objects.exists()
    text = body(staff.get(address(survey, "histograms")))
    assert read_histograms(text.encode(), form="csv").origin == origin


def test_indistinguishable_items_are_called_so_on_the_page(staff, owner):
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, "A", "B"))
    rated.count(survey, [5, 6, 4], [6, 5, 4])
    text = page(staff, survey, "?prior=ml")
    assert "Unlimited ghost ratings" in text
    assert "The data show no real differences: these items differ no more than by chance." in text
    assert [row[0] for row in cells(text)] == ["1=", "1="]


def test_names_are_filtered_whatever_their_case_and_keep_their_ranks(staff, open_ratings):
    rows = cells(page(staff, open_ratings, "?q=ČEŠ"))
    assert [row[:2] for row in rows] == [["3=", "Čeština"]]
    assert "No item" in page(staff, open_ratings, "?q=%3Cscript%3E")


def test_pages_follow_each_other_and_garbage_leads_to_the_first(staff, owner):
    names = [f"Item {number:03}" for number in range(120)]
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, *names))
    rated.count(survey, *([120 - n, 1, n] for n in range(120)))
    pages = [cells(page(staff, survey, f"?page={n}")) for n in (1, 2, 3)]
    assert [row[1] for rows in pages for row in rows] == names[::-1]
    assert [row[0] for row in pages[1][:2]] == ["51", "52"]
    assert pages[0][-1][7] != "–"  # the next one is on the next page
    assert pages[2][-1][7] == "–"
    assert cells(page(staff, survey, "?page=x")) == pages[0]
    assert cells(page(staff, survey, "?page=99")) == pages[2]


def test_other_scores_are_shown_on_request(staff, open_ratings, randomized):
    assert "Weighted like IMDb" not in page(staff, open_ratings)
    assert "Weighted like IMDb" in page(staff, open_ratings, "?compare=on")
    text = page(staff, randomized, "?compare=on")
    assert "Corrected mean" in text
    assert "Wilson bound" not in text


def test_files_hold_the_items_with_their_method(staff, open_ratings):
    query = "?prior=fixed&fixed=1,1,1&q=a"
    shown = cells(page(staff, open_ratings, query))
    rows = list(csv.DictReader(io.StringIO(body(staff.get(address(open_ratings, "csv") + query)))))
    document = json.loads(staff.get(address(open_ratings, "json") + query).content)
    names = [row[1] for row in shown]
    assert [row["name"] for row in rows] == [item["name"] for item in document["items"]] == names
    code = "utilities=1,2,3 prior=fixed:1,1,1 order=score level=0.95"
    assert {row["method"] for row in rows} == {document["method"]["code"]} == {code}
    assert document["filter"] == "a"


def test_the_histograms_are_what_the_rank_command_reads(staff, open_ratings):
    text = body(staff.get(address(open_ratings, "histograms")))
    found = read_histograms(text.encode(), form="csv")
    assert found.names == NAMES
    assert found.counts.tolist() == [list(row) for row in COUNTS]


def test_every_download_is_written_down(staff, open_ratings):
    for name in FILES:
        staff.get(address(open_ratings, name))
    actions = list(AuditEntry.objects.values_list("action", flat=True))
    assert actions.count("ranking downloaded") == len(FILES)


def test_whoever_may_not_see_the_survey_is_told_that_there_is_none(client, open_ratings):
    names = ("table", "fragment", "history", *FILES)
    for name in names:
        assert client.get(address(open_ratings, name)).status_code == 302
    client.force_login(factories.make_user("eve"))
    for name in names:
        assert client.get(address(open_ratings, name)).status_code == 404
    assert client.post(address(open_ratings, "save"), {}).status_code == 404
    overview = reverse("ranking:overview", args=[open_ratings.pk])
    assert client.get(overview).status_code == 404


def test_analysts_read_and_preview_but_do_not_save(client, open_ratings, owner):
    factories.make_user("grace")
    add_member(survey=open_ratings, username="grace", role="analyst", by=owner)
    client.login(username="grace", password="correct horse")
    assert "Save for everyone" not in page(client, open_ratings)
    assert client.post(address(open_ratings, "save"), {"u1": "5"}).status_code == 403
    for name in FILES:
        assert client.get(address(open_ratings, name)).status_code in (200, 302)


def test_questions_that_rate_nothing_have_no_ranking(staff, open_ratings, owner):
    assert staff.get(reverse("ranking:table", args=[open_ratings.pk, 1])).status_code == 404
    assert staff.get(reverse("ranking:table", args=[open_ratings.pk, 99])).status_code == 404
    assert staff.get(reverse("ranking:table", args=[uuid4(), 2])).status_code == 404
    draft = factories.make_survey(owner)
    for survey, told in (
        (open_ratings, "How good is this unit?"),
        (draft, "This survey is still a draft."),
    ):
        overview = reverse("ranking:overview", args=[survey.pk])
        assert told in staff.get(overview).content.decode()


def test_after_erasure_nothing_is_shown_or_downloaded(staff, open_ratings):
    Survey.objects.filter(pk=open_ratings.pk).update(erased_on="2026-01-01", state="closed")
    assert "The ratings were deleted" in page(staff, open_ratings)
    for name in FILES:
        assert staff.get(address(open_ratings, name)).status_code == 404


def test_a_kept_table_goes_as_soon_as_one_more_answer_is_stored(staff, open_ratings):
    question = rated.question_of(open_ratings)
    before = cells(page(staff, open_ratings))
    question.revision.rating_counts.filter(item=4).delete()
    question.revision.rating_counts.create(question=question.item.id, item=4, level=2, count=500)
    store_rows(question.revision, [""])
    after = cells(page(staff, open_ratings))
    assert before[0][1] == "Algebra"
    assert after[0][:2] == ["1", "Drama"]
