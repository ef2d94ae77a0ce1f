"""Authors' texts with marks as pages show them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from surveys.wording.language.marked import marked_line, marked_text

OURS = re.compile(r'</?(?:em|strong|p|ul|ol)>|<br>|<li(?: value="\d{1,3}")?>|</li>')


def test_a_line_has_its_emphasis():
    assert marked_line("Do *not*, **ever**.") == "Do <em>not</em>, <strong>ever</strong>."


def test_a_text_has_paragraphs_line_breaks_and_lists():
    assert marked_text("One\ntwo\n\n- a\n- *b*\n3. c") == (
        '<p>One<br>\ntwo</p>\n<ul><li>a</li><li><em>b</em></li></ul>\n<ol><li value="3">c</li></ol>'
    )


def test_markup_of_others_is_shown_as_it_was_written():
    assert marked_line("*<b>*") == "<em>&lt;b&gt;</em>"
    assert marked_text('<img src=x onerror="1">') == (
        "<p>&lt;img src=x onerror=&quot;1&quot;&gt;</p>"
    )


@given(st.text(alphabet='*-12. <>&"a\n', max_size=40))
def test_no_text_makes_an_element_that_is_not_ours(text):
    shown = marked_text(text)
    assert not set("<>") & set(OURS.sub("", shown))
    for name in ("em", "strong", "p", "ul", "ol", "li"):
        assert len(re.findall(f"<{name}[ >]", shown)) == shown.count(f"</{name}>")
