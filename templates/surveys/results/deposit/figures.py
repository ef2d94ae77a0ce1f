# Copyright the Deniable contributors. SPDX-License-Identifier: Apache-2.0
"""The figures of figures.json, worked out from responses.csv: python figures.py

It needs Python 3.9 or later and nothing else. Each line is a figure: what was worked out, and the
same as it stood on the survey's page of results. It ends with 1 if two of them differ.

A figure is the mean of what each report counts, "start" added; of several reports, the sum of their
means; with "divided_by", a ratio of two. Standard errors are those of any mean, s / sqrt(n), of
sums of independent means, and of ratios by linearisation.
"""

import csv
import json
import math
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLOSE = 1e-9  # the same sums in another order differ by less


def names_of(term):
    """The columns of responses.csv that a term reads."""
    return (term["column"],) if "column" in term else tuple(term["of"])


def number_of(term, cells):
    """What a term counts where these cells stand in its columns; None where nothing was sent."""
    if "column" in term:
        return float(cells[0]) if cells[0] else None
    if "values" in term:
        return term["values"][" ".join(cells)]
    report, option = cells[0], term["option"]  # a long list: option j is bit j mod 8 of byte j / 8
    if not report.strip("-"):
        return None
    byte = int(report[2 * (option // 8) :][:2], 16)
    return term["if_marked"] if byte >> option % 8 & 1 else term["if_not"]


def mean(values):
    """The mean of numbers, each with how often it came, its standard error, and how many."""
    size = sum(count for _, count in values)
    if not size:
        return math.nan, None, 0
    centre = math.fsum(number * count for number, count in values) / size
    squares = math.fsum(count * (number - centre) ** 2 for number, count in values)
    return centre, math.sqrt(squares / (size - 1) / size) if size > 1 else None, size


def summed(start, terms, counted):
    """The sum of the means of different reports."""
    means = []
    for term in terms:
        pairs = ((number_of(term, cells), n) for cells, n in counted[names_of(term)].items())
        means.append(mean([(number, n) for number, n in pairs if number is not None]))
    errors = [error for _, error, _ in means]
    error = None if None in errors else math.sqrt(math.fsum(error**2 for error in errors))
    return start + math.fsum(value for value, _, _ in means), error, sum(n for *_, n in means)


def divided(top, base, counted):
    """A ratio of two means over the rows that have both."""
    split = len(names_of(top))
    pairs = [
        (number_of(top, cells[:split]), number_of(base, cells[split:]), n)
        for cells, n in counted[names_of(top) + names_of(base)].items()
    ]
    both = [(a, b, n) for a, b, n in pairs if a is not None and b is not None]
    below, _, size = mean([(b, n) for _, b, n in both])
    value = mean([(a, n) for a, _, n in both])[0] / below
    _, error, _ = mean([(a - value * b, n) for a, b, n in both])
    return value, None if error is None else error / abs(below), size


def worked_out(figure, counted):
    """A figure, its standard error, and of how many reports it is."""
    terms = figure["means_of"]
    if "divided_by" in figure:
        return divided(terms[0], figure["divided_by"], counted)
    return summed(figure.get("start", 0), terms, counted)


def columns_read(figure):
    """The columns that are read together, once for each look at the rows."""
    terms = figure["means_of"]
    if "divided_by" in figure:
        return [names_of(terms[0]) + names_of(figure["divided_by"])]
    return [names_of(term) for term in terms]


def count_rows(wanted):
    """How often each combination of cells stands in these columns."""
    counted = {names: Counter() for names in wanted}
    with (HERE / "responses.csv").open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        numbers = {name: number for number, name in enumerate(next(rows))}
        read = [([numbers[name] for name in names], counted[names]) for names in counted]
        for row in rows:
            for columns, counter in read:
                counter[tuple(row[column] for column in columns)] += 1
    return counted


def is_close(computed, stated):
    """Whether both are the same; a page that states no number is not compared."""
    return stated is None or (computed is not None and abs(computed - stated) <= CLOSE)


def main():
    questions = json.loads((HERE / "figures.json").read_text(encoding="utf-8"))["questions"]
    figures = [(one["question"], figure) for one in questions for figure in one["figures"]]
    counted = count_rows([names for _, figure in figures for names in columns_read(figure)])
    written = csv.writer(sys.stdout)
    head = ["question", "label", "n", "estimate", "standard_error"]
    written.writerow([*head, "estimate_on_page", "standard_error_on_page"])
    differ = 0
    for question, figure in figures:
        estimate, error, size = worked_out(figure, counted)
        stated = figure["estimate"], figure["standard_error"]
        written.writerow([question, figure["label"], size, estimate, error, *stated])
        differ += not (is_close(estimate, stated[0]) and is_close(error, stated[1]))
    sys.stderr.write(f"{len(figures)} figures, {differ} differ from the page.\n")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
