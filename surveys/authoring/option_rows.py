"""Rows of options on a question's admin page: the position of a new one, after those before it."""

from typing import Any

from django import forms

from surveys.models import Option

LAST_POSITION = 32767  # the largest that every database stores in this column


class OptionForm(forms.ModelForm):
    """A row; a new one is an option once it has a text, because its position is only offered."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "position" in self.fields:
            self.fields["position"].required = not self.instance._state.adding

    def has_changed(self) -> bool:
        if self.instance._state.adding:
            return "text" in self.changed_data
        return super().has_changed()


class OptionRows(forms.BaseInlineFormSet):
    """Offers each new row the next position, and gives it one when it is saved without."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """The template for rows that a script adds (no index) offers none: it knows no number."""
        kwargs = super().get_form_kwargs(index)
        if index is None:
            return {**kwargs, "initial": {"position": None}}
        new = index - self.initial_form_count()
        if new < 0:
            return kwargs
        stored = [option.position for option in self.get_queryset()]
        return {**kwargs, "initial": {"position": next_position(stored, skipped=new)}}

    def save_new(self, form: Any, commit: bool = True) -> Option:
        """Rows are saved one after the other, so that each sees those above it."""
        stored = list(self.instance.options.values_list("position", flat=True))
        position = form.instance.position
        if position is None or (position == 0 and 0 in stored):
            form.instance.position = next_position(stored)
        option: Option = super().save_new(form, commit)
        return option


def next_position(stored: list[int], skipped: int = 0) -> int:
    """The position after the last of these and after so many more."""
    return min(max(stored, default=-1) + 1 + skipped, LAST_POSITION)
