"""Table: translations of the texts of drafts."""

import hashlib

from django.db import models
from django.utils.translation import gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Survey


class Translation(RandomKeyModel):
    """What one of a draft's texts is called in another language.

    It belongs to the words and not to a place: the same answer of several questions is translated
    once, and a text that its author changes has no translation any more.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="translations")
    language = models.CharField(max_length=2)
    digest = models.CharField(max_length=64)  # of the author's text, which may be too long to index
    text = models.TextField(max_length=4000)

    class Meta:
        verbose_name = gettext_lazy("translation")
        verbose_name_plural = gettext_lazy("translations")
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "language", "digest"], name="one_translation_per_text"
            )
        ]

    def __str__(self) -> str:
        return self.text


def digest_of(text: str) -> str:
    """By what a text's translations are found, however it is surrounded by spaces."""
    return hashlib.sha256(text.strip().encode()).hexdigest()
