"""Tables: the privacy budget of a survey, and what internal reports took from its answers."""

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from surveys.models.base import DocumentField, RandomKeyModel
from surveys.models.surveys import Revision, Survey


class PrivacyBudget(RandomKeyModel):
    """A draft's one budget for everything published about its answers. Frozen at launch."""

    class Source(models.TextChoices):
        ALL = "all", gettext_lazy("Free texts and tables of answers")
        TEXT = "text", gettext_lazy("Only free texts")

    class Adjacency(models.TextChoices):
        ADD_OR_REMOVE = "add_or_remove_one", gettext_lazy("One respondent more or fewer")
        REPLACE = (
            "replace_one",
            gettext_lazy("One respondent's answers replaced by other answers"),
        )

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="budgets")
    source = models.CharField(
        gettext_lazy("what the budget covers"),
        max_length=10,
        choices=Source.choices,
        default=Source.ALL,
        help_text=gettext_lazy("Tables can be released only if the budget also covers tables."),
    )
    epsilon = models.DecimalField(
        gettext_lazy("epsilon"),
        max_digits=6,
        decimal_places=4,
        default=Decimal(4),
        validators=[MinValueValidator(Decimal("0.01")), MaxValueValidator(Decimal(20))],
        help_text=gettext_lazy(
            "Epsilon limits how much all reports and tables together may change the odds of any "
            "guess about one respondent: at most by the factor e to the power of epsilon. "
            "Respondents read the value of epsilon. Epsilon cannot be changed after launch."
        ),
    )
    delta = models.DecimalField(
        gettext_lazy("delta"),
        max_digits=13,
        decimal_places=12,
        default=Decimal("0.000001"),
        validators=[
            MinValueValidator(Decimal("0.000000000001")),
            MaxValueValidator(Decimal("0.01")),
        ],
        help_text=gettext_lazy(
            "The limit set by epsilon may fail with this probability. Deniable creates a report "
            "only if delta is below 1 divided by the number of respondents."
        ),
    )
    adjacency = models.CharField(
        gettext_lazy("what reports hide"),
        max_length=17,
        choices=Adjacency.choices,
        default=Adjacency.ADD_OR_REMOVE,
    )

    class Meta:
        verbose_name = gettext_lazy("privacy budget")
        verbose_name_plural = gettext_lazy("privacy budgets")
        ordering = ["source"]
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "source"],
                name="one_budget_per_source",
                violation_error_message=gettext_lazy(
                    "A survey can have only one budget for each kind of data."
                ),
            ),
            # An expression, because SQLite would rebuild the table for a plain one, and lose its
            # triggers.
            models.UniqueConstraint(
                models.F("survey"),
                name="one_budget_per_survey",
                violation_error_message=gettext_lazy("A survey can have only one budget."),
            ),
        ]

    @property
    def pays_for_tables(self) -> bool:
        """Whether it is a budget for table releases too."""
        return self.source == self.Source.ALL

    def __str__(self) -> str:
        epsilon, delta = (number_format(bound.normalize()) for bound in (self.epsilon, self.delta))
        return f"epsilon {epsilon}, delta {delta}"

    def clean(self) -> None:
        """Refuse every change after launch."""
        stored = PrivacyBudget.objects.filter(pk=self.pk).values("survey")
        surveys = Survey.objects.filter(models.Q(pk=self.survey_id) | models.Q(pk__in=stored))
        if surveys.exclude(state=Survey.State.DRAFT).exists():
            raise ValidationError(
                gettext(
                    "This budget cannot be changed, because the survey promised the budget to "
                    "respondents at launch."
                )
            )


class Extract(RandomKeyModel):
    """What an internal report took from answers without privacy: erased when they are.

    Nothing of it may be published. It names no respondent, but holds what they wrote.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="extracts")
    document = DocumentField()

    def __str__(self) -> str:
        return str(self.pk)
