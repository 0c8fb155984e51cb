"""`course class restore`: a class from its archive, as it was, into a new folder.

The archive may come from anywhere, so nothing in it is believed: only regular files with plain
relative names are taken, each is compared with its checksum, and the folder appears only when
all of it was right.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import NoReturn

from course_utils.errors import UserError
from course_utils.grading.backup import BACKUP_VERSION, DUMP, GRADEBOOK, MANIFEST, Hashed, Manifest
from course_utils.grading.classroom import CLASS_FILE

MAX_MANIFEST_BYTES = 200_000_000


def restore(archive: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Make the class that `archive` holds anew in `folder`, which must not exist or be empty.

    Raises:
        UserError: the archive is damaged, hostile or of a newer course; the folder holds
            something; the disk is full. Nothing is left in the folder then.
    """
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is not empty: restore into a new folder.")
    if not archive.is_file():
        raise UserError(f"There is no file {archive}.")
    making = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        making.mkdir(mode=0o700)
        manifest = _Unpacker(archive, making).unpack()
        _set_permissions(making, manifest)
        if folder.exists():
            folder.rmdir()
        making.rename(folder)
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror or problem}.") from problem
    finally:
        shutil.rmtree(making, ignore_errors=True)
    book = "with its gradebook" if manifest.gradebook else "without a gradebook: none is inside"
    if manifest.gradebook == DUMP:
        book = f"its gradebook as {DUMP} (`psql --file={DUMP} ADDRESS` loads it where it is lost)"
    say(
        f"Restored the class {manifest.course_id} of {manifest.made} to {folder}: "
        f"{len(manifest.files)} files, {book}. All checksums agree."
    )


class _Unpacker:
    """Writes an archive's files into a folder and compares them with the archive's own list."""

    def __init__(self, archive: Path, folder: Path) -> None:
        self.archive = archive
        self.folder = folder
        self.sums: dict[str, str] = {}

    def unpack(self) -> Manifest:
        """All files; returns the archive's list of them, which agrees."""
        content = None
        try:
            with tarfile.open(self.archive, mode="r|gz") as archive:
                for member in archive:
                    if content is not None:
                        self._refuse("something follows its list of files")
                    content = self._take(archive, member)
        except (tarfile.TarError, EOFError) as problem:
            self._refuse(str(problem) or "it ends in the middle", problem)
        if content is None:
            self._refuse("its list of files is missing")
        return self._agreed(content)

    def _take(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | None:
        """Write one file; the list of files is returned instead."""
        if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.sparse is not None:
            self._refuse(f"{member.name!r} in it is a link or no file")
        file = archive.extractfile(member)
        if file is None:
            self._refuse(f"{member.name!r} cannot be read")
        if member.name == MANIFEST:
            if member.size > MAX_MANIFEST_BYTES:
                self._refuse("its list of files is too large")
            return file.read()
        path = self._place(member.name)
        if member.size > shutil.disk_usage(self.folder).free:
            raise UserError(f"The disk has no room for {member.name!r} ({member.size} bytes).")
        hashed = Hashed(file)
        with path.open("xb") as target:
            shutil.copyfileobj(hashed, target)
        if path.stat().st_size != member.size:
            self._refuse("it ends in the middle")
        os.utime(path, (member.mtime, member.mtime))
        self.sums[member.name] = hashed.digest.hexdigest()
        return None

    def _place(self, name: str) -> Path:
        """Where a file or folder of this name goes, inside the folder and nowhere else."""
        parts = PurePosixPath(name).parts
        strange = "\0" in name or (os.sep != "/" and any(sign in name for sign in "\\:"))
        if not parts or name.startswith("/") or ".." in parts or strange or name in self.sums:
            self._refuse(f"the name {name!r} leads out of the folder or comes twice")
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _agreed(self, content: bytes) -> Manifest:
        """The list of files, which must be that of what was written."""
        try:
            data = json.loads(content)
            version = data.pop("version")
            if version != BACKUP_VERSION:
                raise UserError(
                    f"{self.archive} is of version {version}; this course reads version "
                    f"{BACKUP_VERSION}. Update the course (`git pull`)."
                )
            manifest = Manifest(**data)
            if manifest.gradebook not in ("", GRADEBOOK, DUMP):
                raise ValueError("gradebook")
            stated = {name: about["sha256"] for name, about in manifest.files.items()}
            modes = [about["mode"] for about in manifest.files.values()]
            if not all(type(mode) is int for mode in [*modes, *manifest.folders.values()]):
                raise TypeError("permissions")
            for name in manifest.folders:
                self._place(name).mkdir(exist_ok=True)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            self._refuse(f"its list of files cannot be read ({problem})", problem)
        wrong = sorted(n for n in stated.keys() | self.sums if stated.get(n) != self.sums.get(n))
        if wrong:
            self._refuse(f"{wrong[0]!r} is not what its checksum says ({len(wrong)} such)")
        if CLASS_FILE not in stated:
            self._refuse(f"it holds no {CLASS_FILE}")
        return manifest

    def _refuse(self, why: str, cause: Exception | None = None) -> NoReturn:
        raise UserError(
            f"{self.archive} is no backup that can be used: {why}. Nothing was restored."
        ) from cause


def _set_permissions(folder: Path, manifest: Manifest) -> None:
    """Give files, then folders from the inside out, the permissions that they had."""
    for name, about in manifest.files.items():
        (folder / name).chmod(about["mode"] & 0o777)
    for name in sorted(manifest.folders, reverse=True):
        (folder / name).chmod(manifest.folders[name] & 0o777)
    folder.chmod(0o755)
