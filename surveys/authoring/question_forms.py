"""QuestionForm in the admin: a long list of options is written as lines in one field."""

from typing import Any, ClassVar

from django import forms

from surveys.authoring.draft.ratings import LEAST_ADAPTIVE_EPSILON
from surveys.authoring.drafts import MAXIMUM_OPTIONS
from surveys.models import Option, Question
from surveys.questionnaire.kinds.long_list import MOST_OPTIONS
from surveys.questionnaire.ratings import MOST_SHOWN

LONGEST_OPTION = Option._meta.get_field("text").max_length or 0


class OptionLinesField(forms.CharField):
    """One option on each line; empty lines are left out."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 12}), **kwargs)

    def clean(self, value: Any) -> Any:
        """A list of texts. Raises ValidationError that names the line."""
        lines = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        if len(lines) > MOST_OPTIONS:
            raise forms.ValidationError(
                f"These are {len(lines)} options: offer at most {MOST_OPTIONS}."
            )
        first_of: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            _check_line(number, line)
            first = first_of.setdefault(line.casefold(), number)
            if first != number:
                raise forms.ValidationError(f"Options {first} and {number} read the same: {line}")
        return lines


class QuestionForm(forms.ModelForm):
    """All fields of a question, and its options as lines."""

    option_lines = OptionLinesField(
        label="Many options, one on each line",
        required=False,
        help_text=(
            f"For long lists of up to {MOST_OPTIONS} options, in the order to be shown. What is "
            "written here replaces all options; leave it empty to edit the rows below."
        ),
    )

    class Meta:
        model = Question
        fields: tuple[str, ...] = ()  # the admin says which
        help_texts: ClassVar[dict[str, str]] = {
            "text": (
                "To quote the answer to an earlier question: Why do you like {your answer to "
                "question 3}?"
            ),
            "shown": (
                f"Ratings: how many items each respondent rates, drawn by chance; 0 for all, if "
                f"there are at most {MOST_SHOWN}. Multiple choice and tables with a "
                "device: how many options or rows are sent of each respondent, drawn by chance; 0 "
                "for one."
            ),
            "adaptive": (
                "Ratings only: items that were rated well are shown more often (Thompson "
                "sampling), so that the best ones are found with fewer people. For ratings of a "
                f"drawn few that are asked directly or with an epsilon of {LEAST_ADAPTIVE_EPSILON} "
                "for each item shown, in surveys without invitations. Means of single items are "
                "then biased: show items evenly if you need those."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        table_rows = self.fields.get("table_rows")
        if isinstance(table_rows, forms.CharField):
            # Left empty it stays what it was: the audit log would call "" a change.
            table_rows.empty_value = None
        if self.instance._state.adding or "option_lines" not in self.fields:
            return
        texts = [option.text for option in self.instance.options.all()]
        if len(texts) > MAXIMUM_OPTIONS:
            self.fields["option_lines"].initial = "\n".join(texts)


def _check_line(number: int, line: str) -> None:
    if len(line) > LONGEST_OPTION:
        raise forms.ValidationError(
            f"Option {number} has {len(line)} characters: shorten it to {LONGEST_OPTION}."
        )
    if not line.isprintable():
        raise forms.ValidationError(f"Option {number} has invisible characters: remove them.")
