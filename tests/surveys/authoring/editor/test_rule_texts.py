"""A rule that is typed as a text: any shape, over names and values; errors with their column."""

import pytest
from django.db import models
from django.urls import reverse

from surveys.authoring.draft.rules import ruled
from surveys.authoring.drafts import item_of
from surveys.authoring.editor.copies import copy_survey
from surveys.authoring.editor.orders import arrange_questions
from surveys.authoring.editor.renames import rename_in_rules
from surveys.authoring.editor.rule_texts import RuleTexts
from surveys.models import Question
from surveys.models.refusals import NotPossible
from tests import factories
from tests.question_forms import question_form

pytestmark = pytest.mark.django_db
TANGLED = "(car is yes and (trips > 3 or often is 1)) or trips is missing"
FREE = {"design": "direct"}


@pytest.fixture
def asked(draft) -> Question:
    """A question behind a yes or no, a scale, a number and a multiple choice, all direct."""
    factories.add_question(draft, name="car", text="Do you own a car?", **FREE)
    factories.add_question(draft, "Never", "Daily", kind="scale", name="often", **FREE)
    factories.add_question(
        draft, kind="number", name="trips", minimum=0, maximum=30, text="Trips?", **FREE
    )
    factories.add_ticks(draft, "Bus", "Car", name="travel", **FREE)
    return factories.add_question(draft, text="And why?", section="On the road", **FREE)


