"""The documentation's search: what people type finds the page that helps, without a script."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.web.documentation_search import MOST_OF_A_PAGE, MOST_RESULTS, excerpt, search
from surveys.web.documentation_words import (
    LONGEST_QUERY,
    MOST_WORDS,
    concepts_of,
    read_synonyms,
    stem_of,
    stems_of,
)
from tests.conftest import ROOT

ASKED = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "asked.txt").read_text().splitlines()
    if not line.startswith("#")
]
SIX = ["skip", "branching", "raking", "SPSS", "reminder", "matrix"]
SYNONYMS = (ROOT / "docs" / "synonyms.txt").read_text().splitlines()
CODE_PAGES = {"tree", "developing", "design", "dependencies", "translating"}


def locations(results) -> list[str]:
    return [result.section.location for result in results]


def is_found(place: str, found: list[str]) -> bool:
    """Whether a section, or any section of a page, is among these."""
    return place in found or ("#" not in place and place in {one.split("#")[0] for one in found})


def test_forty_questions_are_asked_each_with_a_place_that_is_there(site):
    index = json.loads((site / "search" / "search_index.json").read_text())
    there = {entry["location"] for entry in index["docs"]}
    assert len(ASKED) == len(dict(ASKED)) == 40
    assert [place for _, place in ASKED if place not in there] == []
    assert {question for question, _ in ASKED} >= set(SIX)


@pytest.mark.parametrize(("question", "place"), ASKED, ids=[question for question, _ in ASKED])
def test_each_question_finds_its_page_among_the_first_three(site, question, place):
    found = locations(search(site, question).results[:3])
    assert is_found(place, found), found


@pytest.mark.parametrize("word", SIX)
def test_a_word_of_another_program_is_found_in_capitals_and_in_the_plural(site, word):
    place = dict(ASKED)[word]
    for typed in (word.upper(), f"  {word}?"):
        assert is_found(place, locations(search(site, typed).results[:3])), typed


@pytest.mark.parametrize("query", ["collecting", "weights", "module", "test", "kinds of questions"])
def test_pages_on_the_code_stand_apart_and_never_among_the_others(site, query):
    answer = search(site, query)
    pages = {location.split(".html")[0] for location in locations(answer.results)}
    assert pages.isdisjoint(CODE_PAGES)
    assert {location.split(".html")[0] for location in locations(answer.code)} <= CODE_PAGES
    assert answer.code


def test_the_two_kinds_have_headings_of_their_own(page_of):
    shown = page_of("weights")
    first, code = shown.index("How to do it, and why"), shown.index("For people who change the")
    assert first < shown.index('href="analysing.html#weights') < code < shown.index('"tree.html#')


def test_no_page_takes_all_places(site):
    found = locations(search(site, "questions").results)
    pages = [location.split("#")[0] for location in found]
    assert max(map(pages.count, pages)) <= MOST_OF_A_PAGE
    assert len(found) == MOST_RESULTS


def test_what_was_typed_stays_in_the_field_and_is_marked_in_the_results(page_of):
    shown = page_of('raking "margins" <b>')
    assert 'value="raking &quot;margins&quot; &lt;b&gt;"' in shown
    assert "<b>" not in shown
    assert re.search(r"<mark>[Rr]aking", shown)


def test_the_search_works_without_a_script(page_of):
    shown = page_of("reminder")
    assert "<script" not in shown
    assert '<form class="search" action="search.html">' in shown
    assert 'href="administering.html#reminders"' in shown


@pytest.mark.parametrize("page", ["index.html", "tutorials/coming-from.html"])
def test_every_page_has_a_field_that_leads_to_the_search(site, page):
    action = re.search(r'<form action="([^"]+)">', (site / page).read_text())[1]
    assert (site / page).parent.joinpath(action).resolve() == (site / "search.html").resolve()


def test_the_page_of_results_has_one_field_and_the_list_of_pages(page_of):
    shown = page_of("skip")
    assert shown.count('type="search"') == 1
    assert 'aria-label="Pages"' in shown
    assert "this copy stands alone" not in shown


@pytest.mark.parametrize("query", ["", "   ", "how do I", "?!", "…"])
def test_an_empty_search_says_how_to_search(page_of, query):
    assert "one or two words" in page_of(query)


@pytest.mark.parametrize("query", ["xyzzyqwv", "Wetterbericht übermorgen", "調査 質問", "🙂"])
def test_a_hopeless_search_says_so_and_leads_on(page_of, query):
    shown = page_of(query)
    assert "Nothing found" in shown
    for page in ("tutorials/coming-from.html", "glossary.html", "index.html"):
        assert f'href="{page}"' in shown


def test_a_slip_of_the_finger_is_named_and_the_right_word_offered(page_of):
    shown = page_of("remnider")
    assert "<q>remnider</q>" in shown
    assert 'href="search.html?q=reminders"' in shown


def test_a_word_that_is_on_no_page_is_named_beside_what_the_others_found(page_of):
    shown = unescape(page_of("weights xyzzyqwv"))
    assert "<q>xyzzyqwv</q>" in shown
    assert 'href="analysing.html#weights-and-post-stratification"' in shown


@given(st.text(max_size=3 * LONGEST_QUERY))
@settings(max_examples=15)
def test_whatever_is_typed_is_answered(site, query):
    search(site, query)


@pytest.mark.parametrize(
    "query", ["a" * 100_000, "skip " * 20_000, "\x00\x1b\u202e", "%s {0} {{ q }}"]
)
def test_long_queries_and_garbage_are_answered_too(site, page_of, query):
    assert "What do you look for?" in page_of(query)
    assert len(concepts_of(query, {})) <= MOST_WORDS


def test_a_copy_without_the_site_says_that_nothing_searches_it(site):
    assert "this copy stands alone" in (site / "search.html").read_text()


def test_a_site_of_an_earlier_version_has_no_search(client, settings, tmp_path):
    settings.DOCUMENTATION = tmp_path
    (tmp_path / "index.html").write_text("<h1>Start</h1>")
    assert client.get("/docs/search.html?q=skip").status_code == 404


def test_every_line_of_synonyms_is_one_and_names_words_of_the_pages(site):
    read_synonyms(SYNONYMS)
    for line in SYNONYMS:
        typed, _, ours = line.partition(":")
        if line and not line.startswith("#"):
            assert all(search(site, word).results for word in ours.split(",")), line
            assert typed == typed.lower(), line


@pytest.mark.parametrize("line", ["skip conditions", "skip:", ": conditions", "skip, : conditions"])
def test_a_line_that_is_no_synonym_is_refused_by_name(line):
    with pytest.raises(ValueError, match="No synonym"):
        read_synonyms([line])


def test_a_phrase_has_the_synonyms_of_the_phrase_and_not_of_its_words():
    synonyms = read_synonyms(["skip logic: conditions", "logic: proof"])
    (concept,) = concepts_of("Skip-Logic", synonyms)
    assert dict(concept.stems) == {"skip": 0.5, "logic": 0.5, stem_of("conditions"): 1.0}


@pytest.mark.parametrize(
    "words",
    [
        "reminder reminders remind reminding",
        "weight weights weighted weighting",
        "translate translated translating translation translations",
        "invite invited invitation invitations",
        "randomize randomized randomizing",
        "survey surveys survey's survey’s Survey",
    ],
)
def test_forms_of_a_word_have_one_stem(words):
    assert len(set(stems_of(words))) == 1


def test_an_excerpt_begins_before_the_place_where_most_words_stand():
    text = f"age {'x ' * 100} Write the known share of each age group & gender {'y ' * 100}"
    shown = excerpt(text, {"age", "gend", "shar"})
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert "<mark>share</mark> of each <mark>age</mark> group &amp; <mark>gender</mark>" in shown
