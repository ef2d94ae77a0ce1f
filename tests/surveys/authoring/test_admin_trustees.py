"""Questions are counted while they are locked: as drafts say it, and what they cannot promise."""

import json
from datetime import date

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.editor.copies import copy_survey
from surveys.authoring.editor.previews import preview_of
from surveys.models import AuditEntry, TallyTable, TallyTrustee
from surveys.questionnaire.plans.tallies import LockedTable
from surveys.trust import bundles
from surveys.trust.tally.group import ORDER
from surveys.trust.tally.trustees import trustee_of
from tests.counting import NAMES, secret_of, trustee_keys
from tests.factories import add_condition, add_question, add_rating, add_text, make_survey
from tests.question_forms import save_question
from tests.surveys.authoring.test_admin import change
from tests.surveys.authoring.text_keys import upload
from tests.surveys.authoring.trustees import add_tally, add_trustee, counted_draft, file_of, sent


@pytest.fixture
def draft(owner):
    return counted_draft(owner)


def trustees_of(survey) -> list[tuple[int, str]]:
    return list(survey.trustees.values_list("position", "name"))


def reasons_of(draft) -> str:
    with pytest.raises(NotReady) as refused:
        draft_questionnaire(draft)
    return " ".join(refused.value.reasons)


def test_a_draft_promises_its_tables_and_trustees(draft):
    promised = draft_questionnaire(draft).tally
    # A cell more, since people with a coin of their own answer question 1 alone.
    assert promised.tables == (LockedTable(1, (2, 3), 7, "4"),)
    assert promised.trustees == trustee_keys(*NAMES)


def test_uploaded_files_are_trustees_in_their_order_until_one_is_replaced(staff, owner):
    draft = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    files = [file_of("Grace"), file_of("Ada")]
    assert staff.post(change(draft), sent(draft, *files)).status_code == 302
    assert trustees_of(draft) == [(1, "Grace"), (2, "Ada")]
    replaced = {**sent(draft), "trustees-0-file": upload(file_of("Hedy"))}
    assert staff.post(change(draft), replaced).status_code == 302
    assert trustees_of(draft) == [(1, "Hedy"), (2, "Ada")]
    page = staff.get(change(draft)).content.decode()
    assert all(key.key[:16] in page for key in trustee_keys("Hedy", "Ada"))


def test_the_log_keeps_who_opens_totals_and_the_noise(staff, draft):
    staff.post(change(draft), sent(draft, file_of("Hedy")))
    entry = AuditEntry.objects.filter(survey=draft.pk, action="edited").get()
    (hedy,) = trustee_keys("Hedy")
    assert entry.after["trustee 3"] == f"Hedy: {hedy.key}"


def test_another_file_is_refused_in_words_and_nothing_of_it_is_kept(staff, draft):
    before = trustees_of(draft)
    forged = {**json.loads(file_of("Hedy")), "name": "Grace"}
    reply = staff.post(change(draft), sent(draft, json.dumps(forged).encode()))
    assert "A proof is not valid" in reply.content.decode()
    assert trustees_of(draft) == before


def test_a_key_twice_and_an_eighth_trustee_are_refused(staff, draft):
    for files in (["Ada"], list("ABCDEF")):
        assert staff.post(change(draft), sent(draft, *map(file_of, files))).status_code == 200
    assert len(trustees_of(draft)) == 2


def test_the_noise_of_a_table_is_typed_as_a_number_or_a_fraction(staff, draft):
    (stored,) = draft.locked_tables.all()
    row = {
        "locked_tables-TOTAL_FORMS": 1,
        "locked_tables-INITIAL_FORMS": 1,
        "locked_tables-0-id": str(stored.pk),
        "locked_tables-0-survey": str(draft.pk),
        "locked_tables-0-table": 1,
    }
    for typed in ("1e3", "838861"):
        fields = sent(draft, **row, **{"locked_tables-0-sigma": typed})
        assert (
            "Enter a whole number or a fraction"
            in staff.post(change(draft), fields).content.decode()
        )
    staff.post(change(draft), sent(draft, **row, **{"locked_tables-0-sigma": "9/2"}))
    assert list(draft.locked_tables.values_list("sigma", flat=True)) == ["9/2"]


def test_an_unfinished_draft_has_a_preview_without_a_ballot(draft):
    draft.trustees.all().delete()
    previewed, missing = preview_of(draft)
    assert previewed.tally is None
    assert len(missing) == 1


def test_a_copy_has_the_tables_and_no_trustee(draft, owner):
    copy = copy_survey(survey=draft, by=owner)
    assert [row.sigma for row in copy.locked_tables.all()] == ["4"]
    assert [question.counted_table for question in copy.questions.all()] == [None, 1, 1]
    assert not copy.trustees.exists()


def test_without_the_file_that_locks_no_table_can_be_chosen_and_one_that_was_can_be_left(
    staff, draft, monkeypatch, tmp_path
):
    monkeypatch.setattr(bundles, "DIRECTORY", tmp_path)
    assert "trustees-TOTAL" not in staff.get(change(draft)).content.decode()
    question, *counted = draft.questions.all()
    save_question(staff, question, counted_table=1)
    assert draft.questions.first().counted_table is None
    assert "This installation cannot count locked answers" in reasons_of(draft)
    for one in counted:
        address = reverse("admin:surveys_question_change", args=[one.pk])
        assert 'name="counted_table"' in staff.get(address).content.decode()
        save_question(staff, one, counted_table="")
    assert draft_questionnaire(draft).tally is None


# What cannot be promised.


