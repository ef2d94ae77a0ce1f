"""What pyproject.toml cannot say: a wheel carries the digests of the files it was built from."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from surveys import VERSION  # noqa: E402 - the folder is on the path only now
from surveys.web.release_files import NAME, release_file  # noqa: E402


class BuildWithRelease(build_py):
    """Writes ``release.json`` beside the site's files, once they are there."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # it builds nothing: the files are those of the checkout
            return
        site = Path(self.build_lib) / "deniable" / "site"
        (site / NAME).write_bytes(release_file(site, VERSION))


setup(cmdclass={"build_py": BuildWithRelease})
