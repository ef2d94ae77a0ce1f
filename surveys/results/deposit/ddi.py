"""ddi_codebook: a survey as DDI-Codebook 2.5, the XML that survey archives take.

A channel stands in ``codInstr``, codes that are no answer in ``invalrng``, and what makes a column
whose mean is an estimate in ``derivation/drvcmd``: a command of R over the file of codes.
Source: DDI Alliance, DDI-Codebook 2.5, https://ddialliance.org/Specification/DDI-Codebook/2.5/
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from surveys import PROGRAM
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire, plain_introduction
from surveys.randomized_response.files.debiased import DebiasedColumn, LookUp
from surveys.results.codebook.columns import columns
from surveys.results.codebook.sentences import HOW_TO_ESTIMATE, HOW_TO_READ_DEBIASED
from surveys.results.deposit.licences import Licence
from surveys.results.deposit.texts import promises
from surveys.results.labelled.r import literal
from surveys.results.labelled.variables import Content, Described, Variable, described

NAMESPACE = "ddi:codebook:2_5"
FILE = "F1"
NO_LETTERS = "\ufffe\uffff"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# Of a channel that is written out; of a larger one codebook.json has the weights.
SHOWN_REPORTS = 40


@dataclass(frozen=True)
class RowsFile:
    """The file of rows, if the deposit has one, with how many there are."""

    name: str
    rows: int


def ddi_codebook(
    revision: Revision, licence: Licence, *, rows: RowsFile | None, why_no_rows: str
) -> bytes:
    """The file. Without rows it says why there are none."""
    questionnaire = questionnaire_of(revision)
    root = Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5"})
    root.set(LANGUAGE, questionnaire.language)
    variables = list(_variables(questionnaire))
    root.append(_study(revision, questionnaire, licence, why_no_rows))
    if rows:
        root.append(_file(rows, len(variables)))
    if variables:
        data = SubElement(root, "dataDscr")
        data.extend(variables)
        for variable in variables if rows else ():
            variable.set("files", FILE)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add(parent: Element, name: str, text: str = "", **attributes: str) -> Element:
    child = SubElement(parent, name, attributes)
    child.text = _clean(text) or None
    return child


def _clean(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold."""
    return "".join(filter(_is_of_xml, text))


def _is_of_xml(letter: str) -> bool:
    is_surrogate = "\ud800" <= letter <= "\udfff"
    return letter in "\t\n\r" or (letter >= " " and not is_surrogate and letter not in NO_LETTERS)


def _study(
    revision: Revision, questionnaire: Questionnaire, licence: Licence, why_no_rows: str
) -> Element:
    study = Element("stdyDscr")
    citation = _add(study, "citation")
    _add(_add(citation, "titlStmt"), "titl", questionnaire.title)
    _add(_add(citation, "rspStmt"), "AuthEnty", questionnaire.organisation)
    _add(_add(citation, "prodStmt"), "software", PROGRAM)
    _add(_add(citation, "distStmt"), "contact", questionnaire.contact)
    info = _add(study, "stdyInfo")
    _add(info, "abstract", plain_introduction(questionnaire))
    summary = _add(info, "sumDscr")
    if last_day := revision.survey.close_on:
        _add(summary, "collDate", last_day.isoformat(), date=last_day.isoformat(), event="end")
    _add(summary, "dataKind", "survey data")
    method = _add(study, "method")
    collected = _add(method, "dataColl")
    _add(collected, "collMode", "Self-completed questionnaire on the web")
    for line in promises(questionnaire):
        _add(collected, "collSitu", line)
    for line in (HOW_TO_ESTIMATE, HOW_TO_READ_DEBIASED):
        _add(method, "notes", line)
    terms = _add(_add(study, "dataAccs"), "useStmt")
    if why_no_rows:
        _add(terms, "restrctn", why_no_rows)
    _add(terms, "conditions", f"{licence.name} ({licence.spdx}): {licence.address}")
    return study


def _file(rows: RowsFile, columns: int) -> Element:
    file = Element("fileDscr", {"ID": FILE})
    text = _add(file, "fileTxt")
    _add(text, "fileName", rows.name)
    size = _add(text, "dimensns")
    _add(size, "caseQnty", str(rows.rows))
    _add(size, "varQnty", str(columns))
    _add(text, "fileType", "text/csv; charset=utf-8")
    return file


def _variables(questionnaire: Questionnaire) -> Iterator[Element]:
    """One for each column of the file of codes, in its order."""
    questions = list(described(questionnaire))
    names = [name for question in questions for name in _names(question)]
    keys = {name: f"V{number}" for number, name in enumerate(names, start=1)}
    entries = [*columns(questionnaire), *({} for _ in questionnaire.row.arm_items)]
    for question, entry in zip(questions, entries, strict=True):
        for variable in question.variables:
            yield _reported(variable, entry, keys[variable.name])
        for column in question.debiased:
            yield _debiased(column, keys)


