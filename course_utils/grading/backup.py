"""`course class backup`: a class in one file, while nbgrader and learners go on.

The archive is a tar file, compressed, that only its owner can read: it holds the class's seed,
hidden cases and grades. Its last member, `backup.json`, names every file with its checksum. It
stands under its name only once it is complete.

Graded notebooks are read before feedback pages, then what was handed in, and the gradebook last,
against the order in which `record` writes: whatever a grading run changes meanwhile is at worst
graded again by the first run after a restore, never taken as graded without its grade.

Links, pipes and devices are stored as nothing, each with a line that says so: a learner may have
put them there. Only at the top of the class's folder, where learners cannot write, a link is
followed.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import secrets
import shutil
import sqlite3
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from nbgrader.apps import NbGrader
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from course_utils.errors import UserError
from course_utils.grading.classroom import read_class
from course_utils.grading.submission import shown_name

BACKUP_VERSION = 1
MANIFEST = "backup.json"
GRADEBOOK, DUMP = "gradebook.db", "gradebook.sql"
FIRST = ("autograded", "feedback", "submitted")
PASSED_OVER = frozenset({"__pycache__", ".ipynb_checkpoints", ".nbgrader.log"})
VANISHED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
SHOWN_LINES = 20


@dataclass
class Manifest:
    """What an archive holds.

    Attributes:
        course_id: nbgrader's name of the class.
        made: when, in UTC.
        gradebook: name of the gradebook's copy in it; empty where there is none.
        files: by path, the file's SHA-256 and permissions.
        folders: by path, the folder's permissions.
        left_out: by path, why it was stored as nothing.
    """

    course_id: str
    made: str
    gradebook: str = ""
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def back_up(folder: Path, to: Path | None, say: Callable[[str], None]) -> None:
    """Write the class in `folder` into one archive.

    Args:
        folder: the class.
        to: the archive's name, or a folder to put it in; by default beside the class's folder.
        say: told what was done.

    Raises:
        UserError: there is no class, a file is there already, or it cannot be written.
    """
    folder = folder.resolve()
    manifest = Manifest(read_class(folder).course_id, f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    gradebook = gradebook_of(folder)
    target = _target(folder, to)
    _write(folder, target, manifest, gradebook)
    for line in [*_left_out(manifest), *gradebook.remarks]:
        say(f"! {line}")
    size = target.stat().st_size / 1e6
    say(f"Wrote {target}: {len(manifest.files)} files, {size:.1f} MB. Keep it to yourself: it "
        "holds the class's seed, hidden cases and grades.")  # fmt: skip


def _target(folder: Path, to: Path | None) -> Path:
    """Where the archive goes; nothing that is there is ever overwritten."""
    name = f"{folder.name}-{datetime.now():%Y-%m-%d-%H%M%S}.tar.gz"
    target = (to or folder.parent).resolve()
    if target.is_dir():
        target /= name
    if target.exists():
        raise UserError(f"{target} is there already: choose another name for the backup.")
    if folder in target.parents:
        raise UserError("Put the backup outside the class's folder: `--to FOLDER` or `--to FILE`.")
    if not target.parent.is_dir():
        raise UserError(f"There is no folder {target.parent} to put the backup in.")
    return target


@dataclass
class Gradebook:
    """A class's gradebook, wherever it is.

    Attributes:
        folder: the class.
        url: its address, by the class's own `nbgrader_config.py`.
        remarks: what the instructor should know of its copy.
    """

    folder: Path
    url: URL
    remarks: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path | None:
        """Its file; None where it is on a server."""
        if self.url.get_backend_name() != "sqlite" or not self.url.database:
            return None
        return self.folder / self.url.database

    @property
    def own_files(self) -> set[Path]:
        """Files in the class's folder that are no part of the class beside the copy."""
        if self.file is None:
            return {self.folder / DUMP}
        beside = {self.file.with_name(self.file.name + end) for end in ("-wal", "-shm", "-journal")}
        return {self.file, self.folder / GRADEBOOK} | beside

    def copy(self, scratch: Path) -> Path | None:
        """A consistent copy, whoever writes meanwhile; None where there is none to have."""
        if self.file is None:
            return self._dumped(scratch / DUMP)
        if not self.file.is_file():
            self.remarks.append("There is no gradebook yet.")
            return None
        if self.file != self.folder / GRADEBOOK:
            self.remarks.append(
                f"The gradebook is {self.file}, outside the class's folder. The archive holds it "
                f"as {GRADEBOOK}: after a restore, put it where your settings say."
            )
        copy_database(self.file, scratch / GRADEBOOK)
        (scratch / GRADEBOOK).chmod(self.file.stat().st_mode)
        return scratch / GRADEBOOK

    def _dumped(self, copy: Path) -> Path | None:
        """What the server's own program writes."""
        plain = self.url.set(drivername=self.url.get_backend_name())
        problem = dump_database(plain, copy)
        if not problem:
            copy.chmod(0o600)
            return copy
        self.remarks.append(
            f"The gradebook is not in the archive: it is on a server, {plain} ({problem}). Back it "
            "up there too, for example with `pg_dump`."
        )
        return None


def gradebook_of(folder: Path) -> Gradebook:
    """Where nbgrader keeps the class's gradebook."""
    app = NbGrader()
    app.load_cwd_config = False
    app.initialize([f"--course-dir={folder}", "--log-level=ERROR"])
    try:
        return Gradebook(folder, make_url(app.coursedir.db_url))
    except ArgumentError as problem:
        raise UserError(f"The gradebook's address cannot be read: {problem}") from problem


