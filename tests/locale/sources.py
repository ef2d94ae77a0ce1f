"""Finds the texts that are marked for translation, and those of translated pages that are not."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from django.template import engines
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.text import smart_split
from django.utils.translation import trim_whitespace

from tests.locale.catalogues import Entry

ROOT = Path(__file__).parent.parent.parent
# Of the marks; the statistics package names its own by their last part.
HOMES = {
    "django.utils.translation",
    "messages",
    "surveys.questionnaire.messages",
    "surveys.randomized_response.messages",
}
MARKS = {"gettext", "gettext_lazy", "gettext_noop", "message", "sentence"}
COUNTING = {"ngettext", "ngettext_lazy", "counted", "counted_sentence"}
CATALOGUES = ("respondents", "staff")
# What only staff read; all else that is marked is for respondents, and so is ``message``.
STAFF = (
    "templates/admin/",
    "templates/account/",
    "templates/mfa/",
    "templates/analytics/",
    "templates/ranking/",
    "analytics/",
    "ranking/",
    "templates/base.html",
    *(
        f"templates/surveys/{name}"
        for name in ("fieldwork/", "planning/", "programs/", "results/", "staff/", "web/pages.html")
    ),
    *(
        f"templates/surveys/web/{name}.html"
        for name in ("error_of_staff", "field", "figure", "form_errors", "released_alone", "tick")
    ),
    *(
        f"surveys/{name}/"
        for name in ("fieldwork", "planning", "programs", "results", "staff", "counts")
    ),
    # From other modules of ``draft/``, from ``drafts.py`` and kinds come words of respondents.
    "surveys/kinds/trust/",
    *(
        f"surveys/authoring/{name}"
        for name in (
            "actions.py",
            "admin.py",
            "checklist/",
            "confirmations.py",
            "draft/budgets.py",
            "draft/languages.py",
            "draft/openings.py",
            "draft/surveys.py",
            "editor/",
            "first_steps/",
            "grouping/",
            "hints.py",
            "importing/",
            "inlines.py",
            "key_files.py",
            "key_proofs.py",
            "protection/",
            "question_forms.py",
            "read_fields.py",
            "services.py",
            "simulation/",
            "text_keys.py",
            "trustees.py",
        )
    ),
    *(
        f"surveys/models/{name}.py"
        for name in (
            "budgets",
            "catalogues",
            "exports",
            "people",
            "questions",
            "surveys",
            "text_keys",
            "translations",
            "trustees",
        )
    ),
    "surveys/apps.py",
    "surveys/web/forms.py",
    "surveys/web/downloads.py",
    "surveys/web/drawing/",
    "surveys/wording/language/numbers.py",
    "surveys/wording/odds.py",
    "surveys/wording/readings.py",
    "surveys/wording/readings.py",
    "surveys/wording/terms.py",
    "surveys/wording/totals.py",
)
FOR_RESPONDENTS = {"message", "counted"}  # wherever they stand
FOR_STAFF = {"sentence", "counted_sentence"}  # likewise
# What invited people get.
FOR_INVITED = ("templates/surveys/fieldwork/_sheet.html", "surveys/fieldwork/samples.py")
RESPONDENTS = (
    "templates/base_respondent.html",
    "templates/error.html",
    "templates/kinds/**/*.html",
    "templates/surveys/collecting/**/*.html",
    "templates/surveys/fieldwork/_sheet.html",
    "templates/surveys/web/source.html",
)
RESPONDENT_MODULES = (
    "surveys/collecting/*.py",
    "surveys/questionnaire/refusals.py",
    "surveys/questionnaire/submission.py",
    "surveys/questionnaire/tokens.py",
    "surveys/questionnaire/kinds/*.py",
    "surveys/kinds/*/promise.py",
    "surveys/models/refusals.py",
    "surveys/web/error_pages.py",
    *(
        f"surveys/wording/{name}.py"
        for name in (
            "channels",
            "learning",
            "openings",
            "parts",
            "protection",
            "recipes",
            "reports",
            "subsets",
        )
    ),
)
# Modules all of whose sentences staff read on pages; those that write files alone are left out.
# This list only grows.
STAFF_MODULES = (
    *(f"analytics/pages/answers/{name}.py" for name in ("asking", "panel")),
    "analytics/pages/answers/views.py",
    *(
        f"analytics/pages/releases/{name}.py"
        for name in ("confirmations", "forms", "panel", "rows", "views")
    ),
    *(
        f"analytics/reports/{name}.py"
        for name in ("asking", "charts", "kind", "names", "registry", "release_page", "words")
    ),
    *(f"analytics/reports/topics/{name}.py" for name in ("compared", "finds", "page", "pictures")),
    "analytics/services/locked_tables.py",
    "analytics/services/schedules.py",
    "surveys/wording/totals.py",
    "analytics/kinds/registry.py",
    *(
        f"analytics/pages/{name}.py"
        for name in (
            "amounts",
            "comparing",
            "finished",
            "forms",
            "ledger_rows",
            "rows",
            "views",
        )
    ),
    "ranking/admin.py",
    "ranking/methods/histograms.py",
    "ranking/methods/registry.py",
    "ranking/pages/*.py",
    "ranking/services.py",
    "surveys/authoring/checklist/*.py",
    "surveys/authoring/draft/*.py",
    "surveys/authoring/drafts.py",
    "surveys/authoring/editor/*.py",
    "surveys/authoring/grouping/*.py",
    "surveys/authoring/hints.py",
    "surveys/authoring/protection/*.py",
    # The texts of questions about trust are the author's, who may change them.
    "surveys/kinds/[!t]*/draft.py",
    "surveys/kinds/t[!r]*/draft.py",
    *(
        f"surveys/fieldwork/{name}.py"
        for name in (
            "addresses",
            "forms",
            "invitations",
            "pages",
            "problems",
            "reminder_forms",
            "reminder_pages",
            "reminder_rows",
            "reminders/plans",
            "sending",
        )
    ),
    "surveys/staff/admin.py",
    "surveys/staff/audit/forms.py",
    "surveys/staff/audit/rows.py",
    "surveys/staff/members/*.py",
    "surveys/authoring/confirmations.py",
    "surveys/authoring/inlines.py",
    "surveys/authoring/key_files.py",
    "surveys/authoring/key_proofs.py",
    "surveys/authoring/services.py",
    "surveys/authoring/text_keys.py",
    "surveys/authoring/trustees.py",
    *(
        f"surveys/models/{name}.py"
        for name in ("budgets", "catalogues", "people", "surveys", "text_keys", "trustees")
    ),
    "surveys/planning/*.py",
    *(
        f"surveys/results/{name}.py"
        for name in (
            "disclosure",
            "forms",
            "overview",
            "pages",
            "reading",
            "routes",
            "shares",
        )
    ),
    *(
        f"surveys/results/{room}/*.py"
        for room in ("analyses", "figures", "handover", "rows", "taking")
    ),
    "surveys/counts/*.py",
    "surveys/web/drawing/*.py",
    "surveys/web/forms.py",
)
FOR_FILES = {"facts", "hold_words", "method_words"}  # functions in these modules
# What stands in a file that people take away, which stays in English.
FILES = ("analytics/standalone.html",)
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")  # three words
PROGRAMMING = {"ValueError", "TypeError", "DesignError", "KeyLost", "spool.KeyLost"}
SEEN = {"title", "aria-label", "alt", "placeholder"}  # attributes that people read or hear
NAMES = re.compile("Deniable|CSV|JSON|Parquet|SVG|PNG|Vega-Lite")  # the same in every language
LETTERS = re.compile(r"[^\W\d_]")


def marked_texts(catalogue: str = "respondents") -> list[Entry]:
    """Every text that is marked, in the order of the files, each once with all its places.

    What both read stands in the catalogue of respondents alone: the program reads both as one.
    """
    respondents = _together(entry for entry, is_staff in _all_marked() if not is_staff)
    if catalogue == "respondents":
        return respondents
    theirs = {(entry.msgid, entry.plural) for entry in respondents}
    staff = _together(entry for entry, is_staff in _all_marked() if is_staff)
    return [entry for entry in staff if (entry.msgid, entry.plural) not in theirs]


def _together(entries: Iterable[Entry]) -> list[Entry]:
    found: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = (entry.msgid, entry.plural)
        known = found.get(key, replace(entry, sources=()))
        sources = tuple(dict.fromkeys((*known.sources, *entry.sources)))
        found[key] = replace(known, sources=sources)
    return list(found.values())


@cache
def _all_marked() -> list[tuple[Entry, bool]]:
    """Every mark, and whether only staff read it."""
    return [*_of_templates(), *_of_modules()]


def staff_templates() -> Iterator[Path]:
    """Templates that only staff read and that are translated."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        name = path.relative_to(ROOT / "templates").as_posix()
        if f"templates/{name}".startswith(STAFF) and name not in FILES:
            yield path


