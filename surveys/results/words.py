"""Numbers and refusals as people read them."""

from surveys.randomized_response import StatisticsError


def percent(value: float | None, digits: int = 1) -> str:
    """A share in words: ``12.3 %``; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{100 * value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return f"{text.replace('-', '−')} %"


def number_words(value: float | None, places: int = 2) -> str:
    """A number without needless zeros; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if places else text).replace("-", "−")


def refusal_words(problem: StatisticsError) -> str:
    """Why statistics refuses, without names and values of the programming interface.

    Columns of a model keep their names: they are words that the page shows.
    """
    column = problem.argument.startswith("column ")
    return f"{problem.argument}: {problem.remedy}" if column else problem.remedy
