"""TrusteeFileForm: one file of a trustee, which says itself what it is."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy


class TrusteeFileForm(forms.Form):
    """A noise or share file; ``number`` is its table's, from 1."""

    file = forms.FileField(
        label=gettext_lazy("A trustee's file"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        help_text=gettext_lazy(
            "Choose the file that “trustee noise” or “trustee open” created. Upload one file at a "
            "time."
        ),
        # Of a much larger one nothing arrives.
        error_messages={"required": gettext_lazy("Choose a trustee's file of at most 1 MB.")},
    )

    def __init__(self, data: Any = None, files: Any = None, *, number: int) -> None:
        super().__init__(data, files, auto_id=f"id_table_{number}_%s")
        self.number = number