def third(draft, **fields: object) -> None:
    draft.questions.filter(position=2).update(**fields)


def read_by_a_rule(draft) -> None:
    counted = draft.questions.get(position=1)
    add_condition(add_question(draft, design="direct"), counted)


def asked_of_some(draft) -> None:
    add_condition(draft.questions.get(position=2), draft.questions.get(position=0))


def behind_a_protected_answer(draft) -> None:
    draft.questions.filter(position=0).update(design="two_coins")
    add_condition(draft.questions.get(position=2), draft.questions.get(position=0))


def many_cells(draft) -> None:
    options = [str(number) for number in range(15)]
    add_question(
        draft, *options, kind="choice", design="direct", required=True, counted_table=1, text="M"
    )


def four_together(draft) -> None:
    for text in "AB":
        add_question(draft, design="direct", required=True, counted_table=1, text=text)


def five_ratings(draft) -> None:
    for _ in range(5):
        add_rating(draft)


def counted_text(draft) -> None:
    add_text(draft, counted_table=1)


def budget_of_texts(draft) -> None:
    add_text(draft)
    draft.budgets.update(source="text")


@pytest.mark.parametrize(
    ("change_draft", "words"),
    [
        (
            lambda draft: third(draft, design="two_coins"),
            "The design of this question already protects its answers",
        ),
        (
            lambda draft: third(draft, counted_table=3),
            "have the numbers 1, 3. Number the tables from 1 without gaps",
        ),
        (
            lambda draft: third(draft, counted_table=2),
            "Enter how much noise is added to locked table 2",
        ),
        (counted_text, "Only a yes-or-no question, a single choice or a scale can be counted"),
        (read_by_a_rule, "no rule can use question 2"),
        (
            asked_of_some,
            "question 2 are counted in the same locked table, but the two questions are not asked "
            "of the same people",
        ),
        (behind_a_protected_answer, "would learn the answer to question 1"),
        (many_cells, "have 91 cells together, but a page can lock only 60"),
        (four_together, "has 4 questions. Count at most 3"),
        (five_ratings, "locked if the server draws the items to rate"),
        (lambda draft: draft.trustees.all().delete(), "at least one trustee"),
        (lambda draft: draft.trustees.update(name="Eve"), "Trustees: A proof is not valid"),
        (lambda draft: draft.locked_tables.update(sigma="1/2"), "table 1 is below 1"),
        (
            lambda draft: draft.locked_tables.create(table=2, sigma="4"),
            "Locked table 2 has noise, but no question",
        ),
        (
            lambda draft: setattr(draft, "opening", "live"),
            "In a live survey, answers cannot be counted locked",
        ),
        (
            lambda draft: draft.budgets.all().delete(),
            "At a delta of 0.000001, epsilon must be at least 1.56",
        ),
        (budget_of_texts, "needs a budget for free texts and tables of answers"),
        (
            lambda draft: draft.budgets.update(adjacency="add_or_remove_one"),
            "says exactly how many people answered",
        ),
        (lambda draft: draft.budgets.update(epsilon=1), "epsilon must be at least 1.56"),
        (lambda draft: draft.locked_tables.update(sigma="1"), "epsilon must be at least 7.72"),
    ],
)
def test_what_cannot_be_promised_is_not_ready(draft, change_draft, words):
    change_draft(draft)
    assert words in reasons_of(draft)


def test_the_epsilon_that_is_named_is_the_least_that_does(draft):
    draft.budgets.update(epsilon="1.56")
    assert draft_questionnaire(draft).tally
    draft.budgets.update(epsilon="1.55")
    assert "epsilon must be at least 1.56" in reasons_of(draft)


def test_releases_that_take_the_whole_budget_leave_nothing(draft):
    draft.released_together, draft.release_share = 1, 100
    assert "No budget is large enough" in reasons_of(draft)
    draft.release_share = 50
    assert draft_questionnaire(draft).tally


def test_released_tables_alone_need_a_question_that_they_count(owner):
    draft = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    add_question(draft, design="direct", required=True, counted_table=1)
    add_tally(draft)
    draft.released_together, draft.release_share = 1, 50
    assert "the survey has no direct question that tables can count" in reasons_of(draft)


def test_questions_alone_that_are_counted_locked_make_a_survey(owner):
    draft = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    add_question(draft, design="direct", required=True, counted_table=1)
    add_tally(draft)
    promised = draft_questionnaire(draft)
    assert promised.tally.tables[0].cells == 2
    assert not promised.own_coin.is_offered


def test_after_the_launch_no_trustee_is_added(staff, draft):
    type(draft).objects.filter(pk=draft.pk).update(state="open")
    with pytest.raises(Exception, match="promised these trustees"):
        TallyTrustee(survey=draft, position=3, name="Hedy").clean()
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        add_trustee(draft, "Hedy", 3)


def test_a_deviation_that_no_form_takes_is_not_launched(draft):
    TallyTable.objects.update(sigma="0")
    assert "Enter how much noise is added to locked table 1." in reasons_of(draft)


def test_keys_that_cancel_each_other_are_named_and_the_preview_opens(draft, client, owner):
    other = trustee_of("Neg", ORDER - secret_of(NAMES[0]))
    draft.trustees.all().delete()
    add_trustee(draft, NAMES[0], 1)
    keys = {"key": other.key.hex(), "proof": other.proof.hex()}
    TallyTrustee.objects.create(survey=draft, position=2, name="Neg", **keys)
    assert reasons_of(draft).startswith("Trustees: ")
    client.force_login(owner)
    assert client.get(reverse("admin:surveys_survey_preview", args=[draft.pk])).status_code == 200
