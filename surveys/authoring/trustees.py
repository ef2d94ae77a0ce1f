"""Rows of a survey's page for locked answers: trustees' uploaded key files, and tables' noise."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy

from surveys.authoring.inlines import WideRows, label
from surveys.authoring.key_files import KeyFileForm, KeyInline, KeyRows
from surveys.collecting.scripts import can_count
from surveys.models import TallyTable, TallyTrustee
from surveys.questionnaire.plans.tallies import MOST_TABLES, MOST_TRUSTEES
from surveys.trust.keyfiles import read_trustee


class TrusteeForm(KeyFileForm):
    """The public half of a trustee's key."""

    made_by = gettext_lazy(
        "The command “trustee new” makes this file. Its name ends in .public.json."
    )

    class Meta:
        model = TallyTrustee
        fields: tuple[str, ...] = ()

    def read(self, content: bytes) -> None:
        """Put its name, key and proof into the row. Raises TrustRefusal."""
        public = read_trustee(content)
        row = self.instance
        row.name, row.key, row.proof = public.name, public.key.hex(), public.proof.hex()


class TrusteeRows(KeyRows):
    """Trustees in the order in which their noise and shares are put together."""

    order_field = "position"
    twice = gettext_lazy("Two files have the same key. Upload a different key for each trustee.")


class TrusteeInline(KeyInline):
    """Who opens the totals of locked answers, all of them together."""

    model = TallyTrustee
    form = TrusteeForm
    formset = TrusteeRows
    extra = 1
    max_num = MOST_TRUSTEES
    verbose_name = gettext_lazy("trustee")
    verbose_name_plural = gettext_lazy(
        "Trustees of locked answers: all trustees together open the totals of each table (how "
        "many people gave each answer), and add noise to these totals. If one trustee loses a "
        "key, the tables are lost"
    )


class TableRows(forms.BaseInlineFormSet):
    """A table's number and its noise, each named in its row."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        label(form, TableInline.fields)


class TableInline(WideRows):
    """The noise of each table of locked answers; its questions name it."""

    model = TallyTable
    formset = TableRows
    fields = ("table", "sigma")
    extra = 1
    max_num = MOST_TABLES
    verbose_name = gettext_lazy("table of locked answers")
    verbose_name_plural = gettext_lazy(
        "Tables of locked answers: each table has a number. To count a question in a table, "
        "enter the number of the table on the page of the question"
    )


class CountingPages(admin.ModelAdmin):
    """A survey's page, which has these rows once the pages of this program can lock answers."""

    def get_inlines(self, request: Any, obj: Any) -> Any:
        rows = (TrusteeInline, TableInline) if can_count() else ()
        return (*super().get_inlines(request, obj), *rows)
