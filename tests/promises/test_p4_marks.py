"""P4 for long lists: options are marked as the stored numbers say, by the page's own module."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from surveys.kinds.long_list.promise import Marking
from surveys.models import Survey
from tests.bodies import items_of
from tests.browser import answering
from tests.factories import make_lists
from tests.promises.test_p4_channel import OTHER_SOURCES, in_audit, url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
MARKS = (
    Path(__file__).parents[1] / "surveys" / "randomized_response" / "drawing" / "golden_marks.json"
)
LISTED = 20_000
MARK_MANY = """async ([url, name, truths, draws]) => {
    const { mark } = await import(url);
    const { dataset } = document.querySelector(`[data-name=${name}]`);
    const marking = JSON.parse(dataset.marking);
    const codes = (truth) => Array.from({ length: draws }, () => mark(marking, truth));
    return truths.map((truth) => codes(truth).join(' '));
}"""


@pytest.fixture
def lists(owner) -> Survey:
    return make_lists(owner)


def test_the_browser_holds_the_very_numbers_by_which_options_are_marked(page, server, lists):
    answering.open_start(page, server, lists)
    assert len(items_of(lists)) == 2
    for place, item in enumerate(items_of(lists)):
        held = page.locator(f"[data-name=q00{place + 1}]").get_attribute("data-marking")
        assert Marking(**json.loads(held)) == item.marks
        values = page.locator(f"[data-name=q00{place + 1}] option").evaluate_all(
            "options => options.map(({ value }) => value)"
        )
        assert [int(value) for value in values[1:]] == list(range(len(item.levels)))


def test_python_and_the_browser_agree_on_every_golden_mark(page, server, lists):
    text = MARKS.read_text()
    answering.open_start(page, server, lists)
    drawn = page.evaluate(
        """async ([url, text]) => {
            const { mark } = await import(url);
            return JSON.stringify(JSON.parse(text).map((vector) => {
                let used = 0;
                const next = () => vector.words[used++];
                return [mark(vector.marking, vector.true_level, next), used];
            }));
        }""",
        [url("lists"), text],
    )
    vectors = json.loads(text)
    assert len(vectors) > 100
    assert json.loads(drawn) == [[vector["code"], vector["words_used"]] for vector in vectors]


@pytest.mark.parametrize("place", [*in_audit(0), 1])
def test_marks_follow_the_stored_numbers_and_prove_no_more_than_epsilon(page, server, lists, place):
    """Each comparison fails by chance once in 10^7: 2 designs, 2 true options, 3 comparisons."""
    with page.add_init_script(OTHER_SOURCES):
        answering.open_start(page, server, lists)
    marking = items_of(lists)[place].marks
    truths = [0, marking.options - 1]
    name = f"q{place + 1:03d}"
    sent = page.evaluate(MARK_MANY, [url("lists"), name, truths, LISTED])
    drawn = [codes.split(" ") for codes in sent]
    counts = np.array([marking.support(codes) for codes in drawn])  # refuses any other code
    for truth, row, codes in zip(truths, counts, drawn, strict=True):
        assert stats.binomtest(int(row[truth]), LISTED, float(marking.p_true)).pvalue > 1e-7
        others = np.delete(row, truth)
        total = stats.binomtest(int(others.sum()), LISTED * len(others), float(marking.p_other))
        assert marking.size or total.pvalue > 1e-7
        assert stats.chi2.sf(*evenness(marking, truth, codes, others)) > 1e-7
    (a, b), (c, d) = counts[0][truths], counts[1][truths]
    assert 0.8 * marking.epsilon < proven_epsilon(a, b) <= marking.epsilon
    assert 0.8 * marking.epsilon < proven_epsilon(d, c) <= marking.epsilon


def evenness(marking: Marking, truth: int, codes: list[str], others) -> tuple[float, int]:
    """A chi-square statistic of the other options' counts, and its degrees of freedom.

    Independent marks have k - 1 degrees. In subsets, draw i takes w_i of k - 1 others: a count
    has the variance V = sum f_i (1 - f_i), f_i = w_i / (k - 1), and any two the covariance
    -V / (k - 2), so that (k - 2) / (k - 1) times the sum of squares over V has k - 2 degrees.
    """
    size = len(others)
    if not marking.size:
        q = float(marking.p_other)
        return float(((others - LISTED * q) ** 2).sum() / (LISTED * q * (1 - q))), size
    taken = np.array([marking.size - (truth in marking.marked(code)) for code in codes]) / size
    spread = ((others - taken.sum()) ** 2).sum() / (taken * (1 - taken)).sum()
    return float((size - 1) / size * spread), size - 1


def proven_epsilon(if_true: int, if_other: int) -> float:
    """The ratio of "this one is marked, that one is not", bounded from below (error 1e-6).

    Both bits' odds are bounded apart; for one option, p (1 - q) / (q (1 - p)) is e^epsilon of
    independent marks and, in subsets, of "in" against "out" a little less.
    """
    low = stats.beta.ppf(2.5e-7, if_true, LISTED - if_true + 1)
    high = stats.beta.isf(2.5e-7, if_other + 1, LISTED - if_other)
    return float(np.log(low * (1 - high) / (high * (1 - low))))
