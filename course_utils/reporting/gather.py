"""Read what a class holds: nbgrader's gradebook, graded notebooks, answers files, the judge's kits.

What learners handed in is read as hostile: nothing in it raises, and only well-formed entries with
known ids come out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader import api
from sqlalchemy import func
from sqlalchemy.engine import make_url

from course_utils.errors import UserError
from course_utils.grading.classroom import ClassSettings, judge_path, read_class
from course_utils.grading.database import is_file, open_gradebook
from course_utils.grading.grade import NOTED
from course_utils.grading.lms import collected
from course_utils.grading.nbgrader_hooks import CourseAutograde
from course_utils.grading.submission import handed_in_at, students_of
from course_utils.grading.whole_class import converter_of
from course_utils.kit import Kit, answers_path, read_kit
from course_utils.quiz.answers import Answers, empty_answers, read_submitted_answers

STATUSES = ("right", "part", "wrong", "open")


@dataclass(frozen=True)
class Student:
    """A learner as the gradebook knows one; only the id is sure to be there."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_id: str = ""


@dataclass(frozen=True)
class Mark:
    """What a learner has for one item; `mistake` is a recognised mistake's id or empty."""

    score: float
    points: float
    status: str
    mistake: str = ""


@dataclass
class Work:
    """What one learner handed in of one lesson.

    Attributes:
        student: the learner's id.
        answers: usable content of the answers file.
        graded: the gradebook has scores.
        score: points in the gradebook, late penalty taken off.
        late: handed in after the due date.
        marks: by grade id; empty where nothing is graded.
        detailed: the graded notebook tells mistakes (older ones do not).
    """

    student: str
    answers: Answers
    graded: bool = False
    score: float = 0.0
    late: timedelta | None = None
    marks: dict[str, Mark] = field(default_factory=dict)
    detailed: bool = False


@dataclass
class Lesson:
    """One lesson of a class, with all that was handed in, by student in order."""

    name: str
    kit: Kit
    points: float
    due: datetime | None = None
    works: list[Work] = field(default_factory=list)
    released: bool = False


@dataclass
class Class:
    """A class: who is in it, and its lessons."""

    name: str
    lang: str
    key: bytes
    students: list[Student]
    lessons: list[Lesson]


@dataclass
class _Row:
    """A submission in the gradebook."""

    late: timedelta | None
    penalty: float = 0.0
    scores: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """All points, late penalty taken off."""
        return max(0.0, sum(score for score, _ in self.scores.values()) - self.penalty)


def read_whole_class(folder: Path, lessons: Sequence[str] = ()) -> Class:
    """Everything the report needs on these lessons (default: all) of the class in `folder`.

    Raises:
        UserError: there is no such class or lesson, or the gradebook cannot be used.
    """
    folder = folder.resolve()
    settings, names = _chosen(folder, lessons)
    converter = converter_of(folder, names[0] if names else "")
    with _opened_gradebook(converter) as gradebook:
        read = [_lesson(folder, name, converter, gradebook) for name in names]
        students = _students(gradebook, read)
    key = f"course report {settings.seed}".encode()
    return Class(settings.course_id, settings.lang, key, students, read)


def read_scores(folder: Path, lessons: Sequence[str] = ()) -> tuple[list[Student], list[Lesson]]:
    """Only what the gradebook says: who is in it, and the graded works of these lessons.

    Raises:
        UserError: there is no such class or lesson, or nothing in a gradebook.
    """
    folder = folder.resolve()
    _, names = _chosen(folder, lessons)
    read = [Lesson(name, _judge_kit(folder, name), 0.0) for name in names]
    with _opened_gradebook(converter_of(folder, names[0] if names else "")) as gradebook:
        if gradebook is None:
            raise UserError("There is no gradebook yet: grade the class first (`course grade`).")
        for lesson in read:
            for student, row in sorted(_rows(gradebook, lesson).items()):
                work = Work(student, empty_answers(lesson.name), graded=True, score=row.score)
                lesson.works.append(work)
        return _students(gradebook, read), read


def _chosen(folder: Path, lessons: Sequence[str]) -> tuple[ClassSettings, list[str]]:
    settings = read_class(folder)
    unknown = sorted(set(lessons) - set(settings.lessons))
    if unknown:
        raise UserError(
            f"This class has no lesson {', '.join(unknown)}. It has: {', '.join(settings.lessons)}."
        )
    return settings, [name for name in settings.lessons if not lessons or name in lessons]


@contextmanager
def _opened_gradebook(converter: CourseAutograde) -> Iterator[api.Gradebook | None]:
    """The class's gradebook, or None where there is none yet (and none is made)."""
    url = converter.coursedir.db_url
    if is_file(url) and not Path(make_url(url).database or "").is_file():
        yield None
        return
    with open_gradebook(url, converter.coursedir.course_id) as gradebook:
        yield gradebook


def _students(gradebook: api.Gradebook | None, lessons: Sequence[Lesson]) -> list[Student]:
    """Everybody in the gradebook or with work handed in."""
    known: dict[str, Student] = {}
    if gradebook is not None:
        for row in gradebook.db.query(api.Student):
            names = (row.first_name, row.last_name, row.email, row.lms_user_id)
            known[row.id] = Student(row.id, *(str(name or "") for name in names))
    for work in (work for lesson in lessons for work in lesson.works):
        known.setdefault(work.student, Student(work.student))
    return [known[name] for name in sorted(known)]


