"""The rows of a survey's page for the keys that its texts are sealed for: uploaded public files."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from surveys.authoring.inlines import WideRows
from surveys.collecting.scripts import can_seal
from surveys.models import TextKey
from surveys.questionnaire.plans.seals import MOST_LAYERS
from surveys.trust.keyfiles import read_public
from surveys.trust.refusals import TrustRefusal
from surveys.wording.language.messages import translated

# A public key file has some 200 bytes.
MOST_BYTES = 4096
FINGERPRINT_DIGITS = 16


class TextKeyForm(forms.ModelForm):
    """A key file that is uploaded. What it holds is read and checked; the file is not kept.

    A file in a row that has a key replaces it.
    """

    file = forms.FileField(
        label=gettext_lazy("Public key file"),
        help_text=gettext_lazy("Made by “keys new”; its name ends in .public.json."),
        # Its row has a heading instead of a label.
        widget=forms.ClearableFileInput(attrs={"aria-label": gettext_lazy("Public key file")}),
    )

    class Meta:
        model = TextKey
        fields: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = self.instance._state.adding

    def clean_file(self) -> Any:
        """Name and key of the file, put into the row."""
        file = self.cleaned_data["file"]
        if file is None:
            return None
        try:
            public = read_public(file.read(MOST_BYTES))
        except TrustRefusal as refusal:
            raise ValidationError(str(translated(refusal.problem))) from refusal
        self.instance.name, self.instance.key = public.name, public.key.hex()
        return file


class TextKeyRows(forms.BaseInlineFormSet):
    """At most two rows, each of another key, in the order of their layers."""

    def clean(self) -> None:
        """Give new rows the layers that are free. Raises ValidationError for one key twice."""
        super().clean()
        kept = [form for form in self.forms if form not in self.deleted_forms]
        rows = [form.instance for form in kept if form.instance.key]
        if len({row.key for row in rows}) < len(rows):
            raise ValidationError(
                gettext_lazy("Both files have the same key: two different keys are needed.")
            )
        used = {row.layer for row in rows if not row._state.adding}
        free = iter(sorted(set(range(1, MOST_LAYERS + 1)) - used))
        for row in rows:
            if row._state.adding:
                row.layer = next(free, MOST_LAYERS)


class TextKeyInline(WideRows):
    """Without rows, texts can be read by the server from the close on."""

    model = TextKey
    form = TextKeyForm
    formset = TextKeyRows
    extra = MOST_LAYERS
    max_num = MOST_LAYERS
    readonly_fields = ("name", "fingerprint")
    verbose_name = gettext_lazy("key for sealed texts")
    verbose_name_plural = gettext_lazy(
        "Sealed texts: with a key, what people write is locked in their browser, and this server "
        "cannot read it; with two, both are needed. Who loses a key loses the texts"
    )

    def get_fields(self, request: Any, obj: Any = None) -> tuple[str, ...]:
        """After launch nothing is uploaded."""
        shown = ("name", "fingerprint")
        return (*shown, "file") if self.has_add_permission(request, obj) else shown

    def get_formset(self, request: Any, obj: Any = None, **kwargs: Any) -> Any:
        # The page offers no more rows than that; what is posted by hand may have any number.
        return super().get_formset(request, obj, validate_max=True, **kwargs)

    @admin.display(description=gettext_lazy("begins with"))
    def fingerprint(self, key: TextKey) -> str:
        """What its holder compares with the file."""
        return key.key[:FINGERPRINT_DIGITS] or "-"


class SealingPages(admin.ModelAdmin):
    """A survey's page, which has rows for keys once the pages of this program can seal."""

    def get_inlines(self, request: Any, obj: Any) -> Any:
        rows = (TextKeyInline,) if can_seal() else ()
        return (*super().get_inlines(request, obj), *rows)
