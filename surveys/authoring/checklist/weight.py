"""How many bytes a respondent loads of a draft: the page, its style and icon, scripts, items."""

from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.text import compress_string

from surveys.collecting import rows
from surveys.collecting.published.rated_items import items_files
from surveys.collecting.scripts import scripts_of
from surveys.models import Survey
from surveys.questionnaire.document import Questionnaire
from surveys.web.locales import speaking
from surveys.web.static_files import sent_bytes

HEADERS = 700  # bytes before each file, as a browser's network panel counts them


@dataclass(frozen=True)
class Weight:
    """Compressed bytes with their headers; ``names`` are those of the items that people rate."""

    page: int
    styles: int
    scripts: int
    names: int

    @property
    def total(self) -> int:
        return self.page + self.styles + self.scripts + self.names


def weight_of(survey: Survey, drafted: tuple[Questionnaire, ...]) -> Weight:
    """Of the heaviest language."""
    scripts = (sent_bytes(script.path) for script in scripts_of(drafted[0]))
    names = (len(compress_string(content)) for content in items_files(drafted[0]).values())
    return Weight(
        page=max(_bytes_of(survey, questionnaire) for questionnaire in drafted) + HEADERS,
        styles=sum(sent_bytes(path) + HEADERS for path in rows.STYLES),
        scripts=sum(size + HEADERS for size in scripts),
        names=sum(size + HEADERS for size in names),
    )


def _bytes_of(survey: Survey, questionnaire: Questionnaire) -> int:
    """The first page as it is sent; the receipt is not counted."""
    with speaking(questionnaire):
        context = rows.start_context(questionnaire, last_day=survey.close_on)
        return len(compress_string(render_to_string(rows.START, context).encode()))
