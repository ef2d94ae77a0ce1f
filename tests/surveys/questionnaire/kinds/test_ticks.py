"""Multiple choice: which options are sent, what that reveals, what is refused and estimated."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.authoring.question_forms import OptionLinesField
from surveys.collecting.services import receive
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.models import Question
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.logic.rules import Rule
from surveys.questionnaire.refusals import PartlyDeclined, TooManyTicks
from surveys.randomized_response.drawing import draw_reports
from surveys.results.codebook.book import codebook
from surveys.results.exports import responses_csv
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.wording.routes import route_line
from tests import factories
from tests.bodies import body_of, rating_code
from tests.posting import send_alike
from tests.ticked import asked, routed

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DESIGNS = Question.Design
NO, YES, DECLINED = 0, 1, 2
YES_CODE = "01"
TRAVEL = factories.TRAVEL


def item(owner, *options: str, **fields: object) -> TicksQuestion:
    question = factories.add_ticks(factories.make_survey(owner), *options, **fields)
    found = item_of(question)
    assert isinstance(found, TicksQuestion)
    return found


def law(asked: TicksQuestion, truth: tuple[int, ...]) -> dict[tuple, Fraction]:
    """Exactly, how often each (drawn options, their reports) is sent by a person."""
    draws = list(itertools.combinations(range(asked.size), asked.sent))
    levels = range(len(asked.levels))
    return {
        (drawn, sent): Fraction(1, len(draws))
        * math.prod(
            Fraction(asked.weights[truth[part]][report], asked.denominator)
            for part, report in zip(drawn, sent, strict=True)
        )
        for drawn in draws
        for sent in itertools.product(levels, repeat=asked.sent)
    }


def truths(asked: TicksQuestion) -> list[tuple[int, ...]]:
    sets = itertools.product((NO, YES), repeat=asked.size)
    allowed = [ticked for ticked in sets if sum(ticked) <= asked.most]
    return allowed if asked.decline_level is None else [*allowed, (DECLINED,) * asked.size]


@pytest.mark.parametrize(
    ("options", "fields", "ratio"),
    [
        ("abc", {}, 3),  # two coins, one option sent
        ("abc", {"shown": 2}, 9),
        ("abc", {"shown": 3}, 27),
        ("abcd", {"shown": 4, "most": 1}, 9),  # two sets of one option differ in two
        ("abcd", {"shown": 2, "most": 1}, 9),
        ("abcd", {"shown": 1, "most": 1}, 3),
        ("abc", {"required": False}, 4),  # three levels: e^epsilon = 4
        ("abc", {"shown": 3, "most": 1, "required": False}, 64),
    ],
)
def test_epsilon_is_exactly_what_all_draws_and_reports_reveal(owner, options, fields, ratio):
    found = item(owner, *options, **fields)
    laws = [law(found, truth) for truth in truths(found)]
    assert all(sum(one.values()) == 1 for one in laws)
    largest = max(max(one[y] for one in laws) / min(one[y] for one in laws) for y in laws[0])
    assert largest == ratio
    assert found.epsilon == pytest.approx(math.log(ratio))


@pytest.mark.parametrize("fields", [{}, {"shown": 2}, {"shown": 4, "most": 1}, {"required": False}])
def test_all_that_is_sent_together_reveals_no_more_than_the_author_allowed(owner, fields):
    found = item(owner, design=DESIGNS.K_ARY, epsilon=Decimal(2), **fields)
    assert 1.99 < found.epsilon <= 2


def test_which_options_are_sent_does_not_depend_on_the_answers(owner):
    """So it tells nothing of them: the law of the draw is the same for all answers."""
    found = item(owner, *"abc", shown=2)
    draws = {
        frozenset(
            (drawn, sum(p for (other, _), p in law(found, truth).items() if other == drawn))
            for drawn in itertools.combinations(range(3), 2)
        )
        for truth in truths(found)
    }
    assert len(draws) == 1


@pytest.mark.parametrize("fields", [{}, {"shown": 2}, {"shown": 3}])
def test_each_option_is_estimated_without_bias_among_those_of_whom_it_was_sent(owner, fields):
    """Exactly, by the debiasing column: E[u(Y) | sent] is 1 for a true tick, else 0."""
    found = item(owner, *"abc", **fields)
    column = found.channel.inverse[YES]
    for truth in truths(found):
        for part in range(3):
            seen = {key: p for key, p in law(found, truth).items() if part in key[0]}
            mean = sum(
                float(p) * column[sent[drawn.index(part)]] for (drawn, sent), p in seen.items()
            ) / float(sum(seen.values()))
            assert mean == pytest.approx(truth[part])


def test_estimates_of_simulated_respondents_lie_within_four_standard_errors(owner):
    found, rng, people = item(owner, shown=2), np.random.default_rng(7), 20_000
    shares = np.array([0.7, 0.4, 0.1, 0.02])
    ticked = rng.random((people, 4)) < shares
    chosen = rng.permuted(np.tile(np.arange(4), (people, 1)), axis=1)[:, :2]
    counts = np.zeros((4, 2), dtype=int)
    for slot in range(2):
        truth = ticked[np.arange(people), chosen[:, slot]].astype(int)
        np.add.at(counts, (chosen[:, slot], draw_reports(found.integer_channel, truth, rng)), 1)
    sent = ItemCounts(found, {"asked": people, found.not_asked: 0}, parts=tuple(map(tuple, counts)))
    report = question_report(1, sent, Reading())
    assert [row.label.split(" (")[0] for row in report.rows] == list(factories.TRAVEL)
    for row, share in zip(report.rows, shares, strict=True):
        assert abs(row.share - share) < 4 * row.standard_error
    assert "2 of the 4 parts of this question" in report.notes[0]


def test_notes_and_false_reports_rest_on_the_own_n_of_an_option(owner):
    """Ten false reports may all be about one option, of which far fewer reports came."""
    found = item(owner, *"abc")
    counts = ItemCounts(
        found, {"asked": 1000, found.not_asked: 0}, parts=((600, 349), (0, 50), (0, 1))
    )
    report = question_report(1, counts, Reading())
    assert report.false_reports == 10
    assert report.is_too_wide
    assert report.movement == pytest.approx(2)  # the only report about c could be false
    assert any("all reported answers are the same" in note for note in report.notes)
    assert any(
        "a single answer does not show how much answers differ" in note for note in report.notes
    )
    two = ItemCounts(
        found, {"asked": 1000, found.not_asked: 0}, parts=((600, 350), (20, 30), (0, 0))
    )
    assert question_report(1, two, Reading()).movement == pytest.approx(2 * 10 / 50)


def test_a_slot_is_the_number_of_an_option_and_a_level(owner):
    found = item(owner)
    assert found.fields(6) == ["q007s01"]
    assert found.read(["0301"], own_coin=False) == "0301"
    assert found.label("0301") == "Bicycle: Yes"


def test_500_options_with_equal_labels_are_refused_at_the_form(owner):
    with pytest.raises(Exception, match=r"You entered 500 options\. Offer at most"):
        OptionLinesField().clean("\n".join(["same"] * 500))


def test_more_than_six_options_are_too_many_coins(owner):
    found = item(owner, *"abcdefg", shown=7, most=1)
    assert found.recipe is not None
    assert not found.is_offered_with_own_coin


def test_the_die_draws_every_option_equally_often(owner):
    die = item(owner, *"abcde").die
    results = [die.place_of(str(side)) for side in range(1, 7)]
    assert results == [0, 1, 2, 3, 4, None]


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
@pytest.mark.parametrize(
    "fields", [{}, {"shown": 2}, {"design": DESIGNS.DIRECT, "required": False}]
)
def test_bodies_and_receipts_have_one_length_whatever_is_sent(client, owner, own_coin, fields):
    draft = factories.make_survey(owner)
    factories.add_ticks(draft, "Bus & tram", "Car", "Bicycle", "–", **fields)
    factories.add_question(draft, design=DESIGNS.DIRECT, required=True)
    survey = factories.launched(draft)
    codes = some_codes(questionnaire_of(survey.revision).items[0], own_coin=own_coin)
    send_alike(client, survey, *([code, "00"] for code in codes), own_coin=own_coin)


def some_codes(found: TicksQuestion, *, own_coin: bool) -> set[str]:
    """Every draw of options, all at each level, and the mark of a question that is not asked."""
    if own_coin and not found.is_offered_with_own_coin:
        return {found.not_asked}
    return {
        rating_code(found, dict.fromkeys(numbers, level))
        for numbers in itertools.combinations(range(1, 5), found.slots)
        for level in range(len(found.levels))
    }


def test_the_files_have_a_column_for_each_option_and_say_how_to_estimate_it(owner):
    survey = asked(owner, shown=2, most=3)
    for code in ("01010301", "02000401"):
        receive(survey_id=survey.pk, body=body_of(survey.revision, [code]))
    lines = [line.strip() for line in responses_csv(survey.revision, codes=True)]
    assert lines[0] == "q001_01_rep,q001_02_rep,q001_03_rep,q001_04_rep"
    assert sorted(lines[1:]) == [",00,,01", "01,,01,"]
    labels = sorted(line.strip() for line in responses_csv(survey.revision))[:2]
    assert labels == ["(not sent),No,(not sent),Yes", "Yes,(not sent),Yes,(not sent)"]
    (column,) = codebook(survey.revision, responses=2)["columns"]
    assert (column["parts_sent"], column["ticks_at_most"]) == (2, 3)
    third = {"name": "q001_03", "column": "q001_03_rep", "text": "Bicycle"}
    assert column["columns"][2] == third
    assert column["epsilon"] == pytest.approx(math.log(9))
    (counts,) = item_counts(survey.revision)
    assert counts.parts == ((0, 1), (1, 0), (0, 1), (0, 1))
    report = question_report(1, counts, Reading())
    assert [row.reported for row in report.rows] == [1, 0, 1, 1]
    assert report.n == 2


def test_the_first_page_says_what_is_sent_and_what_that_proves(owner, client):
    page = client.get(reverse("respondent:start", args=[asked(owner).pk])).content.decode()
    words = " ".join(page.split())
    assert (
        "picks one of 4 options by chance. Coins may change its Yes or No before sending." in words
    )
    assert "of 100 people who do not tick the option, about 25 send Yes anyway" in words


@pytest.mark.parametrize("own_coin", [True, False])
def test_more_direct_ticks_than_may_be_and_half_an_answer_are_refused(owner, own_coin):
    direct = item(owner, *"abc", design=DESIGNS.DIRECT, shown=3, most=1, required=False)
    assert direct.read(["0100", "0201", "0300"], own_coin=own_coin)
    assert direct.read(["0102", "0202", "0302"], own_coin=own_coin)
    with pytest.raises(TooManyTicks, match="2"):
        direct.read(["0101", "0201", "0300"], own_coin=own_coin)
    with pytest.raises(PartlyDeclined):
        direct.read(["0102", "0202", "0300"], own_coin=own_coin)


def test_reports_of_more_options_than_may_be_ticked_are_kept(owner):
    protected = item(owner, *"abc", shown=3, most=1)
    assert protected.read(["0101", "0201", "0301"], own_coin=False) == "010102010301"


def test_a_rule_names_ticks_in_words(owner):
    items = draft_questionnaire(routed(owner, "is", "Bus|Car"))
    assert route_line(items, 2) == "Only if you answered “Bus” or “Car” to question 1."
    items = draft_questionnaire(routed(owner, "marked", "2"))
    assert route_line(items, 2) == "Only if you chose 2 or more options (question 1)."


@pytest.mark.parametrize(
    ("value", "options", "reason"),
    [
        ("0", 4, "1 to 4"),
        ("5", 4, "1 to 4"),
        ("two", 4, "1 to 4"),
        ("12", 11, "1 to 11"),
    ],
)
def test_a_rule_on_ticks_that_makes_no_sense_is_refused(owner, value, options, reason):
    draft = routed(owner, "marked", value)
    for number in range(4, options):
        draft.questions.first().options.create(text=f"Way {number}", position=number)
    with pytest.raises(NotReady, match=reason):
        draft_questionnaire(draft)


def test_rules_name_at_most_ten_options_of_a_question_and_read_any_number(owner):
    draft = routed(owner, "marked", "20")
    for number in range(4, 32):
        draft.questions.first().options.create(text=f"Way {number}", position=number)
    assert draft_questionnaire(draft).items[1].rule
    condition = draft.questions.last().conditions.get()
    names = [f"Way {number}" for number in range(4, 15)]
    condition.comparison, condition.value = "is", " | ".join(names[:10])
    condition.save()
    assert draft_questionnaire(draft).items[1].rule
    other = factories.add_question(draft, text="And then?", design="direct")
    factories.add_condition(other, draft.questions.first(), "is_not", names[10])
    with pytest.raises(NotReady, match="more than 10 options of question 1"):
        draft_questionnaire(draft)


@pytest.mark.parametrize("most", [2, 5])
def test_what_rules_do_not_name_is_told_apart_by_how_many_are_ticked(owner, most):
    """All that any rule over these options says of all sets, it says of the sets that are tried."""
    ways = ("Bus", "Car", "Train", "Bike", "None")
    found = item(owner, *ways, design=DESIGNS.DIRECT, most=most, required=True)
    sets = [given for given in found.in_rules.told_apart(range(1, 6)) if given]
    assert len(sets) == sum(math.comb(5, ticks) for ticks in range(most + 1))
    named = Rule("is", 1, codes=("02",)), Rule("is", 1, codes=("02", "04"))
    atoms = (*named, *(Rule("marked", 1, number=count) for count in range(1, 6)))
    tried = [given for given in found.in_rules.told_apart((2, 4)) if given]
    assert len(tried) < len(sets)
    said = [
        {tuple(rule.holds({1: each}) for rule in atoms) for each in some} for some in (sets, tried)
    ]
    assert said[0] == said[1]


def test_the_loss_behind_ticks_is_that_of_the_dearest_branch(owner):
    """Whoever ticks Bus is asked two protected questions, others one: 9, and not 27."""
    draft = factories.make_survey(owner)
    ticks = factories.add_ticks(draft, design=DESIGNS.DIRECT)
    for number, comparison in enumerate(("is", "is", "is_not")):
        more = factories.add_question(draft, text=f"Habit {number}?", required=True)
        factories.add_condition(more, ticks, comparison, "Bus")
    loss = draft_questionnaire(draft).loss
    assert (loss.ratio, loss.is_exact) == (9, True)
