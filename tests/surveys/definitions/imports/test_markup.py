"""Labels as plain text: what a reader saw, and nothing that a browser would run."""

import time

import pytest

from surveys.definitions.imports.markup import plain_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Age", "Age"),
        ("<b>How</b> old<br/>are you?", "How old\nare you?"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ('<a href="https://x.org">here</a>', "here (https://x.org)"),
        ("<script>alert(1)</script>Hi<style>p{}</style>", "Hi"),
        ("<script><b>never shown", ""),
        ("x < 3 and y > 2", "x < 3 and y > 2"),
        ("1 <2, a<b", "1 <2, a<b"),
        ("fish &amp; chips &lt;b&gt;", "fish & chips <b>"),
        ("<!-- gone -->here", "here"),
        ("a\r\n\r\n\r\n\r\nb\tc", "a\n\nb c"),
        ("bell\x07 half\ud800", "bell half"),
    ],
)
def test_html_becomes_the_text_that_it_shows(text, shown):
    assert plain_text(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**How** old?", "How old?"),
        ("# Part 1\ntext", "Part 1\ntext"),
        ("#1 of 3", "#1 of 3"),
        ("[our page](https://x.org), [b](c)", "our page (https://x.org), b (c)"),
        (r"Migrant\*innen \[sic\]", "Migrant*innen [sic]"),
        ("Name: ____ *", "Name: ____ *"),
        ("open [a](b", "open [a](b"),
    ],
)
def test_markdown_becomes_the_text_that_it_shows(text, shown):
    assert plain_text(text, has_markdown=True) == shown


@pytest.mark.parametrize(
    "pump", ["<", "<a ", "<a href='", "&", "[", "](", "**", "\\", "<!--", "<b>"]
)
def test_the_longest_hostile_cell_takes_no_time(pump):
    start = time.process_time()
    plain_text(pump * (32_767 // len(pump)), has_markdown=True)
    assert time.process_time() - start < 0.3
