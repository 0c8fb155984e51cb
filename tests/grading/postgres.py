"""A PostgreSQL server of the tests' own: a folder, a socket in it, no network."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

WAYS = ["file", "server"]


def programs() -> Path | None:
    """The folder with PostgreSQL's server programs, which Debian keeps out of PATH."""
    found = shutil.which("initdb")
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=len)
    return Path(found or folders[-1]).resolve().parent if found or folders else None


def expect_programs() -> None:
    """Skip the test that needs a server where there is none; in CI, fail it."""
    if programs() is None:
        if os.environ.get("CI"):
            pytest.fail("There is no PostgreSQL, and CI must not go without (Debian: postgresql).")
        pytest.skip("needs PostgreSQL (Debian: postgresql)")


@dataclass
class Server:
    """A server that listens in its folder."""

    folder: Path
    count: int = 0

    def control(self, *arguments: str) -> None:
        """Run `pg_ctl`; as root, which PostgreSQL refuses, by another user."""
        options = f"-k {self.folder} -c listen_addresses='' -F"
        self._run(["pg_ctl", "-D", self.data, "-w", "-o", options, "-l", self.log, *arguments])

    def make(self) -> None:
        """Make its files."""
        place = ["-D", self.data, "--no-sync"]
        self._run(["initdb", *place, "--auth=trust", "-U", "course", "-E", "UTF8", "--locale=C"])

    def new_database(self) -> str:
        """A fresh database's address, as it stands in a class's settings."""
        self.count += 1
        name = f"class_{self.count}"
        self._run(["createdb", "-h", str(self.folder), "-U", "course", name])
        return f"postgresql+psycopg://course@/{name}?host={self.folder}"

    @property
    def data(self) -> str:
        """Its files."""
        return f"{self.folder}/data"

    @property
    def log(self) -> str:
        """What it says."""
        return f"{self.folder}/log"

    def _run(self, command: Sequence[str]) -> None:
        folder = programs()
        assert folder is not None
        as_other = []
        if os.geteuid() == 0:
            as_other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        full = [*as_other, str(folder / command[0]), *command[1:]]
        result = subprocess.run(
            full, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        assert result.returncode == 0, result.stderr


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: it becomes a socket's address
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody", "nogroup")
        server = Server(folder)
        server.make()
        server.control("start")
        try:
            yield server
        finally:
            server.control("stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
