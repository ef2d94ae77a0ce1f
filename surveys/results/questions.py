"""What one question's counts say, whatever its kind."""

from dataclasses import dataclass

from surveys.questionnaire.kinds import Item
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.rows_of_groups import group_report
from surveys.results.rows_of_lists import list_report
from surveys.results.rows_of_numbers import NumberReport, number_report
from surveys.results.shares import ShareReport, share_report
from surveys.wording import odds


@dataclass(frozen=True)
class TextReport:
    """A free text: how many wrote something. The texts themselves are a download of their own."""

    number: int
    item: Item
    written: int

    @property
    def is_number(self) -> bool:
        return False


@dataclass(frozen=True)
class RatingReport:
    """Items that were rated: how many ratings there are. Their order is a page of its own."""

    number: int
    item: Item
    ratings: int

    @property
    def is_number(self) -> bool:
        return False

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)


def question_report(
    number: int, counts: ItemCounts, reading: Reading
) -> ShareReport | NumberReport | TextReport | RatingReport:
    """What one question's counts say; ``number`` counts from 1."""
    if counts.item.is_text:
        return TextReport(number, counts.item, counts.written)
    if counts.item.is_rating:
        return RatingReport(number, counts.item, counts.written)
    if counts.item.number:
        return number_report(number, counts.item, counts.item.number, counts.by_code, reading)
    if counts.item.marking:
        return list_report(number, counts, reading)
    report = group_report if counts.item.is_grouped else share_report
    return report(number, counts, reading, counts.by_code[counts.item.not_asked])
