"""SheetsForm, MailingForm, SendingForm: invitations, addresses, a mail, confirmed second votes."""

import re
import uuid
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from surveys.fieldwork import addresses, letters
from surveys.fieldwork.invitations import MOST_AT_ONCE
from surveys.models.refusals import NotPossible
from surveys.web.forms import LONGEST_COUNT, read_count
from surveys.wording.language.numbers import grouped

LINES_SHOWN = 20
LONGEST_LIST = 900_000
NOT_PRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


class SheetsForm(forms.Form):
    """How many code sheets."""

    number = forms.CharField(
        label=gettext_lazy("How many"),
        max_length=LONGEST_COUNT,
        initial="30",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        help_text=format_lazy(
            gettext_lazy(
                "Enter 1 to {most}. For more than 1,000 codes, a table is easier to handle than "
                "printed sheets."
            ),
            most=lazy(grouped, str)(MOST_AT_ONCE),
        ),
    )

    # Loading the reply again sends the same form again, which must make no more.
    request = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def clean_number(self) -> int:
        """A whole number within the limits."""
        count = read_count(self.cleaned_data["number"])
        if count is None or not 1 <= count <= MOST_AT_ONCE:
            raise forms.ValidationError(
                gettext("Write a whole number from 1 to {most_at_once}.").format(
                    most_at_once=grouped(MOST_AT_ONCE)
                )
            )
        return count


class SendingForm(forms.Form):
    """What an author confirms with the button that sends."""

    second_votes = forms.IntegerField(required=False, min_value=0, max_value=50_000)
    despite_erased = forms.BooleanField(required=False)

    def confirmed(self) -> dict[str, Any]:
        """What was confirmed. Raises NotPossible for a number that no button has."""
        if not self.is_valid():
            raise NotPossible(
                gettext(
                    "Sending has not started: the number of people who could answer twice is not "
                    "valid. Check the numbers again."
                )
            )
        return {**self.cleaned_data, "second_votes": self.cleaned_data["second_votes"] or 0}


class MailingForm(forms.Form):
    """A mail and whom to send it to."""

    file = forms.FileField(
        label=gettext_lazy("List of addresses, as a file"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,text/csv,text/plain"}),
        help_text=(
            gettext_lazy(
                "Plain text with one address on each line, or a CSV file with a column called "
                "email. Other columns are left out and never stored. At most 5 MB and 50,000 "
                "addresses."
            )
        ),
    )
    pasted = forms.CharField(
        label=gettext_lazy("Or paste the addresses"),
        required=False,
        max_length=LONGEST_LIST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"}),
    )
    skip_bad = forms.BooleanField(
        label=gettext_lazy("Leave out lines without a usable address"),
        required=False,
        help_text=gettext_lazy(
            "Without this tick, the addresses are saved only when every line has a usable address."
        ),
    )
    subject = forms.CharField(
        label=gettext_lazy("Subject"),
        max_length=200,
        help_text=gettext_lazy(
            "Write only words, no placeholders. A subject can appear in the logs of mail servers."
        ),
    )
    message = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=(
            gettext_lazy(
                "Plain text. {link} becomes the person's link, and {code} becomes a code that "
                "the person can type. Use {link}, {code} or both. {check} becomes the code with "
                "which anyone can check the survey's page."
            )
        ),
    )

    address_list: addresses.AddressList

    def clean_subject(self) -> str:
        """One line without placeholders."""
        subject: str = self.cleaned_data["subject"]
        if NOT_PRINTABLE.search(subject):
            raise forms.ValidationError(
                gettext("Write the subject on one line, in plain characters.")
            )
        if letters.PLACEHOLDER.search(subject):
            raise forms.ValidationError(
                gettext("A subject cannot have placeholders. Remove the words in braces.")
            )
        return subject

    def clean_message(self) -> str:
        """Words with a way to answer."""
        message: str = self.cleaned_data["message"].replace("\r\n", "\n")
        unknown = letters.unknown_placeholders(message)
        if unknown:
            raise forms.ValidationError(
                gettext(
                    "{unknown} cannot be filled in. Use only {link}, {code} and {check}: nothing "
                    "else is known about an address."
                ).format(unknown=f"{{{unknown[0]}}}", link="{link}", code="{code}", check="{check}")
            )
        if not letters.has_invitation(message):
            raise forms.ValidationError(
                gettext("Write {link} or {code} where the invitation should appear.")
            )
        return message

    def clean(self) -> dict[str, Any]:
        """Read the list, whichever way it came."""
        if not {"file", "pasted"} & self.errors.keys():
            try:
                self.address_list = self._read()
            except addresses.UnusableList as problem:
                self.add_error(self._source, str(problem))
            else:
                self._refuse_bad_lines()
        return self.cleaned_data

    @property
    def _source(self) -> str:
        return "file" if self.cleaned_data.get("file") is not None else "pasted"

    def _read(self) -> addresses.AddressList:
        file: UploadedFile | None = self.cleaned_data.get("file")
        pasted = self.cleaned_data.get("pasted", "")
        if file is None:
            return addresses.read(pasted)
        if pasted.strip():
            raise addresses.UnusableList(gettext("Choose a file or paste addresses, not both."))
        return addresses.read(addresses.decoded(file.read()))

    def _refuse_bad_lines(self) -> None:
        bad = self.address_list.bad_lines
        if not self.address_list.addresses:
            self.add_error(
                self._source, gettext("No line contains a usable address. {bad}").format(bad=bad[0])
            )
        elif bad and not self.cleaned_data["skip_bad"]:
            self.add_error(self._source, [str(line) for line in bad[:LINES_SHOWN]])
            if len(bad) > LINES_SHOWN:
                self.add_error(
                    self._source,
                    gettext("{count} more lines have no usable address.").format(
                        count=grouped(len(bad) - LINES_SHOWN)
                    ),
                )
            self.add_error(
                "skip_bad",
                gettext("Correct the lines named above, or tick this box to leave them out."),
            )
