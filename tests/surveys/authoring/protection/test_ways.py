"""Ways out of weak protection: each number is what the draft says once the change was made."""

from decimal import Decimal

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.protection.queries import every_way
from surveys.authoring.protection.services import take_way
from surveys.authoring.protection.ways import DrawPart, LeaveOut, ProtectMore, Way, lowered_to
from surveys.models import AuditEntry, Membership, Question, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.wording.learning import Learning, learning
from tests.factories import add_condition, add_question, launched, make_survey, make_user
from tests.families import add_family

DIRECT = Question.Design.DIRECT


def fresh(draft: Survey) -> Survey:
    return Survey.objects.get(pk=draft.pk)


def word(draft: Survey) -> Learning:
    return learning(draft_questionnaire(fresh(draft)))


def ways_of(draft: Survey, kind: type) -> list[Way]:
    return [way for way in every_way(fresh(draft)).values() if isinstance(way.change, kind)]


def left_out(draft: Survey) -> dict[tuple[int, ...], Way]:
    return {way.change.numbers: way for way in ways_of(draft, LeaveOut)}


@pytest.fixture
def weak(author) -> Survey:
    """A direct question, a family in which 2 has the follow-ups 3 to 5, and six protected ones."""
    draft = make_survey(author)
    add_question(draft, text="Do you own a car?", design=DIRECT)
    add_family(draft)
    for number in range(6):
        add_question(draft, text=f"Have you ever done this? {number}", required=True)
    return draft


@pytest.fixture
def plain(author) -> Survey:
    """Eight protected questions that all people are asked."""
    draft = make_survey(author)
    for number in range(8):
        add_question(draft, text=f"Have you ever done this? {number}", required=True)
    return draft


def test_a_draft_whose_word_is_no_needs_no_way_out(author):
    draft = make_survey(author)
    add_question(draft, required=True)
    assert every_way(draft) == {}


def test_an_unfinished_draft_has_none_yet(weak):
    add_question(weak, kind="choice", text="Which?")
    assert every_way(weak) == {}


@pytest.mark.parametrize("name", ["weak", "plain"])
def test_whichever_is_taken_the_draft_is_what_the_button_said(name, author, request):
    draft = request.getfixturevalue(name)
    before = draft_questionnaire(draft)
    assert learning(before) is Learning.PARTLY
    for code, way in every_way(draft).items():
        with transaction.atomic():
            take_way(survey=draft, code=code, by=author)
            made = draft_questionnaire(fresh(draft))
            transaction.set_rollback(True)
        assert made.loss == way.reached.loss
        assert made.loss.epsilon < before.loss.epsilon
        assert learning(made) == learning(way.reached)


@pytest.mark.parametrize(
    ("name", "kind"), [("weak", ProtectMore), ("plain", ProtectMore), ("plain", DrawPart)]
)
def test_changes_of_the_whole_draft_lead_to_each_better_word(name, kind, request):
    reached = [learning(way.reached) for way in ways_of(request.getfixturevalue(name), kind)]
    assert sorted(reached) == [Learning.NO, Learning.NOT_FOR_SURE]


def test_nothing_is_drawn_where_rules_ask_protected_questions(weak):
    """As launch refuses it: chance and a rule would both decide."""
    assert ways_of(weak, DrawPart) == []


def test_a_follow_up_is_left_out_alone_and_a_question_with_its_follow_ups(weak, author):
    assert set(left_out(weak)) == {(2, 3, 4, 5), (4,), (5,), *((n,) for n in range(6, 12))}
    take_way(survey=weak, code=left_out(weak)[4,].change.code, by=author)
    texts = list(weak.questions.values_list("text", flat=True))
    assert "Did you tell anybody?" not in texts
    take_way(survey=weak, code=left_out(weak)[2, 3, 4].change.code, by=author)
    assert weak.questions.count() == 7
    entry = AuditEntry.objects.filter(survey=weak.pk).order_by("-pk").first()
    assert entry
    assert (entry.action, entry.actor) == ("edited", author.pk)


def test_what_others_quote_or_ask_about_stays(weak):
    add_question(weak, text="You said {answer 6}. Was that true?", design=DIRECT)
    page = add_question(weak, text="You can get help", kind="info", design="direct", help="Call.")
    add_condition(page, weak.questions.all()[6])
    assert not {(6,), (7,)} & set(left_out(weak))


def test_two_coins_become_an_epsilon_and_what_is_smaller_stays(author):
    draft = make_survey(author)
    for epsilon in ("0.3", "2", "2"):
        add_question(draft, design="k_ary", epsilon=Decimal(epsilon), required=True)
    add_question(draft, required=True)
    add_question(draft, design="warner", p_sensitive="3/4", required=True)
    [way] = [one for one in ways_of(draft, ProtectMore) if learning(one.reached) is Learning.NO]
    take_way(survey=draft, code=way.change.code, by=author)
    stored = draft.questions.values_list("design", "epsilon")
    each = Decimal("0.53")  # (3 - ln 3 - .3) / 3, cut: what the first and the last one leave
    assert list(stored) == [("k_ary", Decimal("0.3")), *[("k_ary", each)] * 3, ("warner", None)]
    assert 2.9 < draft_questionnaire(fresh(draft)).loss.epsilon <= 3


@given(
    st.lists(st.floats(0.01, 5), min_size=1, max_size=20),
    st.floats(0.01, 30),
)
def test_lowered_epsilons_add_up_to_the_total(epsilons, total):
    least = lowered_to(total, epsilons)
    added = sum(min(least, epsilon) for epsilon in epsilons)
    assert added == pytest.approx(min(total, sum(epsilons)))


def test_with_a_part_drawn_fewer_and_smaller_ones_are_offered(author):
    draft = make_survey(author, asked=5)
    for _ in range(12):
        add_question(draft, required=True)
    [part] = ways_of(draft, DrawPart)
    assert (part.change.asked, learning(part.reached)) == (2, Learning.NO)
    [epsilon] = ways_of(draft, ProtectMore)
    assert epsilon.change.epsilon == Decimal("0.60")
    assert len(left_out(draft)) == 12


def test_what_was_offered_before_somebody_changed_the_draft_is_refused(weak, author):
    code = left_out(weak)[2, 3, 4, 5].change.code
    follow_up = add_question(weak, text="And then?", required=True)
    add_condition(follow_up, weak.questions.all()[1], value="Often")
    for stale in (code, "", "epsilon 9 for 1", "without " + str(follow_up.pk) + "x", "☃" * 5000):
        with pytest.raises(NotPossible, match="have changed since"):
            take_way(survey=weak, code=stale, by=author)
    assert weak.questions.count() == 12


def test_a_launched_survey_keeps_what_it_promised(author):
    draft = make_survey(author)
    for _ in range(4):
        add_question(draft, required=True)
    code = next(iter(every_way(draft)))
    survey = launched(draft)
    with pytest.raises(NotPossible):
        take_way(survey=survey, code=code, by=author)
    assert survey.questions.count() == 4


def test_who_may_not_edit_changes_nothing(weak):
    analyst = make_user("analyst")
    Membership.objects.create(survey=weak, user=analyst, role="analyst")
    with pytest.raises(NotAllowed):
        take_way(survey=weak, code=next(iter(every_way(weak))), by=analyst)
    assert fresh(weak).asked is None
