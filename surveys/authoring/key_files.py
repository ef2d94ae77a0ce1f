"""Rows of a survey's page whose keys are uploaded: public key files, each of another key."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from surveys.authoring.inlines import WideRows
from surveys.trust.refusals import TrustRefusal
from surveys.wording.language.messages import translated

# A public key file has some 200 bytes.
MOST_BYTES = 4096
FINGERPRINT_DIGITS = 16


class KeyFileForm(forms.ModelForm):
    """A key file that is uploaded. What it holds is read and checked; the file is not kept.

    A file in a row that has a key replaces it.
    """

    made_by: Any = ""
    file = forms.FileField(
        label=gettext_lazy("Public key file"),
        # Its row has a heading instead of a label.
        widget=forms.ClearableFileInput(attrs={"aria-label": gettext_lazy("Public key file")}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = self.instance._state.adding
        self.fields["file"].help_text = self.made_by

    def clean_file(self) -> Any:
        """What the file holds, put into the row."""
        file = self.cleaned_data["file"]
        if file is None:
            return None
        try:
            self.read(file.read(MOST_BYTES))
        except TrustRefusal as refusal:
            raise ValidationError(str(translated(refusal.problem))) from refusal
        return file

    def read(self, content: bytes) -> None:
        """Put what the file says into the row. Raises TrustRefusal."""
        raise NotImplementedError


class KeyRows(forms.BaseInlineFormSet):
    """Rows each of another key, in the order that they have in their field ``order_field``."""

    order_field: str
    twice: Any

    def clean(self) -> None:
        """Give new rows the places that are free. Raises ValidationError for one key twice."""
        super().clean()
        kept = [form for form in self.forms if form not in self.deleted_forms]
        rows = [form.instance for form in kept if form.instance.key]
        if len({row.key for row in rows}) < len(rows):
            raise ValidationError(self.twice)
        used = {getattr(row, self.order_field) for row in rows if not row._state.adding}
        free = iter(sorted(set(range(1, self.max_num + 1)) - used))
        for row in rows:
            if row._state.adding:
                setattr(row, self.order_field, next(free, self.max_num))


class KeyInline(WideRows):
    """Rows of keys that are uploaded until the launch, at most ``max_num``."""

    readonly_fields = ("name", "fingerprint")

    def get_fields(self, request: Any, obj: Any = None) -> tuple[str, ...]:
        """After launch nothing is uploaded."""
        shown = ("name", "fingerprint")
        return (*shown, "file") if self.has_add_permission(request, obj) else shown

    def get_formset(self, request: Any, obj: Any = None, **kwargs: Any) -> Any:
        # The page offers no more rows than that; what is posted by hand may have any number.
        return super().get_formset(request, obj, validate_max=True, **kwargs)

    @admin.display(description=gettext_lazy("key begins with"))
    def fingerprint(self, row: Any) -> str:
        """What its holder compares with the file."""
        return row.key[:FINGERPRINT_DIGITS] or "-"
