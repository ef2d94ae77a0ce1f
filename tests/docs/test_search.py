"""The documentation's search: what people type finds the page that helps, without a script."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.web.documentation_search import (
    LONGEST_QUERY,
    MOST_OF_A_PAGE,
    MOST_RESULTS,
    read_synonyms,
    search,
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
    return [result.location for result in results]


def is_found(place: str, found: list[str]) -> bool:
    """Whether a section, or any section of a page, is among these."""
    return place in found or ("#" not in place and place in {one.split("#")[0] for one in found})


def test_forty_two_questions_are_asked_each_with_a_place_that_is_there(site):
    index = json.loads((site / "search" / "search_index.json").read_text())
    there = {entry["location"] for entry in index["docs"]}
    assert len(ASKED) == len(dict(ASKED)) == 42
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
    assert 'href="analysing.html#weights-raking-and-post-stratification"' in shown


@given(st.text(max_size=3 * LONGEST_QUERY))
@settings(max_examples=15)
def test_whatever_is_typed_is_answered(site, query):
    search(site, query)


@pytest.mark.parametrize(
    "query",
    [
        "a" * 100_000,
        "skip " * 20_000,
        "\x00\x1b\x01\x02",
        "re\x00minder",
        "\u202eskip",
        "\U0001e900",  # a letter of a later Unicode than that of SQLite
        "%s {0} {{ q }}",
        "تذكير",
    ],
)
def test_long_queries_and_garbage_are_answered_too(page_of, query):
    assert "What do you look for?" in page_of(query)


@pytest.mark.parametrize(
    "query",
    [
        "title: weights",
        "- title: weights*",
        "NOT weights AND title",
        "^weights + title",
        "(weights OR title",
        '"weights title',
        '""weights"" "title',
        "\U0001e900 weights\x00title",
    ],
)
def test_nothing_typed_is_a_command_to_the_database(site, query):
    assert search(site, query).results
    assert set(locations(search(site, query).results)) == set(
        locations(search(site, "weights title").results)
    )


def test_words_after_the_longest_query_are_not_looked_for(site):
    assert search(site, "a " * (LONGEST_QUERY // 2) + "xyzzyqwv").unknown == []
    assert search(site, "a xyzzyqwv").unknown == ["xyzzyqwv"]


def test_threads_that_search_at_once_each_get_what_they_asked_for(site):
    questions = [question for question, _ in ASKED][:10] * 3
    alone = {question: search(site, question) for question in questions}
    with ThreadPoolExecutor(6) as threads:
        together = list(threads.map(lambda question: search(site, question), questions))
    assert together == [alone[question] for question in questions]


def test_a_copy_without_the_site_says_that_nothing_searches_it(site):
    assert "this copy stands alone" in (site / "search.html").read_text()


def test_a_site_of_an_earlier_version_has_no_search(client, settings, tmp_path):
    settings.DOCUMENTATION = tmp_path
    (tmp_path / "index.html").write_text("<h1>Start</h1>")
    assert client.get("/docs/search.html?q=skip").status_code == 404


def test_every_line_of_synonyms_is_one_and_names_words_of_the_pages(site):
    assert list(read_synonyms(SYNONYMS))
    for line in SYNONYMS:
        typed, _, ours = line.partition(":")
        if line and not line.startswith("#"):
            assert all(search(site, word).results for word in ours.split(",")), line
            assert typed == typed.lower(), line


@pytest.mark.parametrize("line", ["skip conditions", "skip:", ": conditions", "skip, : conditions"])
def test_a_line_that_is_no_synonym_is_refused_by_name(line):
    with pytest.raises(ValueError, match="No synonym"):
        list(read_synonyms([line]))


@pytest.fixture
def documentation(tmp_path):
    """Write a small documentation of sections, each a page of its own, and of synonyms."""

    def written(sections, synonyms="", groups=None):
        entries = [
            {"location": f"{place}.html{heading}", "title": title, "text": text}
            for place, (title, text) in sections.items()
            for heading in ("", f"#{place}")
        ]
        (tmp_path / "search").mkdir()
        (tmp_path / "search" / "search_index.json").write_text(json.dumps({"docs": entries}))
        (tmp_path / "search" / "groups.json").write_text(json.dumps(groups or {}))
        (tmp_path / "synonyms.txt").write_text(synonyms)
        return tmp_path

    return written


def found_in(folder, query) -> list[str]:
    return [place.partition("#")[2] for place in locations(search(folder, query).results)]


def test_a_phrase_has_the_synonyms_of_the_phrase_and_not_of_its_words(documentation):
    sections = {"rules": ("Conditions", "who is asked"), "proof": ("Theorem", "by induction")}
    folder = documentation(sections, "skip logic: conditions\nlogic puzzle: theorem\n")
    assert found_in(folder, "Skip-Logic") == ["rules"]
    assert found_in(folder, "how skips are logical") == []


def test_a_word_of_synonyms_is_not_called_unknown(documentation):
    folder = documentation({"rules": ("Conditions", "who is asked")}, "skip: conditions\n")
    answer = search(folder, "skips hops")
    assert (locations(answer.results), answer.unknown) == (["rules.html#rules"], ["hops"])


@pytest.mark.parametrize(
    "words",
    [
        "reminder reminders remind reminding",
        "weight weights weighted weighting",
        "translate translated translating translation translations",
        "invite invited invitation invitations",
        "randomize randomized randomizing",
        "survey surveys survey's survey’s Survey",
        "café cafe CAFÉS",
    ],
)
def test_each_form_of_a_word_finds_every_other(documentation, words):
    forms = words.split()
    folder = documentation({f"s{n}": (f"Title {n}", form) for n, form in enumerate(forms)})
    for form in forms:
        assert len(found_in(folder, form)) == len(forms), form


def test_a_section_with_all_words_comes_before_one_that_repeats_a_rare_one(documentation):
    sections = {
        "one": ("Stripes", "zebra zebra zebra"),
        "both": ("Animals", "the zebra and the horse"),
        **{f"horse{n}": (f"Stable {n}", "horse") for n in range(2)},
        **{f"other{n}": (f"Other {n}", "none of these") for n in range(6)},
    }
    assert found_in(documentation(sections), "zebra horse")[0] == "both"


def test_a_heading_counts_more_than_text_and_instructions_more_than_reasons(documentation):
    sections = {
        "why": ("Why", "remind, remind, remind"),
        "text": ("Mail", "remind, remind, remind"),
        "heading": ("Remind people", "we write mails"),
        **{f"other{n}": (f"Other {n}", "nothing of the kind") for n in range(4)},
    }
    groups = {"why.html": "Explanation", "text.html": "How to", "heading.html": "How to"}
    folder = documentation(sections, groups=groups)
    assert found_in(folder, "remind") == ["heading", "text", "why"]


def test_names_of_tests_and_lists_of_links_are_not_searched(documentation):
    sections = {
        "promise": ("Promise", "It holds (tests/a.py::test_zebra tests/b.py)."),
        "links": ("Read on", "zebra"),
    }
    assert found_in(documentation(sections), "zebra") == []


def test_an_excerpt_begins_near_the_place_where_most_words_stand_and_is_escaped(documentation):
    text = f"age {'x ' * 100}. The known share of each age group & <b>gender</b> {'y ' * 100}"
    (result,) = search(documentation({"a": ("Known", text)}), "share age gender").results
    assert result.excerpt.startswith("…")
    assert result.excerpt.endswith("…")
    assert "known <mark>share</mark> of each <mark>age</mark> group &amp; " in result.excerpt
    assert "&lt;b&gt;<mark>gender</mark>&lt;/b&gt;" in result.excerpt


def test_signs_stand_beside_the_code_that_they_follow(documentation):
    text = "Copies of keys ( backup , migrate ) stay: doctor ."
    (result,) = search(documentation({"a": ("Keys", text)}), "doctor").results
    assert "Copies of keys (backup, migrate) stay: <mark>doctor</mark>." in result.excerpt
