"""What MkDocs takes from outside ``docs/``: the style sheets of the staff's pages."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

STYLES = Path(__file__).resolve().parent.parent / "static" / "surveys" / "web"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by MkDocs once it has listed the files of ``docs/``."""
    for style in sorted(STYLES.glob("*.css")):
        files.append(File.generated(config, f"css/{style.name}", abs_src_path=str(style)))
    return files
