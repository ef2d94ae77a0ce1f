"""What pyproject.toml cannot say: a wheel carries its bundles, and the digests of its files."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from surveys import VERSION  # noqa: E402 - the folder is on the path only now
from surveys.trust.bundles import faults  # noqa: E402
from surveys.web.release_files import NAME, release_file  # noqa: E402


class BuildSite(build_py):
    """Refuses where a bundle is missing; else writes ``release.json`` beside the files."""

    def run(self) -> None:
        if self.editable_mode:  # it builds nothing: the files are those of the checkout
            super().run()
            return
        if found := faults():
            raise SystemExit(f"No wheel is built: {found[0]}")
        super().run()
        site = Path(self.build_lib) / "deniable" / "site"
        (site / NAME).write_bytes(release_file(site, VERSION))


setup(cmdclass={"build_py": BuildSite})
