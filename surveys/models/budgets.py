"""Tables: the privacy budget of a survey's texts, and what internal reports took from them."""

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Revision, Survey


class PrivacyBudget(RandomKeyModel):
    """The budget of a draft for reports on one kind of data. Frozen in the revision at launch."""

    class Source(models.TextChoices):
        TEXT = "text", "Free texts"

    class Adjacency(models.TextChoices):
        ADD_OR_REMOVE = "add_or_remove_one", "One respondent more or fewer"
        REPLACE = "replace_one", "One respondent's texts replaced by other texts"

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="budgets")
    source = models.CharField(
        "reports on", max_length=10, choices=Source.choices, default=Source.TEXT
    )
    epsilon = models.DecimalField(
        max_digits=6,
        decimal_places=4,
        default=Decimal(4),
        validators=[MinValueValidator(Decimal("0.01")), MaxValueValidator(Decimal(20))],
        help_text=(
            "All reports together may change the odds of any guess about one respondent by at "
            "most e to this power. Frozen at launch, and told to respondents."
        ),
    )
    delta = models.DecimalField(
        max_digits=13,
        decimal_places=12,
        default=Decimal("0.000001"),
        validators=[
            MinValueValidator(Decimal("0.000000000001")),
            MaxValueValidator(Decimal("0.01")),
        ],
        help_text=(
            "The chance with which that may fail. Reports are refused unless it is below one in "
            "the number of respondents."
        ),
    )
    adjacency = models.CharField(
        "what reports hide",
        max_length=17,
        choices=Adjacency.choices,
        default=Adjacency.ADD_OR_REMOVE,
    )

    class Meta:
        ordering = ["source"]
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "source"],
                name="one_budget_per_source",
                violation_error_message="A survey has one budget for each kind of data.",
            )
        ]

    def __str__(self) -> str:
        return f"epsilon {self.epsilon.normalize():f}, delta {self.delta.normalize():f}"

    def clean(self) -> None:
        """Refuse every change after launch."""
        stored = PrivacyBudget.objects.filter(pk=self.pk).values("survey")
        surveys = Survey.objects.filter(models.Q(pk=self.survey_id) | models.Q(pk__in=stored))
        if surveys.exclude(state=Survey.State.DRAFT).exists():
            raise ValidationError(
                "Respondents were promised this budget at launch, so it stays as it is."
            )


class Extract(RandomKeyModel):
    """What an internal report took from answers without privacy: erased when they are.

    Nothing of it may be published. It names no respondent, but holds what they wrote.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="extracts")
    document = models.JSONField()

    def __str__(self) -> str:
        return str(self.pk)
