"""Read a submission's folder. It is hostile input: kinds, sizes and names are checked first.

Nothing here raises because of what a learner sent. What cannot be used is left out and said in
the submission's remarks, which the learner reads in the feedback.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from course_utils.kit import answers_path
from course_utils.quiz.answers import Answers, empty_answers, read_submitted_answers
from course_utils.words import say

MAX_NOTEBOOK_BYTES = 20_000_000
MAX_NAMES = 1000
MAX_TRIED = 5
MAX_CELLS = 1000
MAX_CELL_TEXT = 200_000
CLOCK_SLACK = timedelta(days=1)


@dataclass(frozen=True)
class LearnerCell:
    """One cell as a learner sent it: only its kind, its text and what tells it apart."""

    kind: str
    text: str
    grade_id: str
    cell_id: str


@dataclass
class Submission:
    """What a learner handed in.

    Attributes:
        cells: the notebook's cells, or None where there is no readable notebook.
        answers: the answers file's usable content.
        remarks: what the learner should be told, in the class's language.
        digest: changes when anything that counts for the grade changes.
        timestamp: when it was handed in (UTC, naive, as nbgrader keeps it), where that is known.
        secret: nbgrader's submission secret, needed to hand feedback back; else empty.
    """

    cells: list[LearnerCell] | None
    answers: Answers
    remarks: list[str] = field(default_factory=list)
    digest: str = ""
    timestamp: datetime | None = None
    secret: str = ""


class Unusable(Exception):
    """A file that cannot be used; its text is the key of a sentence in `words`."""


def read_submission(
    folder: Path, lesson: str, known: Collection[str], lang: str, notebook: str = ""
) -> Submission:
    """Read `submitted/<student>/<lesson>`.

    A notebook that is not called `notebook` (by default `<lesson>.ipynb`) is recognised by the
    grade ids of its cells, `known`. The remarks are in `lang`.
    """
    if folder.is_symlink():
        return Submission(None, empty_answers(lesson), [say("submitted_link", lang)], "link")
    remarks: list[str] = []
    digest = hashlib.sha256()
    data = None
    try:
        data = _notebook(folder, notebook or f"{lesson}.ipynb", known, lang, remarks, digest)
    except Unusable as problem:
        remarks.append(say(str(problem), lang))
    cells = None if data is None else _bounded(cells_of(data), lang, remarks)
    _remark_lesson(data, lesson, lang, remarks)
    answers = _answers(folder, lesson, lang, remarks, digest)
    timestamp = _timestamp(folder, lang, remarks, digest)
    secret = _small_text(folder / "submission_secret.txt")
    return Submission(cells, answers, remarks, digest.hexdigest(), timestamp, secret)


def read_regular(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file; never follows a link, never waits on a pipe.

    Raises:
        Unusable: it is missing, a link, no file, or too large.
    """
    descriptor = _opened(path)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise Unusable("submitted_link")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise Unusable("submitted_too_large")
    return content


def _opened(path: Path) -> int:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            raise Unusable("submitted_link")
        return os.open(path, flags | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as problem:
        raise Unusable("submitted_no_notebook") from problem
    except (OSError, ValueError) as problem:
        raise Unusable("submitted_unreadable") from problem


def _notebook(
    folder: Path, name: str, known: Collection[str], lang: str, remarks: list[str], digest: Any
) -> dict:
    """The notebook's JSON: the file of the expected name, else one that is of this lesson."""
    path = folder / name
    if path.is_symlink() or path.exists():
        content = read_regular(path, MAX_NOTEBOOK_BYTES)
        digest.update(content)
        return parse_notebook(content)
    for other in _other_notebooks(folder):
        try:
            content = read_regular(other, MAX_NOTEBOOK_BYTES)
            data = parse_notebook(content)
        except Unusable:
            continue
        if any(cell.grade_id in known or cell.cell_id in known for cell in cells_of(data)):
            digest.update(content)
            remarks.append(say("submitted_renamed", lang, name=shown_name(other.name)))
            return data
    raise Unusable("submitted_no_notebook")


def _other_notebooks(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MAX_NAMES), strict=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name.lower().endswith(".ipynb")][:MAX_TRIED]


def shown_name(name: str) -> str:
    """A file or student name that is safe to show: printable, and not endless."""
    clean = "".join(letter if letter.isprintable() else "�" for letter in name)
    return clean if len(clean) <= 80 else clean[:79] + "…"


