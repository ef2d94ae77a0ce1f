"""Make a draft from a template."""

from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language

from surveys.authoring.first_steps.templates import Template, TemplateQuestion
from surveys.authoring.services import record_creation
from surveys.models import Catalogue, CatalogueItem, Option, Question, Survey

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KEPT = timedelta(days=365)  # of the answers to a survey made from a template or a form


@transaction.atomic
def make_from(template: Template, *, by: "User") -> Survey:
    """A draft of this person's; who asks and the last day are left to its author.

    It is written in the language of the page. Its answers are deleted in a year, which the author
    may change until the launch.
    """
    survey = Survey.objects.create(
        owner=by,
        title=str(template.title),
        introduction=str(template.introduction),
        language=get_language() or settings.LANGUAGE_CODE,
        contact=by.email,
        delete_on=timezone.now().date() + KEPT,
        **template.fields,
    )
    for position, question in enumerate(template.questions):
        _add(question, survey, position)
    record_creation(survey, by=by)
    return survey


def _add(template: TemplateQuestion, survey: Survey, position: int) -> None:
    question = Question.objects.create(
        survey=survey,
        position=position,
        kind=template.kind,
        text=str(template.text),
        design=template.design,
        catalogue=_catalogue(template, survey) if template.items else None,
        **template.fields,
    )
    Option.objects.bulk_create(
        Option(question=question, position=index, text=str(text))
        for index, text in enumerate(template.options)
    )


def _catalogue(template: TemplateQuestion, survey: Survey) -> Catalogue:
    """A new one, so that its items can be changed; named after the survey and its key."""
    name = f"{survey.title} ({str(survey.pk)[:8]})"
    catalogue = Catalogue.objects.create(owner=survey.owner, name=name)
    CatalogueItem.objects.bulk_create(
        CatalogueItem(catalogue=catalogue, number=number, name=str(item))
        for number, item in enumerate(template.items, start=1)
    )
    return catalogue
