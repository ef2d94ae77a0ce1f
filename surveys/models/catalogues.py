"""Tables: catalogues and their items, which surveys have rated; frozen ones."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.questionnaire.ratings import LONGEST_NAME, starting_problem, tidy_name

FROZEN = gettext_lazy(
    "These items cannot be changed, because a survey in which respondents rate these items was "
    "launched. Copy the catalogue, and change the copy."
)


class Catalogue(RandomKeyModel):
    """A list of items. Its items are frozen once a survey that uses it is launched."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=gettext_lazy("owner"),
        on_delete=models.PROTECT,
        related_name="catalogues",
    )
    name = models.CharField(gettext_lazy("name"), max_length=200)

    class Meta:
        verbose_name = gettext_lazy("catalogue")
        verbose_name_plural = gettext_lazy("catalogues")
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"],
                name="one_catalogue_per_name",
                violation_error_message=gettext_lazy(
                    "You already have a catalogue with this name."
                ),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_frozen(self) -> bool:
        """Whether some survey that has its items rated was launched."""
        return self.questions.exclude(survey__state="draft").exists()


class CatalogueItem(RandomKeyModel):
    """One item, numbered from 1.

    ``starting`` are ratings that it had before any survey: a whole number for each level of the
    scale, lowest first; empty if there are none.
    """

    catalogue = models.ForeignKey(
        Catalogue,
        verbose_name=gettext_lazy("catalogue"),
        on_delete=models.CASCADE,
        related_name="items",
    )
    number = models.PositiveIntegerField(gettext_lazy("number"), validators=[MinValueValidator(1)])
    name = models.CharField(gettext_lazy("name"), max_length=LONGEST_NAME)
    starting = models.JSONField(gettext_lazy("starting counts"), default=list, blank=True)

    class Meta:
        verbose_name = gettext_lazy("catalogue item")
        verbose_name_plural = gettext_lazy("catalogue items")
        ordering = ["catalogue", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["catalogue", "number"],
                name="one_item_per_number",
                violation_error_message=gettext_lazy(
                    "Another item of this catalogue already has this number. Choose a different "
                    "number."
                ),
            ),
            models.UniqueConstraint(
                fields=["catalogue", "name"],
                name="one_item_per_name",
                violation_error_message=gettext_lazy(
                    "Another item in this catalogue already has this name. Choose another name."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean_fields(self, exclude: Any = None) -> None:
        """Refuse names that cannot be told apart or shown, and counts that are none.

        A form that refused a field itself excludes it, and has said why in its reader's language.
        """
        problems: Mapping[str, Any] = {}
        try:
            super().clean_fields(exclude=exclude)
        except ValidationError as invalid:
            problems = invalid.error_dict
        known = {*problems, *(exclude or ())}
        added = {name: [why] for name, why in self._problems() if name not in known}
        if problems or added:
            raise ValidationError({**problems, **added})

    def clean(self) -> None:
        """Refuse every change once respondents were shown these items."""
        stored = CatalogueItem.objects.filter(pk=self.pk).values("catalogue")
        touched = Catalogue.objects.filter(models.Q(pk=self.catalogue_id) | models.Q(pk__in=stored))
        if any(catalogue.is_frozen for catalogue in touched):
            raise ValidationError(FROZEN)

    def _problems(self) -> "list[tuple[str, str]]":
        problems = []
        try:
            self.name = tidy_name(self.name)
        except ValueError as problem:
            problems.append(("name", problem.args[0]))
        if reason := starting_problem(self.starting):
            problems.append(("starting", reason))
        return problems
