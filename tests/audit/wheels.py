"""Wheels as tests need them: built from a copy of the tree, installed where nothing else is."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_BEHIND = (".git", ".venv", "var", "build", "*.egg-info", "__pycache__", ".*_cache")


def run(*command: object, cwd: Path = ROOT) -> str:
    """What a command printed; an error is one with its own words."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def build(source: Path, directory: Path) -> Path:
    """The wheel of a folder, built from a copy so that nothing is left in the tree."""
    copy = shutil.copytree(
        source, directory / "source", ignore=shutil.ignore_patterns(*LEFT_BEHIND)
    )
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", directory, copy)
    (found,) = directory.glob("*.whl")
    return found


def install(directory: Path, *requirements: str) -> Path:
    """The interpreter of a new environment with these and what they need, and nothing else."""
    run(sys.executable, "-m", "venv", directory)
    python = directory / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", *requirements)
    return python