def _names(question: Described) -> Iterator[str]:
    yield from (variable.name for variable in question.variables)
    yield from (column.name for column in question.debiased)


def _reported(variable: Variable, entry: Mapping[str, Any], key: str) -> Element:
    """A column of what was sent. The order of its children is the schema's."""
    is_number = variable.content is Content.NUMBERS
    attributes = {"name": variable.name, "intrvl": "contin" if is_number else "discrete"}
    element = Element("var", {"ID": key, **attributes})
    _add(element, "labl", variable.label)
    if entry:
        _add(_add(element, "qstn"), "qstnLit", entry["text"])
    _add_missing(element, variable)
    if only := entry.get("asked_only"):
        _add(element, "universe", only)
    for code, label in variable.values.items():
        _add_category(element, code, label)
    for code, reason in variable.missing.items():
        _add_category(element, code, variable.words_of(reason), missing="Y")
    if variable.is_report:
        _add(element, "codInstr", channel_words(entry))
    _add(element, "varFormat", type="numeric" if is_number else "character")
    return element


def _add_missing(element: Element, variable: Variable) -> None:
    """The codes that are no answer, and what each says."""
    if not variable.missing:
        return
    missing = _add(element, "invalrng")
    for code in variable.missing:
        _add(missing, "item", VALUE=code)
    words = (
        f"{code or '(empty)'}: {variable.words_of(reason)}"
        for code, reason in variable.missing.items()
    )
    _add(missing, "key", "; ".join(words))


def _add_category(element: Element, code: str, label: str, **attributes: str) -> None:
    category = _add(element, "catgry", **attributes)
    _add(category, "catValu", code)
    _add(category, "labl", label)


def _debiased(column: DebiasedColumn, keys: Mapping[str, str]) -> Element:
    element = Element("var", {"ID": keys[column.name], "name": column.name, "intrvl": "contin"})
    _add(element, "labl", column.label)
    sources = " ".join(keys[name] for name in column.of)
    derived = _add(element, "derivation", var=sources)
    _add(derived, "drvdesc", column.label)
    _add(derived, "drvcmd", command(column), syntax="R")
    _add(element, "varFormat", type="numeric")
    return element


def command(column: DebiasedColumn) -> str:
    """An expression of R over columns of codes, read as characters; NA where nothing was sent."""
    numbers = [_looked_up(one) for one in column.look_ups]
    start = repr(float(column.start))
    if len(numbers) == 1:
        return f"{start} + {numbers[0]}" if column.start else numbers[0]
    together = f"local({{x <- cbind({', '.join(numbers)})"
    return f"{together}; ifelse(rowSums(!is.na(x)) > 0, {start} + rowSums(x, na.rm = TRUE), NA)}})"


def _looked_up(look_up: LookUp) -> str:
    pairs = [(literal(code), n) for code, n in look_up.values.items() if n is not None]
    codes = ", ".join(code for code, _ in pairs)
    values = ", ".join(repr(float(number)) for _, number in pairs)
    cells = ", ".join(f"`{name}`" for name in look_up.of)
    read = f"paste({cells})" if len(look_up.of) > 1 else cells
    return f"c({values})[match({read}, c({codes}))]"


def channel_words(entry: Mapping[str, Any]) -> str:
    """How chance made the report: each chance, or where a larger channel stands."""
    start = f"Reported by the design “{entry['design']}”, not true."
    if "marked_if_true" in entry:
        return (
            f"{start} An option is marked with probability {entry['marked_if_true']} if it is the "
            f"answer, and {entry['marked_if_not']} if it is not."
        )
    if "pairs" in entry:
        return (
            f"{start} The channel depends on an unknown share: codebook.json has “pairs” for both "
            "groups."
        )
    reports = [one["code"] for one in entry.get("reports", entry["levels"])]
    truths = entry.get("true_values") or [one["code"] for one in entry["levels"]]
    if len(reports) * len(truths) > SHOWN_REPORTS**2:
        return f"{start} codebook.json has the weights of the channel."
    lines = _chances(reports, truths, entry["weights"], entry["denominator"])
    return f"{start} P(report | true answer): {'; '.join(lines)}."


def _chances(
    reports: Sequence[str], truths: Iterable[str], weights: Any, denominator: int
) -> Iterator[str]:
    for truth, row in zip(truths, weights, strict=True):
        chances = (
            f"{report} {weight}/{denominator}" for report, weight in zip(reports, row, strict=True)
        )
        yield f"if {truth}: {', '.join(chances)}"
