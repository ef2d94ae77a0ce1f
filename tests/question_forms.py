"""What an author types into the pages of a survey and of a question, and saves."""

from django.test import Client
from django.urls import reverse

from surveys.models import Question, Survey

# What a question's form in the admin sends of a rule that it does not have.
NO_CONDITIONS = {
    "rule_joins": "all",
    "conditions-TOTAL_FORMS": 0,
    "conditions-INITIAL_FORMS": 0,
}


# Of a survey's form: no row of any key that is uploaded, nor of a table.
NO_KEYS = {
    f"{rows}-{count}_FORMS": 0
    for rows in ("text_keys", "trustees", "locked_tables")
    for count in ("TOTAL", "INITIAL")
}


def question_form(question: Question | None = None, **fields: object) -> dict[str, object]:
    """What the form sends, without options: of this question, or of a new yes or no."""
    usual: dict[str, object] = {"text": "Q?", "kind": "yes_no", "design": "two_coins"}
    if question is not None:
        usual = {name: getattr(question, name) for name in ("text", "kind", "design")}
        usual["survey"] = question.survey_id
    usual |= {"decimal_places": 0, "longest": 500, "shown": 0, **NO_CONDITIONS}
    return {**usual, "options-TOTAL_FORMS": 0, "options-INITIAL_FORMS": 0, **fields}


def save_question(client: Client, question: Question, **fields: object):
    """The reply to its form with these fields, and to where that leads."""
    address = reverse("admin:surveys_question_change", args=[question.pk])
    return client.post(address, question_form(question, **fields), follow=True)


def survey_form(survey: Survey, **fields: object) -> dict[str, object]:
    """What the form of a draft sends, with its questions and without a budget."""
    usual = {name: getattr(survey, name) for name in Survey.PROMISED}
    usual |= {"batch_size": 5, "invitation_only": "", "planned_responses": "", "asked": ""}
    usual |= {"released_together": "", "release_share": "", "also_in": []}
    usual |= {"voucher_wait": "", "script_only": "", "publish_rows": "", "marked_up": ""}
    usual |= NO_KEYS
    return {**usual, "budgets-TOTAL_FORMS": 0, "budgets-INITIAL_FORMS": 0, **fields}
