"""The list of a survey's questions, as a person fills it in."""

from collections.abc import Collection, Mapping

from django.urls import reverse

from surveys.models import Question, Survey


def list_page(survey: Survey) -> str:
    return reverse("admin:surveys_survey_questions", args=[survey.pk])


def list_form(
    survey: Survey, numbers: Mapping[Question, object], marked: Collection[Question] = ()
) -> dict[str, object]:
    """What the list's form sends with these numbers typed and these questions marked."""
    keys = list(survey.questions.values_list("pk", flat=True))
    fields: dict[str, object] = {"shown": " ".join(map(str, keys))}
    fields |= {f"number-{key}": number for number, key in enumerate(keys, start=1)}
    fields |= {f"number-{question.pk}": number for question, number in numbers.items()}
    return fields | {f"marked-{question.pk}": "on" for question in marked}


def arrange(
    client,
    survey: Survey,
    numbers: Mapping[Question, object],
    *,
    marked: Collection[Question] = (),
    button: str = "_renumber",
    **fields: object,
):
    """Type these numbers, mark these questions, and press a button."""
    form = {**list_form(survey, numbers, marked), button: "1", **fields}
    return client.post(list_page(survey), form, follow=True)
