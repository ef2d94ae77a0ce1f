"""TextKey: a key for which a draft's page is to seal free texts; the launched document has it."""

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Survey
from surveys.questionnaire.plans.seals import KEY_DIGITS


class TextKey(RandomKeyModel):
    """The public half of a researcher's key: one, or two of which both are needed.

    What counts from the launch on stands in the document; these rows are its draft.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="text_keys")
    # The order in which the page seals: the key of layer 1 opens last.
    layer = models.PositiveSmallIntegerField()
    name = models.CharField(gettext_lazy("who has the key"), max_length=80)
    key = models.CharField(gettext_lazy("key"), max_length=KEY_DIGITS)

    class Meta:
        verbose_name = gettext_lazy("key for sealed texts")
        verbose_name_plural = gettext_lazy("keys for sealed texts")
        ordering = ["layer"]
        constraints = [
            models.UniqueConstraint(fields=["survey", "layer"], name="one_key_per_layer"),
            models.UniqueConstraint(
                fields=["survey", "key"],
                name="two_different_keys",
                violation_error_message=gettext_lazy(
                    "This key was already added. The second key must belong to another person."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse every change after launch."""
        stored = TextKey.objects.filter(pk=self.pk).values("survey")
        surveys = Survey.objects.filter(models.Q(pk=self.survey_id) | models.Q(pk__in=stored))
        if surveys.exclude(state=Survey.State.DRAFT).exists():
            raise ValidationError(
                gettext(
                    "These keys cannot be changed, because respondents were promised these keys "
                    "at launch."
                )
            )