def parse_notebook(content: bytes) -> dict:
    """The JSON object of a notebook file, whatever its encoding.

    Raises:
        Unusable: it is no JSON object.
    """
    try:
        text = content.decode(json.detect_encoding(content), errors="replace")
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as problem:
        raise Unusable("submitted_not_json") from problem
    if not isinstance(data, dict):
        raise Unusable("submitted_not_json")
    return data


def cells_of(data: dict) -> list[LearnerCell]:
    """The cells of a notebook of format 3 or 4; what is no cell is passed over."""
    sheets = data.get("worksheets")
    sheets = [data, *sheets] if isinstance(sheets, list) else [data]
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    raw = [cell for cells in lists if isinstance(cells, list) for cell in cells]
    return [_cell(cell) for cell in raw if isinstance(cell, dict)]


def _cell(raw: dict) -> LearnerCell:
    source = raw.get("source", raw.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    metadata = raw.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = marks.get("grade_id") if isinstance(marks, dict) else ""
    kind = raw.get("cell_type")
    return LearnerCell(
        kind if kind in ("code", "markdown") else "raw",
        _storable(source) if isinstance(source, str) else "",
        grade_id if isinstance(grade_id, str) else "",
        raw["id"] if isinstance(raw.get("id"), str) else "",
    )


def _storable(text: str) -> str:
    """Text that can be written as UTF-8 (JSON may smuggle half characters in)."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")


def _bounded(cells: list[LearnerCell], lang: str, remarks: list[str]) -> list[LearnerCell]:
    """At most `MAX_CELLS` cells of at most `MAX_CELL_TEXT` characters."""
    kept = [cell for cell in cells if len(cell.text) <= MAX_CELL_TEXT]
    if len(kept) < len(cells):
        remarks.append(say("submitted_long_cell", lang, limit=MAX_CELL_TEXT))
    if len(kept) > MAX_CELLS:
        remarks.append(say("submitted_many_cells", lang, limit=MAX_CELLS))
    return kept[:MAX_CELLS]


def _remark_lesson(data: dict | None, lesson: str, lang: str, remarks: list[str]) -> None:
    """Say so when the notebook is of another lesson or of the other language."""
    metadata = (data or {}).get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    if not isinstance(course, dict):
        return
    found, language = course.get("lesson"), course.get("lang")
    if isinstance(found, str) and found != lesson:
        remarks.append(say("submitted_other_lesson", lang, found=shown_name(found), due=lesson))
    elif isinstance(language, str) and language != lang:
        remarks.append(say("submitted_other_language", lang))


def _answers(folder: Path, lesson: str, lang: str, remarks: list[str], digest: Any) -> Answers:
    path = answers_path(lesson, folder)
    answers, problem = read_submitted_answers(path, lesson=lesson)
    if problem not in (None, "missing"):
        remarks.append(say(f"answers_problem_{problem}", lang))
    digest.update(json.dumps(answers, sort_keys=True).encode())
    return answers


def _timestamp(folder: Path, lang: str, remarks: list[str], digest: Any) -> datetime | None:
    """The moment of handing in, as nbgrader's submit wrote it; an impossible one is ignored."""
    text = _small_text(folder / "timestamp.txt")
    digest.update(text.encode())
    moment = _moment(text)
    if text and moment is None:
        remarks.append(say("submitted_bad_time", lang))
    return moment


def handed_in_at(folder: Path) -> datetime | None:
    """When the work in a submission's folder was handed in (UTC, naive), where that is known."""
    return _moment(_small_text(folder / "timestamp.txt"))


def _moment(text: str) -> datetime | None:
    """The time that a text states; None where it states none that can be."""
    from nbgrader.utils import parse_utc

    try:
        moment: datetime = parse_utc(text)
        in_future = moment > datetime.now(UTC).replace(tzinfo=None) + CLOCK_SLACK
    except (ValueError, OverflowError, TypeError, AttributeError):
        return None
    return None if in_future else moment


def _small_text(path: Path) -> str:
    """A short text file's content; empty where there is none that can be used."""
    try:
        return read_regular(path, 1000).decode("utf-8", "replace").strip()
    except Unusable:
        return ""


def students_of(submitted: Path, lesson: str) -> Iterator[str]:
    """Names of the students whose folder holds one for this lesson, in order."""
    if not submitted.is_dir():
        return
    for name in sorted(os.listdir(submitted)):
        if os.path.lexists(submitted / name / lesson):
            yield name
