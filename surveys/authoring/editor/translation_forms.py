"""TranslationForm: each text of a draft beside what it is called in another language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import get_language_info, gettext

from surveys.authoring.draft.languages import SourceText
from surveys.models.translations import digest_of
from surveys.questionnaire.logic.marks import shape_of

LONG = 100  # characters from which a text is written in an area of several lines


@dataclass(frozen=True)
class TranslationRow:
    """A text with its field; ``theirs`` is what another person stored meanwhile, if they did.

    ``is_marked_otherwise`` is true of a translation with other emphasis or lists than its text.
    """

    source: SourceText
    field: forms.BoundField
    is_missing: bool
    is_marked_otherwise: bool
    theirs: str = ""


class TranslationForm(forms.Form):
    """A field for each text. ``shown`` says which translations the person saw."""

    shown = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        texts: Sequence[SourceText],
        known: Mapping[str, str],
        language: str,
        has_marks: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.texts, self.known, self.language = texts, known, language
        self.has_marks = has_marks
        self.conflicts: Mapping[str, str] = {}
        self.fields["shown"].initial = self.shown_now
        direction = "rtl" if get_language_info(language)["bidi"] else "ltr"
        for source in texts:
            has_area = len(source.text) > LONG or "\n" in source.text
            area = forms.Textarea(attrs={"rows": 4}) if has_area else forms.TextInput()
            area.attrs |= {"lang": language, "dir": direction, "autocomplete": "off"}
            self.fields[source.digest] = forms.CharField(
                label=source.place[:1].upper() + source.place[1:],
                initial=known.get(source.digest, ""),
                required=False,
                max_length=source.longest,
                widget=area,
            )

    @property
    def shown_now(self) -> str:
        """For each text, the digest of its translation as it is stored; it may be empty."""
        return " ".join(map(self._digest_now, self.texts))

    def _digest_now(self, source: SourceText) -> str:
        return digest_of(self.known.get(source.digest, ""))

    def clean_shown(self) -> list[str]:
        """Of another number of texts than there are now, nothing can be said."""
        seen: list[str] = self.cleaned_data["shown"].split()
        if len(seen) != len(self.texts):
            raise forms.ValidationError(
                gettext(
                    "Nothing was saved, because texts of this survey changed since you opened "
                    "this page. What you typed is kept below. Check your texts, and save again."
                )
            )
        return seen

    @property
    def written(self) -> Iterator[tuple[SourceText, str, str]]:
        """Each text with the digest of the translation that was shown, and what was typed.

        A text for which nothing was typed is its own translation, if the person asked for that.
        What another person has stored since it was shown is not missing, and stays.
        """
        for source, seen in zip(self.texts, self.cleaned_data["shown"], strict=True):
            is_kept = "_keep_original" in self.data and seen == self._digest_now(source)
            kept = source.text if is_kept else ""
            yield source, seen, self.cleaned_data[source.digest].strip() or kept

    def show_anew(self, conflicts: Mapping[str, str]) -> None:
        """Keep what was typed, beside what another person has stored meanwhile."""
        self.known = {**self.known, **conflicts}
        self.data = {**dict(self.data.items()), "shown": self.shown_now}
        self.conflicts = conflicts

    @property
    def lines(self) -> Iterator[TranslationRow]:
        for source in self.texts:
            field = self[source.digest]
            words = str(field.value() or "").strip()
            differs = self.has_marks and bool(words) and shape_of(words) != shape_of(source.text)
            theirs = self.conflicts.get(source.digest, "")
            yield TranslationRow(source, field, not words, differs, theirs)
