"""`nbgrader zip_collect` for a class: the work in a system's download of all submissions.

The instructor puts the download, packed or unpacked, into `downloaded/LESSON/archive/`. What is
usable lands in `downloaded/LESSON/extracted/STUDENT/` and from there, by nbgrader, in
`submitted/STUDENT/LESSON/`; what is not is named with the reason.
"""

from __future__ import annotations

import io
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from nbgrader import api
from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from sqlalchemy.engine import make_url

from course_utils.errors import UserError
from course_utils.grading.classroom import is_class, read_class
from course_utils.grading.database import is_file, open_gradebook
from course_utils.grading.lms import (
    COLLECTED,
    ROSTER,
    Known,
    People,
    Upload,
    both_orders,
    read_roster,
    upload_of,
    usable_id,
)
from course_utils.grading.submission import MAX_NOTEBOOK_BYTES, shown_name
from course_utils.grading.unpack import (
    MAX_UPLOAD_BYTES,
    MAX_UPLOADS,
    Refused,
    name_of,
    opened_zip,
    read_entry,
    work_in,
)
from course_utils.kit import FOLDER
from course_utils.quiz.answers import MAX_BYTES


@dataclass(frozen=True)
class Found:
    """A file in the download and how to read it, which may raise `Refused`."""

    upload: Upload
    path: str
    read: Callable[[], bytes]

    @property
    def kind(self) -> str:
        """`zip`, `notebook`, `answers` or empty."""
        name = self.upload.file.lower()
        kinds = {".zip": "zip", ".ipynb": "notebook", ".answers.json": "answers"}
        return next((kind for end, kind in kinds.items() if name.endswith(end)), "")


