"""What a container engine would do with ``deploy/``, by the kernel's own means, without one.

An image is a root of its own: Debian's release that FROM names, with that release's own Python, in
which the Containerfile's steps are run. A container is a process in it that sees the disk as the
compose file says: read-only but for its volumes and /tmp. Both need root's rights.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests import patience
from tests.conftest import ROOT, wait_until_listening

DEPLOY = ROOT / "deploy"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# How this machine reaches packages: names of hosts, certificates, settings of programs.
WAYS = ("etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt")
SETTINGS = re.compile(r"PIP_\w+|\w*_proxy|SSL_CERT_FILE", re.IGNORECASE)
INSTALL = "apt-get install -y -qq --no-install-recommends"
STARTED = """set -eu
root=$1; shift
mount --bind "$root" "$root"
while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done
shift
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot "$root" "$@"
"""


class Image:
    """A root with what its steps made, and the account that they end with."""

    def __init__(self, root: Path) -> None:
        self.root, self.workdir, self.user = root, "/", "root"
        self.variables = {"PATH": PATH, "LC_ALL": "C.UTF-8"}
        self.entry: list[str] = []

    def run(self, command: str) -> str:
        """A step of building: a line of the shell, as root. Raises CalledProcessError."""
        reached = {name: text for name, text in os.environ.items() if SETTINGS.fullmatch(name)}
        variables = {**reached, **self.variables, "DEBIAN_FRONTEND": "noninteractive"}
        inside = f"cd {self.workdir} && {command}"
        return subprocess.run(
            ["chroot", str(self.root), "sh", "-c", inside],
            env=variables,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    def start(
        self,
        command: list[str],
        *,
        mounts: Mapping[Path, str],
        output: Path,
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """A container: its process is the one that is returned."""
        for place in mounts.values():
            (self.root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
        pairs = [str(part) for pair in mounts.items() for part in pair]
        found = self.run(f"id -u {self.user}; id -g {self.user}").split()
        user, group = found
        rights = [f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs"]
        rights += ["--bounding-set=-all", "--inh-caps=-all"]
        known = {**self.variables, **(variables or {})}
        words = [f"{name}={text}" for name, text in known.items()]
        inside = ["setpriv", *rights, "env", f"--chdir={self.workdir}", *words, *command]
        outside = ["unshare", "--mount", "sh", "-c", STARTED, "sh", str(self.root), *pairs, "--"]
        with output.open("ab") as file:
            return subprocess.Popen(
                [*outside, *inside], env={"PATH": PATH}, stdout=file, stderr=file
            )


def steps(target: str = "") -> list[tuple[str, str]]:
    """The instructions that make a target, those of the stages before it too, in their order.

    Without a target: the last stage of the Containerfile.
    """
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    stages: dict[str, list[tuple[str, str]]] = {}
    for name, _, rest in (line.partition(" ") for line in lines):
        if name == "FROM":
            above, _, stage = rest.partition(" AS ")
            current = stages[stage] = [*stages.get(above, [(name, above)])]
        elif name.isupper():
            current.append((name, rest))
    return stages[target] if target else current


def debian(root: Path, release: str, *packages: str) -> Image:
    """A release of Debian and no more than it needs, with some packages."""
    include = ",".join(("ca-certificates", *packages))
    _run("debootstrap", "--variant=minbase", f"--include={include}", release, str(root))
    for way in WAYS:
        shutil.copy(Path("/") / way, root / way)
    return Image(root)


def base(root: Path) -> Image:
    """What FROM names: a version of Python on a release of Debian, which has the same one."""
    named = steps()[0][1]
    version, release = re.fullmatch(r"python:([\d.]+)-slim-(\w+)", named).groups()
    image = debian(root, release, "python3", "python3-venv")
    image.run("ln -s python3 /usr/bin/python")
    assert image.run("python --version").startswith(f"Python {version}.")
    return image


def build(image: Image, target: str) -> Image:
    """Run a target's steps in it, those that come after FROM."""
    for name, rest in steps(target):
        if name == "WORKDIR":
            image.workdir = rest
            (image.root / rest.lstrip("/")).mkdir(parents=True)
        elif name == "COPY":
            source, target = rest.split()
            _copy(source, image.root / image.workdir.lstrip("/") / target)
        elif name == "RUN":
            image.run(rest)
        elif name == "USER":
            image.user = rest
        elif name == "ENV":
            image.variables |= dict([rest.split("=", 1)])
        elif name == "ENTRYPOINT":
            image.entry = re.findall(r'"([^"]+)"', rest)
    return image


def _copy(source: str, target: Path) -> None:
    """What a builder copies: a file, or the tree without what is left out."""
    if source != ".":
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, target)
        return
    patterns = (ROOT / ".containerignore").read_text().replace("**/", "").split()
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*patterns), dirs_exist_ok=True)


@contextmanager
def database(image: Image, *, version: str, port: int, options: list[str]) -> Iterator[None]:
    """PostgreSQL as its image starts it: an account, a database, a password for connections."""
    image.run(f"apt-get update -qq && {INSTALL} postgresql-{version} >/dev/null")
    image.user, programs = "postgres", f"/usr/lib/postgresql/{version}/bin"
    image.run("install -d -o postgres -m 0700 /data && echo choose-a-long-one > /data.password")
    made = f"{programs}/initdb -D /data -U deniable -A scram-sha-256 --pwfile=/data.password"
    image.run(f"chmod 644 /data.password && setpriv --reuid=postgres --clear-groups {made}")
    log = image.root / "server.log"
    started = [f"{programs}/postgres", "-D", "/data", "-p", str(port), *options]
    started += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=/tmp"]
    process = image.start(started, mounts={image.root / "data": "/data"}, output=log)
    try:
        wait_until_listening(process, port, log)
        image.run(f"until pg_isready --quiet -h 127.0.0.1 -p {port}; do sleep .1; done")
        address = f"postgresql://deniable:choose-a-long-one@127.0.0.1:{port}/postgres"
        image.run(f"psql {address} --quiet --command='CREATE DATABASE deniable'")
        yield
    finally:
        process.terminate()
        process.wait(patience.SECONDS)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
