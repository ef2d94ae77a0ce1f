"""What one question's counts say, whatever its kind."""

from dataclasses import dataclass

from surveys.questionnaire import Item
from surveys.reports.groups import group_report
from surveys.reports.numbers import NumberReport, number_report
from surveys.reports.reading import Reading
from surveys.reports.shares import ShareReport, share_report
from surveys.selectors import ItemCounts


@dataclass(frozen=True)
class TextReport:
    """A free text: how many wrote something. The texts themselves are a download of their own."""

    number: int
    item: Item
    written: int

    @property
    def is_number(self) -> bool:
        return False


def question_report(
    number: int, counts: ItemCounts, reading: Reading
) -> ShareReport | NumberReport | TextReport:
    """What one question's counts say; ``number`` counts from 1."""
    if counts.item.is_text:
        return TextReport(number, counts.item, counts.written)
    if counts.item.number:
        return number_report(number, counts.item, counts.item.number, counts.by_code, reading)
    report = group_report if counts.item.is_grouped else share_report
    return report(number, counts, reading, counts.by_code[counts.item.not_asked])
