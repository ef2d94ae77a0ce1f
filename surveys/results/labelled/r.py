"""The R script of a survey: labels, and the debiased columns that its file of codes has not.

All of it is ASCII: R reads other letters of a script in the encoding of the computer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from surveys import PROGRAM
from surveys.definitions.names import numbered
from surveys.randomized_response.files.debiased import DebiasedColumn, LookUp
from surveys.results.columns import LONGEST, MISSING
from surveys.results.labelled.variables import Content, Described, Variable

ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
HEAD = f"""\
# Made by {PROGRAM}. Reads a survey's file of codes, with or without debiased columns, into the
# data frame "responses": labels, factors, numbers and dates. Nothing but base R is needed.
# Columns that end in _rep hold reports, not true answers. A cell is NA where there is no answer;
# why stands in a column that ends in _missing where there can be several reasons.
# Letters outside ASCII are written as \\u and a number.
"""
TOOLS = """
file <- read.csv(path, colClasses = "character", na.strings = character(0), check.names = FALSE,
                 encoding = "UTF-8", blank.lines.skip = FALSE)
responses <- file
cells <- function(name) {
  if (!name %in% names(file)) stop("The file has no column ", name, ": take the one of codes.")
  file[[name]]
}
look_up <- function(name, cells, codes, values) {
  place <- match(cells, codes)
  if (anyNA(place)) {
    row <- which(is.na(place))[1]
    stop("Column ", name, ", row ", row, ": ", cells[row], " is no code: take the file of codes.")
  }
  values[place]
}
labelled <- function(column, label) {
  attr(column, "label") <- label
  column
}
answers <- function(name, codes, words, missing) {
  all <- c(codes, missing)
  place <- look_up(name, cells(name), all, seq_along(all))
  factor(place, levels = seq_along(codes), labels = words)
}
present <- function(name, missing) {
  column <- cells(name)
  column[column %in% missing] <- NA
  column
}
read_as <- function(name, missing, read) {
  column <- present(name, missing)
  result <- read(column)
  if (any(is.na(result) & !is.na(column))) stop("Column ", name, ": take the file of codes.")
  result
}
reasons <- function(name, codes, words) {
  factor(words[match(cells(name), codes)], levels = unique(words))
}
debiased <- function(name, start, look_ups) {
  if (name %in% names(file)) {
    column <- file[[name]]
    return(as.numeric(ifelse(column == "", NA, column)))
  }
  total <- rep(start, nrow(file))
  is_there <- rep(FALSE, nrow(file))
  for (one in look_ups) {
    keys <- do.call(paste, lapply(one$of, cells))
    values <- look_up(name, keys, one$codes, one$values)
    has_one <- !is.na(values)
    total[has_one] <- total[has_one] + values[has_one]
    is_there <- is_there | has_one
  }
  ifelse(is_there, total, NA_real_)
}
"""


def literal(text: str) -> str:
    """The string literal of R for a text.

    >>> print(literal('a "b" é'))
    "a \\"b\\" \\u00e9"
    """
    return f'"{"".join(map(_written, text))}"'


def _written(letter: str) -> str:
    if letter in ESCAPED:
        return ESCAPED[letter]
    code = ord(letter)
    if 0x20 <= code < 0x7F:
        return letter
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def script(questions: Sequence[Described], path: str) -> Iterator[str]:
    """The lines of the script; ``path`` is where it looks for the file of codes."""
    yield HEAD
    yield f"path <- {literal(path)}  # the file of codes: change it if it lies elsewhere\n"
    yield TOOLS
    named = _reasons(questions)
    for question in questions:
        yield "\n"
        for variable in question.variables:
            yield from _variable(variable)
            if variable.name in named:
                yield from _why(variable, named[variable.name])
        for column in question.debiased:
            yield from _debiased(column)


def _reasons(questions: Sequence[Described]) -> Mapping[str, str]:
    """The name of a column of reasons, for each variable that has several."""
    variables = [each for question in questions for each in question.variables]
    columns = [column.name for question in questions for column in question.debiased]
    named = {variable.name: variable.reasons for variable in variables if variable.reasons}
    in_file = (*columns, *(variable.name for variable in variables), *named.values())
    used = {name.casefold() for name in in_file}
    for variable in variables:
        if variable.name not in named and len(set(variable.missing.values())) > 1:
            named[variable.name] = numbered(f"{variable.name}{MISSING}", used, LONGEST)
            used.add(named[variable.name].casefold())
    return named


def _vector(items: Iterable[str]) -> str:
    return f"c({', '.join(items)})"


def _texts(items: Iterable[str]) -> str:
    texts = list(map(literal, items))
    return _vector(texts) if texts else "character(0)"


def _variable(variable: Variable) -> Iterator[str]:
    name, missing = literal(variable.name), _texts([""] if variable.reasons else variable.missing)
    column = COLUMNS[variable.content](variable, name, missing)
    yield f"responses[[{name}]] <- labelled({column}, {literal(variable.label)})\n"


def _answers(variable: Variable, name: str, missing: str) -> str:
    codes, words = _texts(variable.values), _texts(_different(variable.values))
    return f"answers({name}, {codes}, {words}, {missing})"


def _different(values: Mapping[str, str]) -> Iterator[str]:
    """The words of each code; a factor would make one level of two that are alike."""
    words = list(values.values())
    for code, text in values.items():
        yield text if words.count(text) == 1 else f"{text} ({code})"


COLUMNS: dict[Content, Callable[[Variable, str, str], str]] = {
    Content.CODES: _answers,
    Content.NUMBERS: lambda variable, name, missing: f"read_as({name}, {missing}, as.numeric)",
    Content.DAYS: lambda variable, name, missing: f"read_as({name}, {missing}, as.Date)",
    Content.TEXTS: lambda variable, name, missing: f"present({name}, {missing})",
}


def _why(variable: Variable, name: str) -> Iterator[str]:
    words = _texts(variable.words_of(reason) for reason in variable.missing.values())
    source = literal(variable.reasons or variable.name)
    column = f"reasons({source}, {_texts(variable.missing)}, {words})"
    label = f"Why there is no answer in {variable.name}"
    yield f"responses[[{literal(name)}]] <- labelled({column}, {literal(label)})\n"


def _debiased(column: DebiasedColumn) -> Iterator[str]:
    look_ups = ", ".join(map(_look_up, column.look_ups))
    name, start = literal(column.name), repr(float(column.start))
    yield f"responses[[{name}]] <- labelled(\n"
    yield f"  debiased({name}, {start}, list({look_ups})), {literal(column.label)})\n"


def _look_up(look_up: LookUp) -> str:
    numbers = (
        "NA" if number is None else repr(float(number)) for number in look_up.values.values()
    )
    codes = _texts(look_up.values)
    return f"list(of = {_texts(look_up.of)}, codes = {codes}, values = {_vector(numbers)})"
