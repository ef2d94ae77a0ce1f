"""TallyTrustee and TallyTable: who opens a draft's locked totals, and with how much noise.

What counts from the launch on stands in the launched document; these rows are its draft. Tally and
TallyFile are what became of each table after the close.
"""

from collections.abc import Collection

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Revision, Survey
from surveys.questionnaire.plans.tallies import MOST_TABLES, is_noise


def refuse_launched(row: "TallyTrustee | TallyTable") -> None:
    """Raises ValidationError for every change after the launch."""
    stored = type(row).objects.filter(pk=row.pk).values("survey")
    surveys = Survey.objects.filter(models.Q(pk=row.survey_id) | models.Q(pk__in=stored))
    if surveys.exclude(state=Survey.State.DRAFT).exists():
        raise ValidationError(
            gettext(
                "These trustees and tables cannot be changed, because respondents were promised "
                "these trustees and tables at launch."
            )
        )


class TallyTrustee(RandomKeyModel):
    """The public half of a trustee's key: all of them together open the locked totals."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="trustees")
    # The order in which their noise and their shares are put together.
    position = models.PositiveSmallIntegerField()
    name = models.CharField(gettext_lazy("who has the key"), max_length=80)
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
                    "This key was already added. Each trustee needs a different key."
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
            "How much noise each trustee adds to every cell: the standard deviation, in people. "
            "Enter a whole number or a fraction, such as 4 or 9/2. More noise costs less of the "
            "budget."
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
                violation_error_message=gettext_lazy(
                    "The noise of this table was already entered. Enter the noise of each table "
                    "only once."
                ),
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
                        "Enter a whole number or a fraction that is above 0 and at most 838,860, "
                        "such as 4 or 9/2."
                    )
                }
            )


class Tally(RandomKeyModel):
    """A table of locked answers whose ballots are there to be opened: written once, at the close.

    ``ballots`` is how many different ones there are, ``digest`` what stands for all of them (64
    hexadecimal digits). ``counts`` are the totals with all noise, cell by cell; until all trustees
    have given their shares there are none, and then they never change. The row stays, as reports
    with noise do; no ballot is in it.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="tallies")
    table = models.PositiveSmallIntegerField(help_text="The table's number, from 1.")
    ballots = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    counts = models.JSONField(null=True)
    opened_on = models.DateField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "table"], name="one_tally_of_a_table")
        ]

    def __str__(self) -> str:
        return f"table {self.table} of {self.revision_id}"


class TallyFile(RandomKeyModel):
    """What a tally is opened with: the locked totals, each trustee's noise, each trustee's shares.

    ``content`` is a trustee's file as it is hashed, empty for the totals, whose ``trustee`` is 0.
    ``locked`` are 64 bytes a cell: what the totals or the noise are locked as, worked out when the
    proofs were checked; empty for shares. Never changed; it goes with the ballots, since all keys
    together would read the exact totals out of it.
    """

    class Kind(models.TextChoices):
        TOTAL = "total"
        NOISE = "noise"
        SHARE = "share"

    tally = models.ForeignKey(Tally, on_delete=models.PROTECT, related_name="files")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    trustee = models.PositiveSmallIntegerField()
    content = models.BinaryField()
    locked = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tally", "kind", "trustee"], name="one_file_of_each_trustee"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of trustee {self.trustee}"
