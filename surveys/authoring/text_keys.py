"""The rows of a survey's page for the keys that its texts are sealed for: uploaded public files."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy

from surveys.authoring.key_files import KeyFileForm, KeyInline, KeyRows
from surveys.collecting.scripts import can_seal
from surveys.models import TextKey
from surveys.questionnaire.plans.seals import MOST_LAYERS
from surveys.trust.keyfiles import read_public


class TextKeyForm(KeyFileForm):
    """The public half of a key that texts are sealed for."""

    made_by = gettext_lazy("The command “keys new” makes this file. Its name ends in .public.json.")

    class Meta:
        model = TextKey
        fields: tuple[str, ...] = ()

    def read(self, content: bytes) -> None:
        """Put its name and key into the row. Raises TrustRefusal."""
        public = read_public(content)
        self.instance.name, self.instance.key = public.name, public.key.hex()


class TextKeyRows(KeyRows):
    """At most two rows, in the order of their layers."""

    order_field = "layer"
    twice = gettext_lazy("Both files have the same key. Upload two files with different keys.")


class TextKeyInline(KeyInline):
    """Without rows, texts can be read by the server from the close on."""

    model = TextKey
    form = TextKeyForm
    formset = TextKeyRows
    extra = MOST_LAYERS
    max_num = MOST_LAYERS
    verbose_name = gettext_lazy("key for sealed texts")
    verbose_name_plural = gettext_lazy(
        "Sealed texts: with one key, texts are locked in respondents' browsers, and this server "
        "cannot read the texts. With two keys, both keys are needed to read the texts. If a key "
        "is lost, the texts are lost"
    )


class SealingPages(admin.ModelAdmin):
    """A survey's page, which has rows for keys once the pages of this program can seal."""

    def get_inlines(self, request: Any, obj: Any) -> Any:
        rows = (TextKeyInline,) if can_seal() else ()
        return (*super().get_inlines(request, obj), *rows)
