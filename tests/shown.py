"""What a page of the documentation shows that runs: Python, commands, and the files they read."""

import io
import re
import shlex
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from django.core.management import call_command

BLOCK = re.compile(r"^```(\w+) ?([\w.]*)\n(.*?)^```$", re.M | re.S)
PROGRAMS = ("manage.py", "deniable")


@dataclass(frozen=True)
class Shown:
    """The blocks of a page, each with its language, the name of its file if any, and its text."""

    blocks: tuple[tuple[str, str, str], ...]

    @classmethod
    def on(cls, page: Path) -> "Shown":
        """What this page shows."""
        return cls(tuple(BLOCK.findall(page.read_text())))

    @property
    def python(self) -> list[str]:
        return [text for language, _, text in self.blocks if language == "python"]

    @property
    def commands(self) -> list[str]:
        """One for each line; a line that ends with a backslash goes on in the next."""
        shell = [text for language, _, text in self.blocks if language == "sh"]
        return [line for text in shell for line in text.replace("\\\n", " ").splitlines()]

    @property
    def files(self) -> dict[str, str]:
        return {name: text for _, name, text in self.blocks if name}

    def output(self, command: str, folder: Path) -> str:
        """What a command of the page prints in this folder, beside the page's files."""
        for name, text in self.files.items():
            (folder / name).write_text(text)
        program, *arguments = shlex.split(command)
        assert program in PROGRAMS, command
        out = io.StringIO()
        with chdir(folder):
            call_command(*arguments, stdout=out)
        return out.getvalue()


def printed(block: str) -> str:
    """What a Python block of a page prints, run in this process with names of its own."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(block, "a page", "exec"), {})
    return out.getvalue()