def respondent_templates() -> Iterator[Path]:
    for pattern in RESPONDENTS:
        yield from sorted(ROOT.glob(pattern))


def unmarked_in(template: str) -> list[str]:
    """Texts of a template's source that people see and that no tag marks."""
    plain = re.sub(r"{#.*?#}|{% comment %}.*?{% endcomment %}", "", template, flags=re.DOTALL)
    plain = re.sub(r"<script[^>]*>.*?</script>", "", plain, flags=re.DOTALL)
    plain = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", plain, flags=re.DOTALL)
    # What is in English for all readers, as the title of a work that is cited.
    plain = re.sub(r'<(\w+) lang="en">.*?</\1>', "", plain, flags=re.DOTALL)
    # What stands within a tag: the block of a question's attributes, and elements that are chosen.
    plain = re.sub(r"{% block draw %}.*?{% endblock %}", "", plain, flags=re.DOTALL)
    plain = re.sub(r"(</?){{.*?}}", r"\1h1", plain)
    plain = re.sub(r"{[{%].*?[%}]}", "", plain, flags=re.DOTALL)
    plain = re.sub(r'data-[a-z-]+="[^"]*"', "", plain)
    seen = _Seen()
    seen.feed(plain)
    seen.close()
    return seen.texts


class _Seen(HTMLParser):
    """Collects what has letters: text, and attributes that are read."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        if LETTERS.search(NAMES.sub("", data)):
            self.texts.append(data.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [
            value for name, value in attrs if name in SEEN and value and LETTERS.search(value)
        ]


def respondent_modules() -> Iterator[Path]:
    """Modules all of whose sentences respondents read."""
    for pattern in RESPONDENT_MODULES:
        yield from sorted(ROOT.glob(pattern))


def staff_modules() -> Iterator[Path]:
    for pattern in STAFF_MODULES:
        yield from sorted(ROOT.glob(pattern))


def english_in(path: Path) -> list[str]:
    """Strings of a module that read like a sentence and are not marked; docstrings are none."""
    tree = ast.parse(path.read_text())
    nodes = list(ast.walk(tree))
    marked = {id(text) for call in nodes for text in _marked_in(call)}
    strings = [
        part
        for part in nodes
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and id(part) not in marked
    ]
    quiet = {id(text) for part in nodes for text in _not_shown(part)}
    return [text.value for text in strings if id(text) not in quiet and SENTENCE.search(text.value)]


def modules() -> Iterator[Path]:
    """All modules in which a text may be marked."""
    for package in ("analytics", "ranking", "surveys"):
        yield from sorted((ROOT / package).rglob("*.py"))


def unclear_marks() -> list[str]:
    """Calls of a mark whose first argument is no whole text, with their places."""
    return [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in modules()
        if path.name != "messages.py"
        for call in _calls_of_marks(path)
        if not isinstance(call.args[0], ast.Constant)
    ]


@cache
def _calls_of_marks(path: Path) -> list[ast.Call]:
    """Other functions may be called as a mark is: those that are imported as marks count."""
    source = path.read_text()
    if not any(home in source for home in HOMES):
        return []
    nodes = list(ast.walk(ast.parse(source)))
    imports = [one for one in nodes if isinstance(one, ast.ImportFrom)]
    known = {alias.name for one in imports if one.module in HOMES for alias in one.names}
    marks = known & (MARKS | COUNTING)
    calls = (one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name))
    return [call for call in calls if call.func.id in marks]


def _marked_in(call: ast.AST) -> Iterator[ast.AST]:
    is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    if is_call and call.func.id in MARKS | COUNTING:
        yield from call.args


def _not_shown(part: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, what goes into logs and files, and what stands in an error of programming."""
    if isinstance(part, ast.Expr):
        yield part.value
    if isinstance(part, ast.FunctionDef) and part.name in FOR_FILES:
        yield from ast.walk(part)
    if isinstance(part, ast.Call):
        name = ast.unparse(part.func)
        if name.startswith("logger.") or name in PROGRAMMING | {"record"}:
            yield from (text for argument in part.args for text in ast.walk(argument))


