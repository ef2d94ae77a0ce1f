"""How replies become lines: what is kept, and what the list of masks takes out."""

from tests.golden.masks import masked
from tests.golden.pages import copy_of

PAGE = """<html><head><title>A &amp; B</title></head><body><nav>Nothing</nav><main>
<div class="x"><h1 class="y">Two  <em>words</em></h1></div>
<a class="z" href="/en/s/11111111-2222-4333-8444-555555555555/">Open</a>
<script type="application/json">{"a": [1, 2]}</script><style>p {}</style></main></body></html>"""


def test_a_page_is_its_title_and_its_elements_below_each_other_without_looks():
    assert copy_of("surveys:dashboard", PAGE.encode(), "text/html; charset=utf-8") == (
        "<title>\n A & B\n<main>\n <h1>\n  Two words\n <a> href=/en/s/[id 1]/\n  Open\n"
        ' <script> type=application/json\n{"a": [1, 2]}\n <style>\n'
    )


def test_a_line_that_moved_is_seen_and_only_shuffled_files_are_sorted():
    rows = b"a,b\r\n2,x\r\n1,y\r\n"
    assert copy_of("surveys:responses", rows, "text/csv") == "a,b\n1,y\n2,x\n"
    assert copy_of("surveys:codebook", rows, "text/csv") == "a,b\n2,x\n1,y\n"


def test_ids_become_numbers_so_that_equal_ones_stay_equal():
    first, second = (f"0b24f6e5-7d1f-4cf4-9a1c-{number:012}" for number in (1, 2))
    assert masked(f"{first} {second} {first}") == "[id 1] [id 2] [id 1]"


def test_nine_digits_of_a_number_are_kept():
    assert masked("0.1234567891234 -12.000000000001 3.25 1e-07") == "0.123456789 -12 3.25 1e-07"


def test_hashes_of_files_and_tokens_of_forms_are_left_out():
    form = b'<main><input type="hidden" name="csrfmiddlewaretoken" value="a1B2"></main>'
    assert copy_of("surveys:list", form, "text/html").endswith("value=[token]\n")
    assert masked("/static/surveys/web/pages.0123456789ab.css") == "/static/surveys/web/pages.css"
