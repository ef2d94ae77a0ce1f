"""P4: the channel is what it says, drawn by the page's own modules in a real browser."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import Page
from scipy import stats

from surveys.authoring.services import launch
from surveys.kinds.levels.promise import Weights
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.models import Question, Survey
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.kinds.question import field_name
from tests.bodies import items_of
from tests.browser import answering
from tests.factories import (
    add_long_scale,
    add_question,
    make_survey,
)
from tests.sixty import make_sixty

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
DRAWS = 100_000
GOLDEN = (
    Path(__file__).parents[1]
    / "surveys"
    / "randomized_response"
    / "drawing"
    / "golden_vectors.json"
)
OTHER_SOURCES = """
    for (const [object, name] of [[Math, 'random'], [Date, 'now'], [performance, 'now'],
                                  [crypto, 'randomUUID']]) {
        object[name] = () => { throw new Error(`${name} is not a source of chance`); };
    }
    window.words = 0;
    const original = crypto.getRandomValues.bind(crypto);
    // Single words come from the same generator in blocks: a call for each is most of the work.
    const block = new Uint32Array(16384);
    let used = block.length;
    crypto.getRandomValues = (array) => {
        window.words += array.length;
        if (!(array instanceof Uint32Array) || array.length > 1) return original(array);
        if (used === block.length) { original(block); used = 0; }
        array[0] = block[used];
        used += 1;
        return array;
    };
"""
DRAW_MANY = """async ([url, name, draws]) => {
    const { report } = await import(url);
    const fieldset = document.querySelector(`[data-name=${name}]`);
    const { dataset } = fieldset.closest('[data-slots]') ?? fieldset;
    const question = {
        codes: dataset.codes.split(' '), columns: dataset.columns.split(' '),
        weights: JSON.parse(dataset.weights), denominator: Number(dataset.denominator),
    };
    return question.columns.map((code) => {
        const sent = new Map(question.codes.map((other) => [other, 0]));
        const asked = { ...question, code };
        for (let draw = 0; draw < draws; draw += 1) {
            const one = report(asked);
            sent.set(one, sent.get(one) + 1);
        }
        return question.codes.map((other) => sent.get(other));
    });
}"""
# Every channel that the page holds: its weights, their denominator and the codes that it can send.
HELD = """() => [...document.querySelectorAll('[data-weights]')].map(({ dataset }) =>
    [JSON.parse(dataset.weights), Number(dataset.denominator), dataset.codes.split(' ')])"""


def in_audit(*places: int) -> list:
    """Questions of designs that `make audit` draws, by the same module of the page."""
    return [pytest.param(place, marks=pytest.mark.audit) for place in places]


def url(module: str) -> str:
    return staticfiles_storage.url(f"surveys/collecting/{module}.js")


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Its documents count the words that they draw, and know no other source of chance."""
    with page.add_init_script(OTHER_SOURCES):
        yield page


@pytest.fixture
def survey(owner) -> Survey:
    """One protected question per design, five options, and a long scale."""
    draft = make_survey(owner)
    kinds, designs = Question.Kind, Question.Design
    five = ("A", "B", "C", "D", "E")
    add_question(draft, text="two coins, two levels", required=True)
    add_question(draft, text="two coins, three levels")
    add_question(
        draft, text="forced", required=True, design=designs.FORCED_RESPONSE, forced="1/6, 1/6"
    )
    add_question(
        draft,
        *five[:4],
        text="k-ary",
        kind=kinds.CHOICE,
        required=True,
        design=designs.K_ARY,
        epsilon=1,
    )
    add_question(draft, *five, text="five", kind=kinds.SCALE, required=True)
    add_long_scale(draft)
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def lower_bound_of_epsilon(counts: np.ndarray, item: PromisedQuestion) -> float:
    """What the draws alone prove about epsilon, with a joint error of 1e-6.

    Clopper-Pearson bounds for every entry; the largest ratio of a lower to an upper bound. Entries
    that are never sent stay out. Where there is a second question, both bounds are averaged over
    its answers, as its share says.
    """
    error = 1e-6 / (2 * counts.size)
    low = np.nan_to_num(stats.beta.ppf(error, counts, DRAWS - counts + 1))
    high = np.nan_to_num(stats.beta.isf(error, counts + 1, DRAWS - counts), nan=1.0)
    second = getattr(item, "second", None)
    shares = [float(share) for share in second.shares] if second else [None]
    return max(_largest_log_ratio(_mixed(low, share), _mixed(high, share)) for share in shares)


