"""Take a lesson's work out of a zip file that may be hostile.

Names in it are only looked at, never written to: what comes out is a handful of files under names
of our own, each read up to its limit.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from course_utils.grading.submission import MAX_NOTEBOOK_BYTES, MAX_TRIED
from course_utils.kit import FOLDER
from course_utils.quiz.answers import MAX_BYTES

MAX_ENTRIES = 1000
MAX_DEPTH = 4
MAX_UPLOAD_BYTES = 60_000_000
MAX_UPLOADS = 50_000
UTF8, ENCRYPTED = 0x800, 0x1
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Refused(Exception):
    """Why a file is not taken, as the end of a sentence: "it …"."""


def opened_zip(file: BinaryIO, most: int) -> zipfile.ZipFile:
    """A zip file with at most `most` entries.

    Raises:
        Refused: it is none, or has more.
    """
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as problem:
        raise Refused("it is no zip file, or a damaged one") from problem
    if len(archive.infolist()) > most:
        raise Refused(f"it holds more than {most} files")
    return archive


def name_of(entry: zipfile.ZipInfo) -> str:
    """An entry's path; where it does not state its encoding, UTF-8 or GBK as it reads."""
    if not entry.flag_bits & UTF8:
        try:
            raw = entry.orig_filename.encode("cp437")
        except UnicodeEncodeError:
            return entry.filename
        for encoding in ("utf-8", "gbk"):
            try:
                return raw.decode(encoding).replace("\\", "/")
            except UnicodeDecodeError:
                continue
    return entry.filename.replace("\\", "/")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of one entry, whatever size it claims.

    Raises:
        Refused: it is encrypted, damaged, too large or no plain file.
    """
    if entry.flag_bits & ENCRYPTED:
        raise Refused("it is encrypted")
    if entry.compress_type not in METHODS:
        raise Refused("it is packed in an unusual way")
    try:
        with archive.open(entry) as file:
            content = file.read(limit + 1)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError) as problem:
        raise Refused("it is damaged") from problem
    if len(content) > limit:
        raise Refused(f"a file in it is larger than {limit // 1_000_000} MB")
    return content


def work_in(file: BinaryIO, lesson: str) -> dict[str, bytes]:
    """The notebook (or notebooks, under their own names) and the answers in a learner's zip.

    Raises:
        Refused: it is hostile, damaged, or holds no notebook.
    """
    with opened_zip(file, MAX_ENTRIES) as archive:
        entries: dict[PurePosixPath, zipfile.ZipInfo] = {}
        for entry, path in _plain_files(archive):
            entries.setdefault(path, entry)
        found = {}
        for path in _notebooks(list(entries), lesson):
            found[_own_name(path)] = read_entry(archive, entries[path], MAX_NOTEBOOK_BYTES)
        if not found:
            raise Refused("it holds no notebook")
        answers = f"{lesson}.answers.json"
        for path in [path for path in entries if path.name == answers][:1]:
            found[f"{FOLDER}/{answers}"] = read_entry(archive, entries[path], MAX_BYTES)
    return found


def _own_name(path: PurePosixPath) -> str:
    """A notebook's name as a file here may be called."""
    return re.sub(r"[^\w.-]+", "_", path.stem)[:60] + ".ipynb"


def _plain_files(archive: zipfile.ZipFile) -> Iterator[tuple[zipfile.ZipInfo, PurePosixPath]]:
    for entry in archive.infolist():
        path = PurePosixPath(name_of(entry))
        if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
            raise Refused("it names a place outside of itself")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise Refused("it holds a link")
        if not entry.is_dir() and len(path.parts) <= MAX_DEPTH and "__MACOSX" not in path.parts:
            yield entry, path


def _notebooks(paths: list[PurePosixPath], lesson: str) -> list[PurePosixPath]:
    """The notebook of the expected name, else a few that may be it."""
    notebooks = [
        path
        for path in paths
        if path.suffix.lower() == ".ipynb" and not any(part[0] == "." for part in path.parts)
    ]
    exact = [path for path in notebooks if path.name == f"{lesson}.ipynb"]
    return sorted(exact, key=lambda path: len(path.parts))[:1] or sorted(notebooks)[:MAX_TRIED]
