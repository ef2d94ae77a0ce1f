"""TallyTrustee and TallyTable: who opens a draft's locked totals, and with how much noise.

What counts from the launch on stands in the launched document; these rows are its draft.
"""

from collections.abc import Collection

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Survey
from surveys.questionnaire.plans.tallies import MOST_TABLES, is_noise


def refuse_launched(row: "TallyTrustee | TallyTable") -> None:
    """Raises ValidationError for every change after the launch."""
    stored = type(row).objects.filter(pk=row.pk).values("survey")
    surveys = Survey.objects.filter(models.Q(pk=row.survey_id) | models.Q(pk__in=stored))
    if surveys.exclude(state=Survey.State.DRAFT).exists():
        raise ValidationError(
            gettext(
                "Respondents were promised these trustees and tables at launch, so they stay as "
                "they are."
            )
        )


class TallyTrustee(RandomKeyModel):
    """The public half of a trustee's key: all of them together open the locked totals."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="trustees")
    # The order in which their noise and their shares are put together.
    position = models.PositiveSmallIntegerField()
    name = models.CharField(gettext_lazy("who holds it"), max_length=80)
    key = models.CharField(gettext_lazy("key"), max_length=64)
    proof = models.CharField(max_length=128)

    class Meta:
        verbose_name = gettext_lazy("trustee")
        verbose_name_plural = gettext_lazy("trustees")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["survey", "position"], name="one_trustee_per_position"),
            models.UniqueConstraint(
                fields=["survey", "key"],
                name="different_trustees",
                violation_error_message=gettext_lazy(
                    "This key is there already: each trustee has a key of their own."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse every change after launch."""
        refuse_launched(self)


class TallyTable(RandomKeyModel):
    """How much noise each trustee adds to every cell of one table of locked answers."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="locked_tables")
    table = models.PositiveSmallIntegerField(
        gettext_lazy("table"), validators=[MinValueValidator(1), MaxValueValidator(MOST_TABLES)]
    )
    sigma = models.CharField(
        gettext_lazy("standard deviation of the noise"),
        max_length=19,
        help_text=gettext_lazy(
            "Of what each trustee adds to every cell, in people: a whole number or a fraction, "
            "such as 4 or 9/2. More noise costs less of the budget."
        ),
    )

    class Meta:
        verbose_name = gettext_lazy("table of locked answers")
        verbose_name_plural = gettext_lazy("tables of locked answers")
        ordering = ["table"]
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "table"],
                name="one_row_per_locked_table",
                violation_error_message=gettext_lazy("The noise of this table is there already."),
            )
        ]

    def __str__(self) -> str:
        return str(self.table)

    def clean(self) -> None:
        """Refuse every change after launch."""
        refuse_launched(self)

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Raises ValidationError also for noise that no table can have."""
        super().clean_fields(exclude)
        if not is_noise(self.sigma):
            raise ValidationError(
                {
                    "sigma": gettext(
                        "Write a whole number or a fraction above 0 and at most 838,860, such as 4 "
                        "or 9/2."
                    )
                }
            )