def _lesson(
    folder: Path, name: str, converter: CourseAutograde, gradebook: api.Gradebook | None
) -> Lesson:
    converter.coursedir.assignment_id = name
    lesson = Lesson(name, _judge_kit(folder, name), 0.0)
    lesson.points = sum(float(e["points"]) for e in _entries(lesson.kit).values())
    lesson.released = converter.path("release", ".").is_dir()
    rows = {} if gradebook is None else _rows(gradebook, lesson)
    late = {student for student, about in collected(folder, name).items() if about["late"]}
    for student in sorted({*rows, *students_of(converter.path("submitted", "*").parents[1], name)}):
        work = _work(lesson, student, rows.get(student), converter)
        if work.late is None and student in late:
            work.late = timedelta(0)
        lesson.works.append(work)
    return lesson


def _judge_kit(folder: Path, name: str) -> Kit:
    try:
        return read_kit(judge_path(folder, name))
    except (OSError, ValueError) as problem:
        raise UserError(f"The class's kit of {name} cannot be read: {problem}") from problem


def _entries(kit: Kit) -> dict[str, dict[str, Any]]:
    """The kit's questions and exercises by grade id."""
    quiz = {f"quiz-{name}": entry for name, entry in kit["questions"].items()}
    return quiz | {f"check-{name}": entry for name, entry in kit["exercises"].items()}


def _rows(gradebook: api.Gradebook, lesson: Lesson) -> dict[str, _Row]:
    """The gradebook's submissions of a lesson, in three queries however many there are."""
    db = gradebook.db
    assignment = db.query(api.Assignment).filter(api.Assignment.name == lesson.name).one_or_none()
    if assignment is None:
        return {}
    lesson.due = assignment.duedate
    lesson.points = float(assignment.max_score) or lesson.points
    handed, notebook = api.SubmittedAssignment, api.SubmittedNotebook
    query = db.query(handed.student_id, handed.timestamp, handed.extension)
    rows = {
        student: _Row(_lateness(moment, lesson.due, extension))
        for student, moment, extension in query.filter(handed.assignment_id == assignment.id)
    }
    penalties = (
        db.query(handed.student_id, func.sum(notebook.late_submission_penalty))
        .join(notebook, notebook.assignment_id == handed.id)
        .filter(handed.assignment_id == assignment.id)
        .group_by(handed.student_id)
    )
    for student, penalty in penalties:
        rows[student].penalty = float(penalty or 0)
    scores = (
        db.query(handed.student_id, api.GradeCell.name, api.Grade.score, api.GradeCell.max_score)
        .join(notebook, notebook.assignment_id == handed.id)
        .join(api.Grade, api.Grade.notebook_id == notebook.id)
        .join(api.GradeCell, api.GradeCell.id == api.Grade.cell_id)
        .filter(handed.assignment_id == assignment.id)
    )
    for student, name, score, points in scores:
        rows[student].scores[name] = (float(score or 0), float(points or 0))
    return rows


def _lateness(
    moment: datetime | None, due: datetime | None, extension: timedelta | None = None
) -> timedelta | None:
    """How long after the due date, or None where it was in time."""
    if moment is None or due is None:
        return None
    late = moment - due - (extension or timedelta(0))
    return late if late > timedelta(0) else None


def _work(lesson: Lesson, student: str, row: _Row | None, converter: CourseAutograde) -> Work:
    submitted = converter.path("submitted", student)
    work = Work(student, _answers(submitted, lesson.name))
    if row is None:
        work.late = _lateness(handed_in_at(submitted), lesson.due)
        return work
    noted = _noted(converter.path("autograded", student) / f"{lesson.name}.ipynb")
    work.graded, work.late, work.detailed = True, row.late, noted is not None
    work.score = row.score
    for name, (score, points) in row.scores.items():
        work.marks[name] = _mark(score, points, (noted or {}).get(name, {}))
    return work


def _mark(score: float, points: float, noted: dict[str, Any]) -> Mark:
    """The gradebook's score, in which a person's word counts, with what the judge noted."""
    status = "right" if score >= points else "part" if score > 0 else "wrong"
    if status == "wrong" and noted.get("status") == "open":
        status = "open"
    return Mark(score, points, status, "" if status == "right" else noted.get("mistake", ""))


def _answers(submitted: Path, lesson: str) -> Answers:
    """The answers in a submission's folder; no link is followed to get there."""
    if submitted.is_symlink() or submitted.parent.is_symlink():
        return empty_answers(lesson)
    return read_submitted_answers(answers_path(lesson, submitted), lesson=lesson)[0]


def _noted(path: Path) -> dict[str, dict[str, Any]] | None:
    """What grading noted of each item, by grade id; None where it noted nothing."""
    try:
        items = json.loads(path.read_text(encoding="utf-8"))["metadata"]["course"]["items"]
        usable = [item for item in items if set(NOTED) <= set(item) and item["status"] in STATUSES]
        return {f"{item['kind']}-{item['name']}": item for item in usable}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