def dump_database(url: URL, target: Path) -> str:
    """Write a PostgreSQL database as SQL; returns why it could not be, or an empty string."""
    program = shutil.which("pg_dump")
    if url.get_backend_name() != "postgresql" or program is None:
        return "`pg_dump` is not installed here"
    password = {"PGPASSWORD": str(url.password)} if url.password is not None else {}
    address = URL.create(url.drivername, url.username, None, url.host, url.port, url.database,
                         url.query).render_as_string()  # fmt: skip
    command = [program, "--no-password", "--no-owner", "--no-privileges", f"--file={target}"]
    done = subprocess.run(
        [*command, f"--dbname={address}"], capture_output=True, text=True, env=os.environ | password
    )
    lines = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else (lines[0] if lines else "`pg_dump` failed")


def _write(folder: Path, target: Path, manifest: Manifest, gradebook: Gradebook) -> None:
    """Write the archive under a name of its own, then give it its name; all of it or nothing."""
    new = target.with_name(f".{target.name}.{secrets.token_hex(4)}.new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=5) as archive:
                _Packer(archive, folder, manifest, gradebook).pack()
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, target)
    except OSError as problem:
        why = problem.strerror or problem
        raise UserError(f"{target} cannot be written: {why}. Nothing was left there.") from problem
    finally:
        new.unlink(missing_ok=True)


class _Packer:
    """Puts a class into an open archive and notes what it put there."""

    def __init__(
        self, archive: tarfile.TarFile, folder: Path, manifest: Manifest, gradebook: Gradebook
    ) -> None:
        self.archive = archive
        self.folder = folder
        self.manifest = manifest
        self.gradebook = gradebook

    def pack(self) -> None:
        """Everything, the gradebook last, then the list of it all."""
        names = sorted(os.listdir(self.folder))
        for name in sorted(names, key=lambda n: FIRST.index(n) if n in FIRST else len(FIRST)):
            path = self.folder / name
            if name != MANIFEST and path not in self.gradebook.own_files:
                self._put(path.resolve() if path.exists() else path, name)
        self._put_gradebook()
        content = {"version": BACKUP_VERSION} | vars(self.manifest)
        text = json.dumps(content, indent=1).encode()
        self._add(MANIFEST, 0o600, len(text), io.BytesIO(text))

    def _put(self, path: Path, name: str) -> None:
        """One file, or a folder with all in it; what vanishes meanwhile is passed over."""
        last = name.rpartition("/")[2]
        if path in self.gradebook.own_files or last in PASSED_OVER or _is_half_made(last):
            return
        try:
            self._put_kind(path, name, path.lstat().st_mode)
        except PermissionError as problem:
            if not name.startswith("submitted/"):
                raise UserError(f"{path} cannot be read: {problem.strerror}.") from problem
            self.manifest.left_out[name] = "not readable"
        except OSError as problem:
            if problem.errno not in VANISHED:
                raise

    def _put_kind(self, path: Path, name: str, mode: int) -> None:
        if stat.S_ISDIR(mode):
            inside = sorted(os.listdir(path))
            self.manifest.folders[name] = stat.S_IMODE(mode)
            for one in inside:
                self._put(path / one, f"{name}/{one}")
        elif stat.S_ISREG(mode):
            self._put_file(path, name)
        else:
            self.manifest.left_out[name] = "a link" if stat.S_ISLNK(mode) else "no file"

    def _put_file(self, path: Path, name: str) -> None:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if name.startswith("submitted/") and status.st_nlink != 1:
                self.manifest.left_out[name] = "a hard link"
                return
            self._add_file(name, status, file)

    def _put_gradebook(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            copy = self.gradebook.copy(Path(scratch))
            if copy is None:
                return
            with copy.open("rb") as file:
                self._add_file(copy.name, copy.stat(), file)
            self.manifest.gradebook = copy.name

    def _add_file(self, name: str, like: os.stat_result, file: IO[bytes]) -> None:
        """A file with its checksum; permissions and time are those of `like`."""
        hashed, mode = Hashed(file), stat.S_IMODE(like.st_mode)
        self._add(name, mode, os.fstat(file.fileno()).st_size, hashed, like.st_mtime)
        self.manifest.files[name] = {"sha256": hashed.digest.hexdigest(), "mode": mode}

    def _add(self, name: str, mode: int, size: int, file: Any, time: float = 0) -> None:
        member = tarfile.TarInfo(name)
        member.mode, member.size, member.mtime = mode, size, int(time)
        try:
            self.archive.addfile(member, file)
        except OSError as problem:
            if problem.errno is not None:
                raise
            raise UserError(f"{name} changed while it was read: make the backup again.") from None


class Hashed:
    """A file that is hashed as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        block = self.file.read(size)
        self.digest.update(block)
        return block


def _is_half_made(name: str) -> bool:
    """Whether grading is just writing this, or was cut off: see `record.put_folder`."""
    return name.startswith(".") and name.endswith((".new", ".old"))


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite database by its own means; other programs may read and write meanwhile.

    Raises:
        UserError: it is damaged.
    """
    try:
        with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
            live.backup(copy)
            (verdict,) = copy.execute("PRAGMA quick_check").fetchone()
    except sqlite3.DatabaseError as problem:
        raise UserError(f"The gradebook {source} cannot be copied: {problem}.") from problem
    if verdict != "ok":
        raise UserError(f"The gradebook {source} is damaged: {verdict}.")


def _left_out(manifest: Manifest) -> Iterator[str]:
    """What was left out, in a few lines."""
    lines = [f"{shown_name(name)} is {why}" for name, why in manifest.left_out.items()]
    for line in lines[:SHOWN_LINES]:
        yield f"{line} and was left out."
    if len(lines) > SHOWN_LINES:
        yield f"… and {len(lines) - SHOWN_LINES} more; backup.json in the archive names them."
