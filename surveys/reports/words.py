"""Numbers as people read them."""


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