def page_of(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def save(client, question: Question, **fields: object):
    form = question_form(question, **{"section": question.section, **fields})
    return client.post(page_of(question), form, follow=True)


def text_of(question: Question) -> str:
    return RuleTexts(question.survey, Question.objects.get(pk=question.pk)).own


def launched_rule(question: Question) -> object:
    rows = list(question.survey.questions.prefetch_related("options", "conditions"))
    items, reasons = ruled(question.survey, rows, [item_of(row) for row in rows])
    assert reasons == []
    rule = items[rows.index(question)].rule
    return rule.to_document() if rule else None


@pytest.mark.parametrize("text", [TANGLED, "not (car is yes and trips < 3)", "not (trips ≥ 10)"])
def test_a_text_of_any_shape_is_kept_and_asks_whom_it_says(staff, asked, text):
    save(staff, asked, rule_text=text)
    assert text_of(asked) == text
    assert text in staff.get(page_of(asked)).context["adminform"].form.initial["rule_text"]
    listed = staff.get(reverse("admin:surveys_survey_questions", args=[asked.survey_id]))
    assert " is " in listed.content.decode()
    log = staff.get(reverse("surveys:audit", args=[asked.survey_id])).content.decode()
    assert "how conditions are joined" in log
    assert launched_rule(asked) is not None


def test_the_launched_rule_is_the_text(staff, asked):
    save(staff, asked, rule_text="not (car is yes and trips is 3) or chosen(travel, 2)")
    three = {"all": [{"most": [3, 3]}, {"not": {"less": [3, 3]}}]}
    assert launched_rule(asked) == {
        "any": [{"not": {"is": [1, "01"]}}, {"not": three}, {"is": [4, "02"]}]
    }


def test_a_text_that_lines_say_becomes_lines_and_the_text_shows_lines(staff, asked):
    save(staff, asked, rule_text="car is yes and (trips < 3 or often is 2)")
    asked.refresh_from_db()
    assert asked.rule_shape is None
    rows = asked.conditions.values_list("source__name", "comparison", "value", "bracket")
    assert sorted(rows, key=str) == [
        ("car", "is", "Yes", None),
        ("often", "is", "Daily", 1),
        ("trips", "less", "3", 1),
    ]
    assert text_of(asked) == "car is yes and (often is 2 or trips < 3)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "car is yes and tripz > 3",
            "Column 16: No earlier question is called “tripz”. Check this name.",
        ),
        (
            "often is 3",
            "Column 1: The rule compares “often” with “3”, which is not an answer to “often”.",
        ),
        ("car is yes and (trips > abc)", "Column 17: The rule compares “trips” with “abc”"),
        ("car is yes and", "Column 15: Write the name of a question here."),
        ("car > yes", "Column 1: The comparison “more” does not fit “car”."),
        ("not not trips > 99", "Column 1: The rule is never met."),
        ("q005 is yes", "No earlier question is called “q005”. Check this name."),
        ("((((", "Column 5: Write the name of a question here."),
        ("not " * 40 + "car is yes", "Too many brackets are nested inside each other."),
        (
            " and ".join(["car is yes or often is 1"] * 150),
            "A condition can have at most 4000 characters",
        ),
        ("\u202ecar is yes", "Column 1"),
        ("<script>", "Column 1"),
        ("car is “yes", "Column 8: The quotation mark is not closed"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_column_and_nothing_is_lost(
    staff, asked, text, problem
):
    save(staff, asked, rule_text="car is yes")
    page = save(staff, asked, rule_text=text)
    form = page.context["adminform"].form
    assert problem in " ".join(map(str, form.errors["rule_text"]))
    assert form["rule_text"].value() == text
    assert text_of(asked) == "car is yes"


def test_a_text_that_is_emptied_takes_a_tree_away_and_leaves_lines(staff, asked):
    save(staff, asked, rule_text=TANGLED)
    save(staff, asked, rule_text="")
    asked.refresh_from_db()
    assert (asked.rule_shape, asked.conditions.count()) == (None, 0)
    save(staff, asked, rule_text="car is yes")
    row = asked.conditions.get()
    kept = {
        "conditions-INITIAL_FORMS": 1,
        "conditions-TOTAL_FORMS": 1,
        "conditions-0-id": row.pk,
        "conditions-0-question": asked.pk,
        "conditions-0-source": row.source_id,
        "conditions-0-comparison": "is",
        "conditions-0-value": "Yes",
    }
    save(staff, asked, rule_text="", **kept)
    assert text_of(asked) == "car is yes"


def line(source: Question) -> dict[str, object]:
    return {
        "conditions-TOTAL_FORMS": 1,
        "conditions-0-source": source.pk,
        "conditions-0-comparison": "is",
        "conditions-0-value": "No",
    }


def test_lines_and_a_text_that_say_different_things_are_refused_and_kept(staff, asked):
    car = asked.survey.questions.get(name="car")
    page = save(staff, asked, rule_text="trips > 3", **line(car))
    twice = "Keep only one of the two: empty the text, or remove the conditions."
    assert twice in page.content.decode()
    assert not asked.conditions.exists()
    save(staff, asked, rule_text=TANGLED)
    page = save(staff, asked, rule_text=TANGLED, **line(car))
    assert twice in page.content.decode()
    assert text_of(asked) == TANGLED
    save(staff, asked, rule_text="", **line(car))
    assert text_of(asked) == "car is no"
    asked.refresh_from_db()
    assert asked.rule_shape is None


def test_a_form_without_the_field_leaves_the_rule_as_it_is(staff, asked):
    save(staff, asked, rule_text=TANGLED)
    save(staff, asked)
    assert text_of(asked) == TANGLED


def test_a_new_question_has_its_rule_at_once(staff, draft, asked):
    fields = question_form(text="New?", survey=draft.pk, rule_text=TANGLED)
    staff.post(reverse("admin:surveys_question_add"), fields)
    assert text_of(draft.questions.get(text="New?")) == TANGLED


def test_an_answer_that_is_renamed_keeps_its_rule_and_one_that_is_gone_is_shown(staff, asked):
    save(staff, asked, rule_text=TANGLED)
    often = asked.survey.questions.get(name="often")
    rename_in_rules(often, {"Never": "Not once"})
    often.options.filter(text="Never").update(text="Not once")
    assert text_of(asked) == TANGLED
    often.options.filter(text="Not once").delete()
    assert text_of(asked) == TANGLED.replace("often is 1", 'often is "Not once"')


def test_a_copy_has_the_same_rules(staff, asked):
    save(staff, asked, rule_text=TANGLED, section_rule="car is yes")
    copy = copy_survey(survey=asked.survey, by=asked.survey.owner)
    texts = RuleTexts(copy, copy.questions.get(text="And why?"))
    assert (texts.own, texts.of_section) == (TANGLED, "car is yes")


def test_the_rule_of_a_section_joins_those_of_its_questions(staff, draft, asked):
    after = factories.add_question(draft, text="What else?", **FREE)
    save(staff, asked, section_rule="car is yes", rule_text="trips > 3")
    section, above = {"is": [1, "01"]}, {"all": [{"answered": [3]}, {"not": {"most": [3, 3]}}]}
    assert launched_rule(asked) == {"all": [section, above]}
    assert launched_rule(after) == section
    listed = staff.get(reverse("admin:surveys_survey_questions", args=[draft.pk]))
    assert "asked if <bdi>1 is Yes</bdi>" in " ".join(listed.content.decode().split())
    save(staff, asked, section_rule="", rule_text="trips > 3")
    assert launched_rule(after) is None


def test_a_section_s_rule_needs_a_title_and_direct_answers(staff, draft, asked):
    Question.objects.filter(pk=asked.pk).update(position=9)
    factories.add_question(draft, name="secret")
    save(staff, asked, section_rule="secret is yes")
    page = staff.get(reverse("admin:surveys_survey_questions", args=[draft.pk]))
    assert (
        "The rule of this section depends on question 5, which is protected"
        in page.content.decode().replace("\n", " ")
    )
    save(staff, asked, section_rule="car is yes", section="")
    page = staff.get(reverse("admin:surveys_survey_questions", args=[draft.pk]))
    assert (
        "This question has a rule for a section, but no title for the section"
        in page.content.decode()
    )


def test_a_follow_up_has_its_section_s_rule_through_its_family(staff, draft, asked):
    head = factories.add_question(draft, text="Ever?", name="head")
    follow = factories.add_question(draft, text="Lately?")
    save(staff, asked, section_rule="car is yes")
    save(staff, follow, rule_text="head is yes")
    assert launched_rule(head) == {"is": [1, "01"]}
    assert launched_rule(follow) == {"is": [6, "01"]}


def test_the_page_lists_the_names_and_values_that_a_rule_may_use(staff, asked):
    content = " ".join(staff.get(page_of(asked)).content.decode().split())
    assert "<code>often</code> 2. <bdi>" in content
    assert "<code>2</code> <bdi>Daily</bdi>" in content


def test_a_launched_survey_shows_the_text_and_takes_no_other(staff, asked):
    save(staff, asked, rule_text=TANGLED)
    Question.objects.filter(name="car").update(section="First of all")
    factories.launched(asked.survey)
    page = staff.get(page_of(asked)).content.decode()
    assert TANGLED.replace(">", "&gt;") in page
    assert 'name="rule_text"' not in page


def test_people_who_answer_by_hand_read_whom_a_rule_asks(client, staff, asked):
    save(staff, asked, rule_text=TANGLED)
    Question.objects.filter(name="car").update(section="First of all")
    survey = factories.launched(asked.survey)
    page = client.get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()
    words = " ".join(page.split())
    assert "Only if (you answered “Yes” to question 1 and (you wrote more than 3" in words
    assert "or you answered “Never” to question 2)) or you gave no answer to question 3." in words


# ---- What else is changed meanwhile --------------------------------------------------------------


def opened(staff, question: Question, **fields: object) -> dict[str, object]:
    """What the form of a page sends as it was opened."""
    form = staff.get(page_of(question)).context["adminform"].form
    names = ("rule_text", "section_rule", "as_read")
    stored = {name: form[name].value() or "" for name in names}
    return {"section": question.section, **stored, **fields}


def test_a_page_that_was_opened_before_options_were_numbered_anew_changes_no_rule(staff, asked):
    save(staff, asked, rule_text="often is 1")
    sent = opened(staff, asked, help="Briefly.")
    often = asked.survey.questions.get(name="often")
    often.options.update(position=models.F("position") + 1)
    often.options.create(text="Once a year", position=0)
    page = save(staff, asked, **sent)
    assert "because another person changed this question" in page.content.decode()
    assert text_of(asked) == "often is 2"


def test_a_page_that_was_opened_before_questions_moved_changes_no_rule(staff, draft):
    first, second = (factories.add_question(draft, text=text, **FREE) for text in ("A?", "B?"))
    third = factories.add_question(draft, text="C?", **FREE)
    save(staff, third, rule_text="q002 is yes")
    sent = opened(staff, third, help="Briefly.")
    typed = opened(staff, third, rule_text="q001 is yes")
    Question.objects.filter(pk=first.pk).update(position=1)
    Question.objects.filter(pk=second.pk).update(position=0)
    for fields in (sent, typed):
        page = save(staff, third, **fields)
        assert "because another person changed this question" in page.content.decode()
    assert third.conditions.get().source == second


def test_a_rule_that_is_typed_over_other_names_than_those_of_now_is_asked_about(staff, draft):
    first, second = (factories.add_question(draft, text=text, **FREE) for text in ("A?", "B?"))
    third = factories.add_question(draft, text="C?", **FREE)
    typed = opened(staff, third, rule_text="q001 is yes")
    Question.objects.filter(pk=first.pk).update(position=1)
    Question.objects.filter(pk=second.pk).update(position=0)
    page = save(staff, third, **typed)
    assert "because another person changed this question" in page.content.decode()
    assert not third.conditions.exists()


def test_a_move_of_other_questions_disturbs_no_page_without_a_typed_rule(staff, asked):
    sent = opened(staff, asked, help="Briefly.")
    Question.objects.filter(name="car").update(name="vehicle")
    save(staff, asked, **sent)
    asked.refresh_from_db()
    assert asked.help == "Briefly."


def test_a_page_in_a_section_has_the_section_s_rule_though_it_follows_a_protected_answer(
    staff, draft, asked
):
    factories.add_question(draft, text="Ever?", name="head")
    note = factories.add_question(draft, text="Read this.", kind="info", **FREE)
    save(staff, asked, section_rule="car is yes")
    save(staff, note, rule_text="head is not yes")
    rule = {"all": [{"is": [1, "01"]}, {"not": {"is": [6, "01"]}}]}
    assert launched_rule(note) == rule


def test_the_first_question_of_a_ruled_section_is_not_taken_from_the_others(staff, draft, asked):
    after = factories.add_question(draft, text="What else?", **FREE)
    save(staff, asked, section_rule="car is yes")
    delete = reverse("admin:surveys_question_delete", args=[asked.pk])
    page = staff.post(delete, {"post": "yes"}, follow=True)
    assert "If you move or delete only this question" in page.content.decode()
    assert Question.objects.filter(pk=asked.pk).exists()
    keys = list(draft.questions.values_list("pk", flat=True))
    moved = [*keys[:-2], after.pk, asked.pk]
    with pytest.raises(NotPossible, match="begins a section with a rule"):
        arrange_questions(survey=draft, shown=keys, order=moved, by=draft.owner)
    whole = [keys[-2], keys[-1], *keys[:-2]]
    arrange_questions(survey=draft, shown=keys, order=whole, by=draft.owner)
    save(staff, asked, section_rule="")
    staff.post(delete, {"post": "yes"})
    assert not Question.objects.filter(pk=asked.pk).exists()


@pytest.mark.parametrize("field", ["rule_text", "section_rule"])
def test_a_text_that_asks_all_people_is_refused_and_the_rule_stays(staff, asked, field):
    save(staff, asked, **{field: "car is yes"})
    page = save(staff, asked, **{field: "trips is not 200"})
    assert "Column 1: This rule is always met." in page.content.decode()
    texts = RuleTexts(asked.survey, Question.objects.get(pk=asked.pk))
    assert "car is yes" in (texts.own, texts.of_section)


def test_lines_whose_text_is_longer_than_any_that_is_typed_can_be_saved(staff, draft):
    names = [f"Town {number}" for number in range(290)]
    town = factories.add_question(draft, *names, kind="choice", name="a" * 24, **FREE)
    asked = factories.add_question(draft, text="Why there?", **FREE)
    factories.add_condition(asked, town, value="|".join(names[:90]))
    factories.add_condition(asked, town, "is_not", value="|".join(names[100:190]))
    sent = opened(staff, asked, help="Briefly.")
    assert len(sent["rule_text"]) > 4000
    save(staff, asked, **sent)
    asked.refresh_from_db()
    assert asked.help == "Briefly."


def test_a_rename_says_which_section_follows(staff, asked):
    save(staff, asked, section_rule="often is 1")
    often = asked.survey.questions.get(name="often")
    page = save(staff, often, option_lines="Not once\nDaily")
    assert "Question 5 is asked if 2 is Not once." in page.content.decode()
