"""`course grade DIR`: grade a class's submissions side by side, with pages, progress and a log."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from nbgrader.apps import AutogradeApp
from tqdm import tqdm

from course_utils.errors import UserError
from course_utils.grading.classroom import read_class
from course_utils.grading.driver import Event, Plan, Summary
from course_utils.grading.feedback import Marks, page_of
from course_utils.grading.grade import Graded
from course_utils.grading.nbgrader_hooks import CourseAutograde
from course_utils.grading.record import write_page
from course_utils.grading.submission import shown_name, students_of


@dataclass(frozen=True)
class Wishes:
    """What the command line asks for.

    Attributes:
        lessons: which lessons; by default all that something was handed in of.
        only: which students (names or patterns); by default all.
        force: grade again what has nothing new.
        log: file to which one line of JSON is added for each submission.
        workers: how many are graded side by side; by default as many as the machines can.
        scheduler: address of a Dask cluster to run them on; by default this machine.
        pages: make the learners' feedback pages too.
    """

    lessons: Sequence[str] = ()
    only: Sequence[str] = ()
    force: bool = False
    log: Path | None = None
    workers: int = 0
    scheduler: str = ""
    pages: bool = True


def grade_folder(folder: Path, wishes: Wishes) -> int:
    """Grade a class.

    Returns:
        0 when everything asked for is graded, 1 when something could not be.
    """
    folder = folder.resolve()
    lessons = wishes.lessons or _handed_in(folder)
    if not lessons:
        raise UserError(f"Nothing was handed in yet: {folder / 'submitted'} holds no lesson.")
    failed = False
    with ExitStack() as stack:
        log = stack.enter_context(wishes.log.open("a", encoding="utf-8")) if wishes.log else None
        for lesson in lessons:
            summary = _grade_lesson(folder, lesson, wishes, log)
            failed = failed or bool(summary.failures)
    return 1 if failed else 0


def _handed_in(folder: Path) -> list[str]:
    lessons = read_class(folder).lessons
    return [lesson for lesson in lessons if any(students_of(folder / "submitted", lesson))]


def converter_of(folder: Path, lesson: str) -> CourseAutograde:
    """nbgrader's autograde for a class, with the settings of the class's `nbgrader_config.py`."""
    app = AutogradeApp()
    app.load_cwd_config = False
    app.initialize([f"--course-dir={folder}", f"--assignment={lesson}", "--log-level=ERROR"])
    app.log_level = "WARN"
    return CourseAutograde(coursedir=app.coursedir, parent=app)


def _grade_lesson(folder: Path, lesson: str, wishes: Wishes, log: TextIO | None) -> Summary:
    converter = converter_of(folder, lesson)
    students = _chosen(converter, lesson, wishes.only)
    began = time.monotonic()
    with tqdm(total=len(students), desc=lesson, unit="", disable=not sys.stderr.isatty()) as bar:

        def notice(event: Event) -> None:
            bar.update()
            if event.status == "failed":
                bar.write(f"! {shown_name(event.student)}: {event.problem}", file=sys.stderr)
            if log is not None:
                log.write(json.dumps({"lesson": lesson} | asdict(event), ensure_ascii=False) + "\n")
                log.flush()

        def after(graded: Graded, marks: Marks) -> None:
            if wishes.pages:
                page = page_of(graded.notebook, marks)
                write_page(graded, page, converter.path("feedback", graded.student), lesson)

        plan = Plan(wishes.force, wishes.workers, wishes.scheduler, notice, after)
        summary = converter.grade(plan, students)
    for line in _told(lesson, summary, time.monotonic() - began):
        print(line)
    return summary


def _chosen(converter: CourseAutograde, lesson: str, only: Sequence[str]) -> list[str]:
    """The students that were asked for, each once."""
    chosen: dict[str, None] = {}
    for asked in only or ("*",):
        converter.coursedir.student_id = asked
        chosen |= dict.fromkeys(converter.students(lesson))
    return list(chosen)


def _told(lesson: str, summary: Summary, seconds: float) -> Iterator[str]:
    """What was done, in a few lines."""
    graded = [event for event in summary.events if event.status == "graded"]
    yield (
        f"{lesson}: {len(graded)} graded, {summary.count('skipped')} had nothing new, "
        f"{len(summary.failures)} failed, in {seconds:.0f} s"
    )
    if graded:
        mean = sum(event.score for event in graded) / len(graded)
        rate = 60 * len(graded) / max(seconds, 1e-3)
        yield f"  mean {mean:.1f} of {graded[0].points:g} points; {rate:.0f} a minute"
    noted = [event for event in graded if event.remarks]
    for event in noted[:20]:
        yield f"  {shown_name(event.student)}: {' '.join(event.remarks)}"
    if len(noted) > 20:
        yield f"  … and remarks on {len(noted) - 20} more, in their pages"
