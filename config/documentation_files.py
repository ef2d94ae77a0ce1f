"""What MkDocs takes from outside ``docs/``: the style sheet of the staff's pages."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

STYLE = Path(__file__).resolve().parent.parent / "static" / "surveys" / "web" / "pages.css"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by MkDocs once it has listed the files of ``docs/``."""
    files.append(File.generated(config, "css/pages.css", abs_src_path=str(STYLE)))
    return files
