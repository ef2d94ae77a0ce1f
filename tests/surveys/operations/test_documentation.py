"""The documentation as a site: built without a warning, and nothing else is deleted for it."""

import re
import sqlite3
from html.parser import HTMLParser
from io import StringIO
from urllib.parse import unquote

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import ROOT

DOCS = ROOT / "docs"
# Attributes by which a browser loads something, or sends to it, of whatever element.
LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "xlink:href"}
FOREIGN = re.compile(r"(?i)\b[a-z][a-z+.-]*:|//")
IN_STYLES = re.compile(r"(?i)url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)")
PAGES = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}


class Fetched(HTMLParser):
    """What a page loads by itself, and the scripts and styles that stand in it."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.written: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.inside = tag
        self.written += [name for name in given if name.startswith("on") or name == "style"]
        self.addresses += [text or "" for name, text in attrs if name in LOADING]
        if tag in {"link", "base", "image", "use"} and "href" in given:
            self.addresses.append(given["href"] or "")
        if tag == "meta" and "http-equiv" in given:
            self.addresses.append((given.get("content") or "").partition("url=")[2])

    def handle_data(self, data):
        if self.inside in {"script", "style"} and data.strip():
            self.written.append(data)

    def handle_endtag(self, tag):
        self.inside = ""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    into = tmp_path_factory.mktemp("documentation")
    call_command("documentation", into=into, stdout=StringIO())
    return into


def test_every_page_is_built_and_found_by_the_search(site):
    built = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    assert built == PAGES | {"search"}
    index = (site / "search" / "search_index.json").read_text()
    for page in PAGES:
        assert f'"location":"{page}.html' in index, page


def test_no_page_has_a_script_or_a_style_of_its_own_or_asks_another_origin(site):
    for path in site.rglob("*.html"):
        page = Fetched()
        page.feed(path.read_text())
        assert page.written == [], path.name
        assert foreign(page.addresses) == [], path.name
    for path in site.rglob("*.css"):
        loaded = [one or other for one, other in IN_STYLES.findall(path.read_text())]
        assert foreign(loaded) == [], path.name


def foreign(addresses: list[str]) -> list[str]:
    """Those of another origin; a picture that stands within its style sheet is of none."""
    return [one for one in addresses if FOREIGN.search(one) and not one.startswith("data:image/")]


@pytest.mark.parametrize(
    "part",
    [
        '<img src="//example.org/x.png">',
        '<img srcset="x.png 1x, https://example.org/x.png 2x">',
        '<link rel="preconnect" href="https://example.org">',
        '<base href="https://example.org/">',
        '<form action="https://example.org/"></form>',
        '<iframe src="https://example.org/"></iframe>',
        '<meta http-equiv="refresh" content="0; url=https://example.org/">',
        '<svg><image href="https://example.org/x.svg"/></svg>',
    ],
)
def test_what_asks_another_origin_is_noticed(part):
    page = Fetched()
    page.feed(f'<p><a href="https://doi.org/10.1093/pan/mpr005">A source</a></p>{part}')
    assert len(foreign(page.addresses)) == 1


def test_every_style_sheet_of_a_page_is_there_and_no_page_needs_a_script(site):
    page = Fetched()
    page.feed((site / "index.html").read_text())
    assert set(page.addresses) >= {"css/tokens.css", "css/pages.css", "css/documentation.css"}
    assert list(site.rglob("*.js")) == []
    for address in page.addresses:
        assert (site / address).is_file(), address


def test_a_folder_with_other_files_is_refused_and_keeps_them(tmp_path):
    other = tmp_path / "thesis.txt"
    other.write_text("four years of work")
    with pytest.raises(CommandError, match="Name another folder"):
        call_command("documentation", into=tmp_path)
    assert other.read_text() == "four years of work"


class WithoutFullTextSearch(sqlite3.Connection):
    """SQLite as some build it, with the words that it then has."""

    def executescript(self, statements):
        if "fts5" in statements:
            raise sqlite3.OperationalError("no such module: fts5")
        return super().executescript(statements)


def test_an_sqlite_without_full_text_search_is_named_before_anything_is_written(
    tmp_path, monkeypatch
):
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda *args, **options: connect(*args, factory=WithoutFullTextSearch, **options),
    )
    with pytest.raises(CommandError, match="no full-text search") as refusal:
        call_command("documentation", into=tmp_path)
    assert "Debian" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_built_folder_is_built_anew(site):
    left = site / "gone.html"
    left.write_text("a page of the version before")
    call_command("documentation", into=site, stdout=StringIO())
    assert not left.exists()


def test_a_link_that_leads_nowhere_stops_it_and_is_named(site, tmp_path, monkeypatch):
    from surveys.operations import documentation

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[Lost](nowhere.md)\n")
    written = tmp_path / "site.yml"
    written.write_text(f"site_name: x\ndocs_dir: {tmp_path / 'docs'}\n")
    monkeypatch.setattr(documentation, "CONFIGURATION", written)
    with pytest.raises(documentation.Unbuildable, match=r"nowhere\.md"):
        documentation.build_documentation(tmp_path / "into")


class Linked(HTMLParser):
    """The places of a page that a link can name, and where its own links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names.add(given.get("id") or given.get("name") or "")
        if tag in {"a", "link", "script", "img"}:
            self.links.append(given.get("href") or given.get("src") or "")


def linked(path) -> Linked:
    page = Linked()
    page.feed(path.read_text())
    return page


def broken(site) -> list[str]:
    """Links of the built site to pages, files or headings of it that are not there."""
    pages = {path: linked(path) for path in site.rglob("*.html")}
    return [
        f"{path.relative_to(site)}: {link}"
        for path, page in pages.items()
        for link in filter(None, page.links)
        if not re.match(r"[a-z]+:", link) and not _leads(path, link, pages)
    ]


def _leads(path, link, pages) -> bool:
    address, _, name = link.partition("#")
    target = (path.parent / unquote(address)).resolve() if address else path
    if target.is_dir():
        target /= "index.html"
    return target.is_file() and (not name or unquote(name) in pages[target].names)


def test_every_link_of_the_site_leads_to_a_page_a_file_or_a_heading(site):
    assert broken(site) == []


def test_a_broken_link_or_heading_of_the_site_is_found(tmp_path):
    lines = '<h1 id="a">A</h1><a href="#b"></a><a href="x.html"></a><a href="#a"></a>'
    (tmp_path / "index.html").write_text(lines)
    assert broken(tmp_path) == ["index.html: #b", "index.html: x.html"]
