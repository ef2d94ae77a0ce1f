"""Surveys in several languages."""

from django.contrib.auth.models import User

from surveys.authoring.draft.languages import source_texts
from surveys.authoring.services import launch
from surveys.models import Survey, Translation
from tests.factories import add_one_of_each, make_survey


def translate_all(survey: Survey, *languages: str) -> None:
    """Translate all texts of a draft: each is followed by its language in a script of its own."""
    signs = {"de": "äöü", "ar": "عربي", "fr": "œç", "es": "ñ¿"}
    for language in languages:
        for one in source_texts(survey, list(survey.questions.prefetch_related("options"))):
            Translation.objects.update_or_create(
                survey=survey,
                language=language,
                digest=one.digest,
                defaults={"text": f"{one.text.strip()} {signs[language]}"},
            )


def make_translated(owner: User, *languages: str, **fields: object) -> Survey:
    """An open survey with one question of each kind, in English and these languages."""
    draft = make_survey(owner, also_in=" ".join(languages), **fields)
    add_one_of_each(draft)
    translate_all(draft, *languages)
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)