def _mixed(bounds: np.ndarray, share: float | None) -> np.ndarray:
    return bounds if share is None else (1 - share) * bounds[::2] + share * bounds[1::2]


def _largest_log_ratio(low: np.ndarray, high: np.ndarray) -> float:
    pairs = itertools.permutations(range(len(low)), 2)
    with np.errstate(divide="ignore"):
        return max(float(np.log(low[x] / high[other]).max()) for x, other in pairs)


def channels_of(items: Iterable[PromisedQuestion]) -> list[list[object]]:
    """Those of a revision, as ``HELD`` returns what the page has."""
    return [
        [
            [list(column) for column in weights_of(item)],
            item.denominator,
            [level.code for level in item.reported_levels],
        ]
        for item in items
        if item.is_drawn
    ]


def weights_of(item: PromisedQuestion) -> Weights:
    """The promised weights, of each true answer or pair of answers."""
    return item.pairs if isinstance(item, PairedQuestion | GroupedQuestion) else item.weights


def drawn_matrix(item: PromisedQuestion) -> np.ndarray:
    """The promised probabilities, a row for each true answer or pair of answers."""
    return np.array(weights_of(item)) / item.denominator


@pytest.mark.parametrize("place", [0, 3, *in_audit(1, 2, 4, 5)])
def test_draws_follow_the_matrix_and_prove_no_more_than_epsilon(page, server, survey, place):
    answering.open_start(page, server, survey)
    item = items_of(survey)[place]
    name = f"q{place + 1:03d}"
    check_draws(page, item, name)


@pytest.mark.parametrize("place", [0, 4, *in_audit(1, 2, 5)])
def test_draws_of_one_of_two_answers_follow_their_matrix_too(page, server, other_survey, place):
    answering.open_start(page, server, other_survey)
    check_draws(page, items_of(other_survey)[place], f"q{place + 1:03d}")


@pytest.mark.parametrize(
    ("place", "name"), [(2, "q003i03"), pytest.param(3, "q004i01", marks=pytest.mark.audit)]
)
def test_every_rating_is_drawn_from_its_share_of_epsilon(page, server, rating_survey, place, name):
    answering.open_start(page, server, rating_survey)
    check_draws(page, items_of(rating_survey)[place], name)


@pytest.mark.audit
def test_draws_of_sixty_questions_of_every_kind_follow_their_matrices(page, server, owner):
    survey = make_sixty(owner)
    answering.open_start(page, server, survey)
    drawn = [(place, item) for place, item in enumerate(items_of(survey)) if item.is_drawn]
    for place, item in drawn:
        rated = isinstance(item, RatingQuestion)  # of which each item stands for itself in the page
        check_draws(page, item, item.fields(place)[0] if rated else field_name(place))
    print(f"{len(drawn)} channels, {DRAWS:,} draws from each of their columns")


def test_the_ratings_of_one_respondent_are_drawn_independently(page, server, rating_survey):
    """All true ratings are alike: whatever two slots send, they send without each other.

    20,000 bodies written by the page itself; a true null fails with probability 1e-7.
    """
    answering.open_start(page, server, rating_survey)
    counts = page.evaluate(
        """async ([url, times]) => {
            const { bodyOf, read } = await import(url);
            const slots = [...document.querySelectorAll('[data-name^=q003]')];
            for (const slot of slots) slot.querySelector('input[value="01"]').checked = true;
            const counts = {}, asked = slots.map(read);
            for (let time = 0; time < times; time += 1) {
                const fields = (await bodyOf('', asked)).split('&').slice(-slots.length);
                const sent = fields.map((field) => field.slice(-2)).join();
                counts[sent] = (counts[sent] ?? 0) + 1;
            }
            return counts;
        }""",
        [url("send"), 20_000],
    )
    assert sum(counts.values()) == 20_000
    for one, two in itertools.combinations(range(3), 2):
        table = np.zeros((4, 4))
        for sent, count in counts.items():
            levels = [int(level) for level in sent.split(",")]
            table[levels[one], levels[two]] += count
        assert stats.chi2_contingency(table).pvalue > 1e-7, table


