"""The file of a form and its language; the definition that waits on the page for its button."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from surveys.definitions.documents import MOST_BYTES

# Of what is posted beside files (DATA_UPLOAD_MAX_MEMORY_SIZE); some is left for other fields.
LARGEST_WAITING = 900 * 1024


class FormFileForm(forms.Form):
    """The file is read as far as it may be long; what is wrong with it is a remark."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=format_lazy(
            gettext_lazy(
                "Choose an XLSForm (.xlsx), a data dictionary of REDCap (.csv), a tab-separated "
                "structure of LimeSurvey (.txt) or a draft of Deniable (.json). The file can "
                "have at most {most} MB."
            ),
            most=MOST_BYTES // 1024**2,
        ),
        error_messages={"required": gettext_lazy("Choose a file.")},
        allow_empty_file=True,
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the texts"),
        choices=settings.LANGUAGES,
        help_text=gettext_lazy("This language is used if the file does not name a language."),
    )

    def content(self) -> tuple[bytes, str]:
        """What was sent, up to a byte more than an import takes, and the name of the file."""
        file: Any = self.cleaned_data["file"]
        return file.read(MOST_BYTES + 1), file.name
