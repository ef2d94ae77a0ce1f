"""Forms of reminders: plan them (dates, sends, chances), put the drawn schedule into the mailer."""

import csv
import io
import re
from datetime import date
from typing import Any

import numpy as np
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from surveys.fieldwork import letters
from surveys.fieldwork.addresses import delimiter_of
from surveys.fieldwork.forms import NOT_PRINTABLE
from surveys.fieldwork.reminders.calendars import Slots
from surveys.fieldwork.reminders.curves import FloatArray, curve_of_totals
from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.plans import ReminderPlan, Situation, plan_reminders
from surveys.fieldwork.reminders.progress import CoarseProgress, curve_of_progress
from surveys.models import Mailing
from surveys.randomized_response.messages import sentence
from surveys.web.forms import AddressForm, CountField, read_count, read_parts
from surveys.wording.language.messages import said_by

MOST_DAYS = 120
LARGEST_SEED = 2**31 - 1
LONGEST_TYPED = 20_000
NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"


def typed_chances(text: str, slots: int) -> FloatArray:
    """Percentages as chances: one a slot, or the first and the last, or the last alone.

    Raises ReminderError, and ValidationError for decimals with a comma.
    """
    parts = [part.rstrip("%") for part in read_parts(text)]
    if not all(re.fullmatch(NUMBER, part) for part in parts):
        raise ReminderError(sentence("chances"), text, gettext("write percentages such as 5, 12.5"))
    chances = np.array([float(part) for part in parts]) / 100
    if len(chances) == slots:
        return chances
    if len(chances) == 1:
        return np.linspace(chances[0] / slots, chances[0], slots)
    if len(chances) == 2:
        return np.linspace(chances[0], chances[1], slots)
    remedy = gettext(
        "write one percentage, two percentages (for the first and the last day) or {slots} "
        "percentages (one for each day)"
    ).format(slots=slots)
    raise ReminderError(
        sentence("chances"), gettext("{count} numbers").format(count=len(chances)), remedy
    )


def read_totals(text: str) -> list[float]:
    """The last column of a table of daily totals; a header is left out. Raises ReminderError."""
    written = text.removeprefix("\ufeff").strip()
    delimiter = _delimiter(written)
    lines = csv.reader(io.StringIO(written, newline=None), delimiter=delimiter)
    rows = [row for row in lines if any(row)]
    _check_widths(rows)
    cells = [row[-1].strip() for row in rows]
    if cells and not re.match("[0-9]", cells[0]):
        cells = cells[1:]
    return [_total(line, cell, delimiter) for line, cell in enumerate(cells, start=1)]


def _delimiter(text: str) -> str:
    first = re.sub('"[^"]*"', "", next(iter(text.splitlines()), ""))
    delimiter = delimiter_of(first)
    if first.count(",") == first.count(";") > 0 and delimiter != "\t":
        remedy = gettext(
            "separate columns either by commas or by semicolons, or put cells that contain a "
            "comma or a semicolon in quotation marks"
        )
        raise ReminderError(sentence("totals"), first, remedy)
    return delimiter


def _check_widths(rows: list[list[str]]) -> None:
    """Refuse lines of different lengths: a comma within a number makes a column of its own."""
    for line, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            remedy = gettext("line {line} must have as many columns as the first line: {count}")
            raise ReminderError(
                sentence("totals"), row[-1], remedy.format(line=line, count=len(rows[0]))
            )


def _total(line: int, cell: str, delimiter: str) -> float:
    # Where semicolons part columns, decimals may have a comma: "1,200" may be 1.2.
    count = None if delimiter == ";" and "," in cell else read_count(cell)
    if count is None:
        raise ReminderError(
            sentence("totals"),
            cell,
            gettext("the line of day {line} needs a whole number in its last column").format(
                line=line
            ),
        )
    return float(count)


