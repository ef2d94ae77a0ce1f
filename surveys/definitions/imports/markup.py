"""Plain text of labels: a form cannot bring markup or script into a page.

HTML tags go, ``<br>`` and paragraphs become line ends, a link keeps its address in brackets; of
Markdown, bold marks, headings, links and escapes. One pass over the letters each, without patterns.
"""

from html import unescape

BREAKS = frozenset(["br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol"])
UNSHOWN = frozenset(["script", "style"])
ESCAPED = frozenset("\\`*_{}[]()#+-.!<>~|")


def plain_text(text: str, *, has_markdown: bool = False) -> str:
    """The text that a reader saw, with its paragraphs and without anything that is no text."""
    shown = unescape(_without_tags(text)) if "<" in text or "&" in text else text
    if has_markdown:
        shown = _without_markdown(shown)
    kept = (letter for letter in shown.replace("\r\n", "\n") if _is_text(letter))
    lines = (" ".join(line.split()) for line in "".join(kept).split("\n"))
    paragraphs = "\n".join(lines).strip()
    while "\n\n\n" in paragraphs:
        paragraphs = paragraphs.replace("\n\n\n", "\n\n")
    return paragraphs


def _is_text(letter: str) -> bool:
    is_half = "\ud800" <= letter <= "\udfff"
    return not is_half and (letter >= " " or letter in "\n\t") and letter != "\x7f"


def _without_tags(text: str) -> str:
    parts: list[str] = []
    links: list[str] = []
    at, hidden = 0, ""
    while (start := text.find("<", at)) >= 0:
        if not hidden:
            parts.append(text[at:start])
        end = text.find(">", start)
        if end < 0:
            at = start
            break
        tag = text[start + 1 : end]
        name = tag.strip("/ \t\n").split(maxsplit=1)[0].casefold() if tag.strip("/ \t\n") else ""
        is_closing = tag.startswith("/")
        if not name[:1].isalpha() and not name.startswith("!"):
            parts.append("" if hidden else "<")  # "x < 3" is no tag
            at = start + 1
            continue
        if name in UNSHOWN and hidden in ("", name):
            hidden = "" if is_closing else name
        elif name == "a" and not hidden:
            links, parts = _with_link(links, parts, tag, is_closing)
        elif name in BREAKS and not hidden:
            parts.append("\n")
        at = end + 1
    return "".join([*parts, "" if hidden else text[at:]])


def _with_link(
    links: list[str], parts: list[str], tag: str, is_closing: bool
) -> tuple[list[str], list[str]]:
    """The addresses of links that are open, and the text, which gets the address at their ends."""
    if not is_closing:
        return [*links[-9:], _address(tag)], parts
    address = links[-1] if links else ""
    return links[:-1], [*parts, f" ({address})"] if address else parts


def _address(tag: str) -> str:
    _, _, rest = tag.partition("href")
    value = rest.lstrip(" =\t\n")
    quote = value[:1]
    if quote in ('"', "'"):
        return value[1:].partition(quote)[0].strip()
    return value.split(maxsplit=1)[0] if value else ""


def _without_markdown(text: str) -> str:
    lines = (_without_heading(line) for line in text.split("\n"))
    return _without_marks(_with_addresses("\n".join(lines)))


def _without_heading(line: str) -> str:
    shown = line.lstrip("#")
    level = len(line) - len(shown)
    return shown.lstrip() if 1 <= level <= 6 and shown.startswith(" ") else line


def _with_addresses(text: str) -> str:
    """``[words](address)`` as ``words (address)``."""
    parts: list[str] = []
    at = 0
    while (middle := text.find("](", at)) >= 0:
        start, end = text.rfind("[", at, middle), text.find(")", middle)
        if start < 0 or end < 0:
            parts.append(text[at : middle + 2])
            at = middle + 2
            continue
        words, address = text[start + 1 : middle], text[middle + 2 : end]
        parts.append(f"{text[at:start]}{words} ({address})")
        at = end + 1
    return "".join([*parts, text[at:]])


def _without_marks(text: str) -> str:
    letters: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in ESCAPED:
            letters.append(text[at + 1])
            at += 2
        elif text.startswith("**", at):
            at += 2
        else:
            letters.append(text[at])
            at += 1
    return "".join(letters)
