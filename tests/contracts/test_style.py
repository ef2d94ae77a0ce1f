"""Templates are short in lines and sentences; what staff and developers read is in plain words."""

import re
from pathlib import Path

from tests.conftest import ROOT

TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())
PAGES = [path for path in TEMPLATES if path.suffix in {".html", ".txt"}]
LONGEST_LINE = 120
MOST_WORDS = 30

PRODUCT = ("config", "surveys", "ranking", "analytics")
VAGUE = re.compile(
    r"\b(whoever|nobody|somebody|everybody|whatever|hang\s+on|in\s+company|is\s+told)\b", re.I
)
# Texts to respondents may use these words.
TO_RESPONDENTS = (
    "templates/surveys/collecting/",
    "templates/kinds/",
    "surveys/wording",
    "surveys/collecting/replies/receipts.py",
)
# Help texts that migrations repeat: they change with the next migration of their fields.
IN_MIGRATIONS = ("surveys/models/surveys.py", "surveys/models/questions.py", "/migrations/")

NOT_TEXT = re.compile(r"\{#.*?#\}|<(script|style|svg)\b.*?</\1>", re.S)
TRANSLATED = re.compile(r'\{% translate "([^"]*)".*?%\}')
VALUE = re.compile(r"\{\{.*?\}\}")
# A branch may go on with the sentence before it; another branch or anything else does not.
GOES_ON = r"(?:if|endif|blocktranslate|endblocktranslate)\b"
INLINE = r"/?(?:a|b|bdi|code|em|i|span|strong)\b"
END = re.compile(rf"\{{% (?!{GOES_ON}).*?%\}}|<(?!{INLINE})[^>]*>", re.S)
TAG = re.compile(r"\{%.*?%\}|<[^>]*>", re.S)
SENTENCE = re.compile(r"(?<=[.!?])[”\")]*\s+(?=[^a-z\s])")
WORD = re.compile(r"\w[\w’'-]*")


def read_by_staff_and_developers() -> list[Path]:
    """Product code, templates, scripts and documents; not what respondents read."""
    patterns = [*(f"{folder}/**/*.py" for folder in PRODUCT), "templates/**/*", "static/**/*.js"]
    paths = {path for each in [*patterns, "docs/*.md", "*.md"] for path in ROOT.glob(each)}
    spared = (*TO_RESPONDENTS, *IN_MIGRATIONS)
    return sorted(
        path
        for path in paths
        if path.is_file() and not any(part in path.relative_to(ROOT).as_posix() for part in spared)
    )


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sentences(source: str) -> list[str]:
    """The sentences of a template's text; a value counts as one word."""
    text = TRANSLATED.sub(r"\1", NOT_TEXT.sub("\n\n", source))
    text = TAG.sub(" ", END.sub("\n\n", VALUE.sub(" 1 ", text)))
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return [each for paragraph in paragraphs for each in SENTENCE.split(paragraph) if each]


def test_no_line_of_a_template_is_longer_than_120_characters():
    too_long = [
        (name(path), number)
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ]
    assert (too_long, len(TEMPLATES) > 100) == ([], True)


def test_no_sentence_of_a_template_has_more_than_30_words():
    too_long = [
        (name(path), each)
        for path in PAGES
        for each in sentences(path.read_text())
        if len(WORD.findall(each)) > MOST_WORDS
    ]
    assert (too_long, len(PAGES) > 100) == ([], True)


def test_a_sentence_goes_over_tags_inside_it_and_ends_with_its_paragraph():
    source = (
        "<p>Ask <b>{{ n }}</b>{% if more %} or more{% endif %} people. Wait.</p><p>Then {# not #}"
    )
    assert sentences(source) == ["Ask 1 or more people.", "Wait.", "Then"]


def test_no_text_for_staff_or_developers_uses_a_vague_word():
    read = {name(path): path.read_text() for path in read_by_staff_and_developers()}
    found = [
        (path, text.count("\n", 0, hit.start()) + 1, hit[0])
        for path, text in read.items()
        for hit in VAGUE.finditer(text)
    ]
    assert (found, len(read) > 500) == ([], True)


def test_vague_words_are_seen_over_the_end_of_a_line_and_not_in_longer_words():
    assert VAGUE.findall("This is\n  told. Nobody knows.") == ["is\n  told", "Nobody"]
    assert VAGUE.findall("a test_of_nobody_else, hanging, it is tolded") == []