class PlanRemindersForm(AddressForm):
    """When to send: the days, both senders' sends, both curves of success."""

    asks_with = "first"

    first = forms.DateField(
        label=gettext_lazy("First day"), widget=forms.DateInput(attrs={"type": "date"})
    )
    last = forms.DateField(
        label=gettext_lazy("Deadline"),
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=gettext_lazy(
            "The last day of the plan. You and the rival each send at most one mail a day."
        ),
    )
    hour = forms.IntegerField(
        label=gettext_lazy("Hour (UTC)"), min_value=0, max_value=23, initial=9
    )
    sends = CountField(label=gettext_lazy("Number of your mails"), initial=3)
    rival_sends = CountField(
        label=gettext_lazy("Number of the rival's mails"),
        least=0,
        initial=3,
        help_text=gettext_lazy("Write 0 if there is no rival."),
    )
    chances = forms.CharField(
        label=gettext_lazy("Your chances of success, in %"),
        required=False,
        max_length=LONGEST_TYPED,
        help_text=gettext_lazy(
            "Write one chance for each day. Or write two chances, for the first and the last "
            "day. Or write one chance, for the last day. With one or two chances, Deniable lets "
            "the chance rise evenly from day to day."
        ),
    )
    rival_chances = forms.CharField(
        label=gettext_lazy("The rival's chances of success, in %"),
        required=False,
        max_length=LONGEST_TYPED,
        help_text=gettext_lazy("Leave this field empty if the rival has the same chances as you."),
    )
    totals = forms.CharField(
        label=gettext_lazy("Or daily totals of answers in an earlier wave (CSV)"),
        required=False,
        max_length=LONGEST_TYPED,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Write one line for each day of the earlier wave, such as the last round of this "
            "survey. The last column is the number of all answers up to that day. Separate "
            "columns with commas, semicolons or tabs. Deniable fits a rising curve to these "
            "totals."
        ),
    )
    asked = CountField(
        label=gettext_lazy("Number of people asked"),
        required=False,
        help_text=gettext_lazy(
            "How many people were asked in the earlier wave. If you use the progress of this "
            "survey, you can leave this field empty: all invited people are then counted."
        ),
    )
    use_progress = forms.BooleanField(
        label=gettext_lazy("Or use this survey's progress"),
        required=False,
        help_text=gettext_lazy(
            "The pages of this survey showed a number of answers each day. Deniable fits a "
            "rising curve to these numbers. The number of a day is a minimum: more answers may "
            "have arrived by then."
        ),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed of the random draw"),
        min_value=0,
        max_value=LARGEST_SEED,
        initial=1,
    )

    slots: Slots
    plan: ReminderPlan

    def __init__(
        self, query: QueryDict, *, progress: CoarseProgress | None = None, invited: int = 0
    ) -> None:
        """``progress`` is what is known of the survey so far, of ``invited`` people if known."""
        super().__init__(query if self.was_asked(query) else None)
        self.progress, self.invited = progress, invited
        if progress is None:
            del self.fields["use_progress"]
        if self.is_bound:
            self.data = self.with_defaults(query)

    def clean(self) -> dict[str, Any]:
        """Plan, or say what is wrong."""
        cleaned = self.cleaned_data
        if self.errors:
            return cleaned
        try:
            self.slots = Slots(cleaned["first"], cleaned["last"], cleaned["hour"])
            if self.slots.count > MOST_DAYS:
                raise ReminderError(
                    sentence("the deadline"),
                    str(cleaned["last"]),
                    gettext("plan at most {most_days} days").format(most_days=MOST_DAYS),
                )
            self.plan = plan_reminders(self._situation(self.slots.count), cleaned["seed"])
        except ReminderError as problem:
            self.add_error(None, said_by(problem))
        return cleaned

    def _situation(self, slots: int) -> Situation:
        cleaned = self.cleaned_data
        ours = self._ours(slots)
        typed = cleaned["rival_chances"]
        rivals = typed_chances(typed, slots) if typed.strip() else ours
        return Situation(ours, rivals, cleaned["sends"], cleaned["rival_sends"])

    def _ours(self, slots: int) -> FloatArray:
        cleaned = self.cleaned_data
        totals, chances = cleaned["totals"].strip(), cleaned["chances"].strip()
        progress = self.progress if cleaned.get("use_progress") else None
        if totals and chances:
            raise ReminderError(
                sentence("chances"), chances, gettext("enter either chances or totals, not both")
            )
        if progress and (totals or chances):
            remedy = gettext(
                "use only one of these: the survey's progress, chances that you type, or totals"
            )
            raise ReminderError(sentence("chances"), chances or "totals", remedy)
        if progress:
            return curve_of_progress(progress, self._asked(self.invited), slots)
        if not totals:
            return typed_chances(chances or "100", slots)
        return curve_of_totals(read_totals(totals), self._asked(0), slots)

    def _asked(self, known: int) -> int:
        """How many people were asked: typed, or known from the invitations."""
        asked: int = self.cleaned_data["asked"] or known
        if not asked:
            raise ReminderError(
                sentence("asked"), None, gettext("write how many people were asked")
            )
        return asked

    @property
    def first_day(self) -> date:
        """The first day, of a valid form."""
        day: date = self.cleaned_data["first"]
        return day


class ReminderMailForm(forms.Form):
    """What a reminder says, and whose addressees get it: all of one mailing."""

    mailing = forms.ModelChoiceField(
        queryset=Mailing.objects.none(),
        label=gettext_lazy("Mailing to remind people of"),
        empty_label=None,
    )
    subject = forms.CharField(
        label=gettext_lazy("Subject"),
        max_length=200,
    )
    message = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=gettext_lazy(
            "Plain text without a code, because it is not known which address got which invitation."
        ),
    )

    def __init__(self, data: Any = None, *, mailings: Any, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        self.fields["mailing"].queryset = mailings  # type: ignore[attr-defined]

    def clean_subject(self) -> str:
        """One line."""
        subject: str = self.cleaned_data["subject"]
        if NOT_PRINTABLE.search(subject):
            raise forms.ValidationError(
                gettext("Write the subject on one line, in plain characters.")
            )
        return subject

    def clean_message(self) -> str:
        """Words without a code."""
        message: str = self.cleaned_data["message"].replace("\r\n", "\n")
        if letters.has_invitation(message) or letters.unknown_placeholders(message):
            raise forms.ValidationError(
                gettext(
                    "A reminder has no personal link and no personal code. Remove the words in "
                    "braces."
                )
            )
        return message