class CourseExtractor(ExtractorPlugin):
    """Sorts the download of a lesson by student; other assignments are nbgrader's business."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Put each student's files into a folder of the student's name."""
        lesson, folder = _lesson_of(self)
        if not lesson:
            super().extract(archive_path, extracted_path)
            return
        try:
            with ExitStack() as stack:
                noted = self._sort(Path(archive_path), Path(extracted_path), lesson, stack)
        except UserError as problem:
            self.parent.fail(str(problem))
            return
        text = json.dumps(noted, ensure_ascii=False, indent=1) + "\n"
        (folder / "downloaded" / lesson / COLLECTED).write_text(text, encoding="utf-8")
        late = sum(about["late"] for about in noted.values())
        self.log.info("Took the work of %d students, %d of them late", len(noted), late)

    def _sort(
        self, archive: Path, extracted: Path, lesson: str, stack: ExitStack
    ) -> dict[str, dict[str, Any]]:
        """Put every student's work in place; returns what the system says of each."""
        downloaded = Path(self.parent.coursedir.root) / "downloaded"
        rosters = [downloaded / lesson / ROSTER, downloaded / ROSTER]
        known = [one for path in rosters if path.is_file() for one in read_roster(path)]
        people = People([*known, *_in_gradebook(self.parent.coursedir)])
        noted = {}
        for student, founds in self._by_student(self._all(archive, stack), people).items():
            work = self._work_of(founds, lesson)
            if work:
                _write(extracted / student, work)
                upload = founds[-1].upload
                noted[student] = {
                    "late": any(found.upload.late for found in founds),
                    "system": upload.system,
                    "number": upload.number,
                    "name": upload.name,
                }
        return noted

    def _by_student(self, files: Iterator[Found], people: People) -> dict[str, list[Found]]:
        """Each student's files, the latest last; two people under one name are left out."""
        sorted_out: dict[str, list[Found]] = defaultdict(list)
        for found in files:
            student = people.student(found.upload)
            if student is None:
                student = found.upload.default_id
            if usable_id(student):
                sorted_out[student].append(found)
            else:
                self._refuse(found.path, "its name tells no student")
        for student, founds in list(sorted_out.items()):
            founds.sort(key=lambda found: found.upload.order)
            if len({(found.upload.system, found.upload.number) for found in founds}) > 1:
                del sorted_out[student]
                for found in founds:
                    self._refuse(
                        found.path,
                        f"several people would be the student {shown_name(student)}: name them "
                        f"in downloaded/{ROSTER}",
                    )
        return dict(sorted(sorted_out.items()))

    def _work_of(self, founds: list[Found], lesson: str) -> dict[str, bytes]:
        """The latest zip file that can be used; without one, the files handed in by themselves."""
        for found in reversed([found for found in founds if found.kind == "zip"]):
            try:
                return work_in(io.BytesIO(found.read()), lesson)
            except Refused as problem:
                self._refuse(found.path, str(problem))
        targets = {
            "notebook": (f"{lesson}.ipynb", MAX_NOTEBOOK_BYTES),
            "answers": (f"{FOLDER}/{lesson}.answers.json", MAX_BYTES),
        }
        work = {}
        for found in [found for found in founds if found.kind in targets]:
            target, limit = targets[found.kind]
            content = self._content(found, limit)
            if content is not None:
                work[target] = content
        if targets["notebook"][0] in work:
            return work
        if not any(found.kind == "zip" for found in founds):
            self._refuse(founds[-1].path, "it is neither a zip file nor a notebook")
        return {}

    def _content(self, found: Found, limit: int) -> bytes | None:
        """A single file's content; None, with a word on it, where it cannot be used."""
        try:
            content = found.read()
        except Refused as problem:
            self._refuse(found.path, str(problem))
            return None
        if len(content) > limit:
            self._refuse(found.path, "it is too large")
            return None
        return content

    def _all(self, archive: Path, stack: ExitStack) -> Iterator[Found]:
        """Every learner's file below `archive`, in the download's zip file or beside it."""
        for root, folders, names in os.walk(archive):
            folders.sort()
            for name in sorted(names):
                path = Path(root, name)
                shown = path.relative_to(archive).as_posix()
                upload = upload_of(shown)
                if path.is_symlink() or not path.is_file():
                    self._refuse(shown, "it is no plain file")
                elif upload is None and path.suffix.lower() == ".zip":
                    yield from self._in_download(stack.enter_context(path.open("rb")), shown, stack)
                elif upload is None:
                    self._refuse(shown, "its name is neither Canvas's nor Moodle's")
                elif path.stat().st_size > MAX_UPLOAD_BYTES:
                    self._refuse(shown, "it is too large")
                else:
                    yield Found(upload, shown, path.read_bytes)

    def _in_download(self, file: BinaryIO, shown: str, stack: ExitStack) -> Iterator[Found]:
        try:
            archive = stack.enter_context(opened_zip(file, MAX_UPLOADS))
        except Refused as problem:
            self._refuse(shown, str(problem))
            return
        count = 0
        for entry in archive.infolist():
            upload = None if entry.is_dir() else upload_of(name_of(entry))
            if upload is not None:
                count += 1
                read = partial(read_entry, archive, entry, MAX_UPLOAD_BYTES)
                yield Found(upload, f"{shown}: {name_of(entry)}", read)
        if not count:
            self._refuse(shown, "no name in it is Canvas's or Moodle's")

    def _refuse(self, path: str, reason: str) -> None:
        self.log.warning("%s was not taken: %s", shown_name(path[-70:]), reason)


class CourseCollector(FileNameCollectorPlugin):
    """Tells nbgrader whose the files are that the extractor sorted."""

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """Student and name of a file below `extracted/`."""
        lesson, folder = _lesson_of(self)
        if not lesson:
            found: dict[str, str] | None = super().collect(submitted_file)
            return found
        extracted = folder / self.parent._format_collect_path(self.parent.extracted_directory)
        student, *rest = Path(submitted_file).resolve().relative_to(extracted.resolve()).parts
        return {"student_id": student, "file_id": "/".join(rest)} if rest else None


def _lesson_of(plugin: Any) -> tuple[str, Path]:
    """The lesson that is collected, empty where the assignment is none; and the class."""
    coursedir = plugin.parent.coursedir
    folder, name = Path(coursedir.root), coursedir.assignment_id
    ours = is_class(folder) and name in read_class(folder).lessons
    return (name if ours else ""), folder


def _in_gradebook(coursedir: Any) -> list[Known]:
    """The students whom the gradebook knows by name or by the system's number."""
    url = coursedir.db_url
    if is_file(url) and not Path(make_url(url).database or "").is_file():
        return []
    with open_gradebook(url, coursedir.course_id) as gradebook:
        return [
            Known(
                row.id,
                {"canvas": row.lms_user_id} if row.lms_user_id else {},
                both_orders(row.first_name or "", row.last_name or ""),
            )
            for row in gradebook.db.query(api.Student)
        ]


def _write(folder: Path, work: dict[str, bytes]) -> None:
    for name, content in work.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