def _of_templates() -> Iterator[tuple[Entry, bool]]:
    engine = engines["django"].engine
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix not in (".html", ".txt"):
            continue
        name = path.relative_to(ROOT).as_posix()
        nodes = engine.from_string(path.read_text()).nodelist
        found = [
            *nodes.get_nodes_by_type(TranslateNode),
            *nodes.get_nodes_by_type(BlockTranslateNode),
        ]
        for node in sorted(found, key=lambda node: node.token.lineno):
            is_staff = _is_of_staff(name)
            yield replace(_of_node(node), sources=(name,)), is_staff


def _is_of_staff(name: str) -> bool:
    """Whether only staff read what a file says."""
    return name.startswith(STAFF) and name not in FOR_INVITED


def _of_node(node: TranslateNode | BlockTranslateNode) -> Entry:
    if isinstance(node, TranslateNode):
        literal = list(smart_split(node.token.contents))[1]
        return Entry(ast.literal_eval(literal).replace("%", "%%"))  # as the tag looks it up
    trimmed = trim_whitespace if node.trimmed else str
    one = trimmed(node.render_token_list(node.singular)[0])
    return Entry(one, trimmed(node.render_token_list(node.plural)[0]) if node.plural else "")


def _of_modules() -> Iterator[tuple[Entry, bool]]:
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        for call in _calls_of_marks(path):
            mark = call.func.id
            is_staff = mark in FOR_STAFF or (_is_of_staff(name) and mark not in FOR_RESPONDENTS)
            for one in _of_call(call.func.id, call):
                yield replace(one, sources=(name,)), is_staff


def _of_call(name: str, call: ast.Call) -> Iterator[Entry]:
    """The texts of a call of one of the marks. Anything but a literal is none: see the test."""
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    if name in MARKS and texts:
        yield Entry(texts[0])
    if name in COUNTING and len(texts) > 1:
        yield Entry(texts[0], texts[1])
