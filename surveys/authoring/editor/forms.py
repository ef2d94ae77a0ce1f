"""Forms of the list of questions: numbers and marks beside each; which ones to copy from where."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.editor.orders import renumbered, together
from surveys.authoring.editor.rows import QuestionRow
from surveys.models import Question


class ListForm(forms.Form):
    """A number and a mark for each question, and where the marked ones are moved.

    ``shown`` is the order that the person saw.
    """

    shown = forms.CharField(widget=forms.HiddenInput)
    first = forms.IntegerField(
        label=gettext_lazy("Move the marked questions to number"),
        min_value=1,
        max_value=999,
        required=False,
    )

    def __init__(self, *args: Any, rows: Sequence[QuestionRow], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows = rows
        self.keys = [row.question.pk for row in rows]
        self.fields["shown"].initial = " ".join(map(str, self.keys))
        for row in rows:
            self.fields[f"number-{row.question.pk}"] = forms.IntegerField(
                label=gettext("Number of question {number}").format(number=row.number),
                initial=row.number,
                min_value=1,
                max_value=len(rows),
            )
            self.fields[f"marked-{row.question.pk}"] = forms.BooleanField(
                label=gettext("Mark question {number}").format(number=row.number), required=False
            )

    @property
    def lines(self) -> Iterator[tuple[QuestionRow, forms.BoundField, forms.BoundField]]:
        """Each row with its two fields."""
        for row in self.rows:
            key = row.question.pk
            yield row, self[f"marked-{key}"], self[f"number-{key}"]

    @property
    def order_shown(self) -> list[UUID]:
        """Raises ValueError for what no page of ours has sent."""
        return [UUID(key) for key in self.data.get("shown", "").split()]

    @property
    def marked(self) -> list[Question]:
        """The questions that are marked, in their order."""
        return [row.question for row in self.rows if self.cleaned_data[f"marked-{row.question.pk}"]]

    def order_by_numbers(self) -> list[UUID]:
        """The order that the typed numbers ask for."""
        typed = {
            row.question.pk: self.cleaned_data[f"number-{row.question.pk}"] for row in self.rows
        }
        changed = {
            key: number
            for position, (key, number) in enumerate(typed.items(), start=1)
            if number != position
        }
        return renumbered(self.keys, changed)

    def order_as_block(self) -> list[UUID]:
        """The order in which the marked questions stand together at the number that was typed."""
        chosen = {question.pk for question in self.marked}
        return together(self.keys, chosen, self.cleaned_data["first"])


class CopyForm(forms.Form):
    """Which questions of another survey to copy."""

    questions = forms.ModelMultipleChoiceField(
        queryset=Question.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Mark at least one question.")},
    )

    def __init__(self, *args: Any, questions: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["questions"]
        field.queryset = questions
        field.label_from_instance = lambda question: f"{question} ({question.get_kind_display()})"
