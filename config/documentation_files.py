"""What MkDocs is given beside ``docs/``: staff's styles and type, parts that keys can scroll."""

import json
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

STATIC = Path(__file__).resolve().parent.parent / "static" / "surveys"
STYLES = STATIC / "web"
ICON = STATIC / "collecting" / "icon.svg"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by MkDocs once it has listed the files of ``docs/``."""
    added = {style.name: style for style in sorted(STYLES.glob("*.css"))}
    added |= {f"fonts/{one.name}": one for one in sorted((STYLES / "fonts").iterdir())}
    added["icon.svg"] = ICON
    for name, path in added.items():
        files.append(File.generated(config, f"css/{name}", abs_src_path=str(path)))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Called by MkDocs with the list of pages: the search keeps pages on the code apart by it."""
    groups = {page.url: page.parent.title if page.parent else "" for page in nav.pages}
    files.append(File.generated(config, "search/groups.json", content=json.dumps(groups)))
    return nav


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Called by MkDocs with a page's text: without a mouse, wide tables are scrolled by keys."""
    around = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>'
    scrolled = html.replace("<table>", around).replace("</table>", "</table></div>")
    return scrolled.replace("<pre>", '<pre tabindex="0">')