def check_draws(page: Page, item: PromisedQuestion, name: str) -> None:
    """A true null fails one comparison with probability 1e-7."""
    counts = np.array(page.evaluate(DRAW_MANY, [url("channel"), name, DRAWS]))
    assert counts.shape == drawn_matrix(item).shape
    for promised, observed in zip(drawn_matrix(item), counts, strict=True):
        assert observed[promised == 0].sum() == 0
        assert observed.sum() == DRAWS
        sent = promised > 0
        if sent.sum() > 1:
            expected = promised[sent] * DRAWS
            assert stats.chisquare(observed[sent], expected).pvalue > 1e-7, observed
    epsilon = item.channel.epsilon if isinstance(item, SlottedQuestion) else item.epsilon
    assert 0.9 * epsilon < lower_bound_of_epsilon(counts, item) <= epsilon
    assert page.evaluate("window.words") >= counts.sum()


def test_nothing_is_drawn_where_two_answers_are_compared(page, server, other_survey):
    answering.open_start(page, server, other_survey)
    assert isinstance(items_of(other_survey)[3], ComparedQuestion)
    compared = page.locator("[data-name=q004]")
    assert compared.get_attribute("data-weights") is None
    assert compared.locator("input").count() == 2


def test_one_question_uses_the_largest_denominator(survey):
    assert max(item.denominator for item in items_of(survey)) == 2**32
    assert [item.denominator for item in items_of(survey)][:3] == [4, 6, 6]
    assert math.isclose(items_of(survey)[0].epsilon, math.log(3))


def test_python_and_the_browser_agree_on_every_golden_vector(page, server):
    text = GOLDEN.read_text()
    page.goto(server.url + url("channel"))
    drawn = page.evaluate(
        """async ([url, text]) => {
            const { draw } = await import(url);
            return JSON.stringify(JSON.parse(text).map((vector) => {
                let used = 0;
                const next = () => vector.words[used++];
                const { weights, denominator, true_level } = vector;
                return [draw(weights[true_level], denominator, next), used];
            }));
        }""",
        [url("channel"), text],
    )
    vectors = json.loads(text)
    assert len(vectors) > 100
    assert json.loads(drawn) == [[vector["reported"], vector["words_used"]] for vector in vectors]


def test_words_that_would_bias_a_remainder_are_thrown_away(page, server):
    page.goto(server.url + url("channel"))
    used = page.evaluate(
        """async (url) => {
            const { uniform } = await import(url);
            const used = (bound, words) => {
                let place = 0;
                const result = uniform(bound, () => words[place++]);
                return [result, place];
            };
            return [used(3, [4294967295, 4294967294, 1]), used(6, [4294967292, 5]),
                    used(2 ** 32, [4294967295]), used(4, [4294967295])];
        }""",
        url("channel"),
    )
    assert used == [[2, 2], [5, 2], [4294967295, 1], [3, 1]]


@pytest.mark.parametrize(
    # The other designs: of all sixty questions test_one_walk.py shows it.
    "fixture",
    ["survey", pytest.param("other_survey", marks=pytest.mark.audit), "rating_survey"],
)
def test_the_browser_holds_the_very_channel_of_the_revision(page, server, request, fixture):
    survey = request.getfixturevalue(fixture)
    answering.open_start(page, server, survey)
    assert page.evaluate(HELD) == channels_of(items_of(survey))


def test_each_submission_has_its_own_random_key_and_draws_once(page, server, survey):
    bodies = []
    page.on("request", lambda r: bodies.append(r.post_data) if r.method == "POST" else None)
    for _ in range(2):
        answering.go_to_questions(page, server, survey)
        before = page.evaluate("window.words")
        answering.answer_all(page, ("Yes", "Yes", "Yes", "A", "A", "4"))
        assert page.evaluate("window.words") == before  # nothing is drawn before sending
        answering.send(page)
        assert page.evaluate("window.words") >= before + 4 + 5
    keys = Counter(body.split("&")[1] for body in bodies)
    assert len(keys) == 2
