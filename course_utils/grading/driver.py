"""Grade a class's submissions of one lesson: what `nbgrader autograde` and `course grade` do.

Submissions are graded side by side; one writer, the calling thread, records each in one
transaction as it is ready. Nothing about one submission depends on another, and what is cut off
anywhere is done again by the next run.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from course_utils.errors import UserError
from course_utils.grading.database import patiently
from course_utils.grading.execute import Run
from course_utils.grading.feedback import Marks
from course_utils.grading.grade import (
    Assignment,
    Graded,
    digest_of,
    grade_submission,
    read_for,
)
from course_utils.grading.judging import total
from course_utils.grading.record import Recorder, recorded_digest, write_graded
from course_utils.grading.runner import CannotRun

LOG = logging.getLogger("course.grading")
ATTEMPTS = 3


@dataclass(frozen=True)
class Places:
    """Where nbgrader keeps a submission's stages: `submitted` and `autograded` by student."""

    submitted: Callable[[str], Path]
    autograded: Callable[[str], Path]
    permissions: int = 0o444


@dataclass(frozen=True)
class Event:
    """What became of one submission: `graded`, `skipped` (nothing new) or `failed`.

    Only a fault of the machine or the course fails; whatever a learner sent is graded.
    """

    student: str
    status: str
    score: float = 0.0
    points: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    remarks: tuple[str, ...] = ()
    problem: str = ""


@dataclass
class Summary:
    """All events of a run."""

    events: list[Event] = field(default_factory=list)

    def count(self, status: str) -> int:
        """How many submissions ended so."""
        return sum(event.status == status for event in self.events)

    @property
    def failures(self) -> list[Event]:
        """What could not be graded."""
        return [event for event in self.events if event.status == "failed"]


@dataclass(frozen=True)
class Plan:
    """How a run goes.

    Attributes:
        force: grade again what has nothing new.
        workers: submissions graded side by side; by default as many as the runners can.
        scheduler: address of a Dask cluster that runs the submissions; empty for this machine.
        notice: called with each event as it happens.
        after: called by the writer when a submission was recorded, with what the gradebook says
            (to make its page).
    """

    force: bool = False
    workers: int = 0
    scheduler: str = ""
    notice: Callable[[Event], None] = lambda event: None
    after: Callable[[Graded, Marks], None] = lambda graded, marks: None


class Runs(Protocol):
    """Runs submissions: on this machine (`Runners`) or on many (`Cluster`)."""

    @property
    def width(self) -> int:
        """How many it can run side by side."""

    def runs(self, last: bool) -> Run:
        """What runs one; `last` when a kill from outside must be taken as the learner's."""


def grade_class(
    assignment: Assignment,
    students: Iterable[str],
    places: Places,
    recorder: Recorder,
    runners: Runs,
    plan: Plan,
) -> Summary:
    """Grade each student's submission that is new or changed since it was graded.

    Raises:
        UserError: the lesson was not generated, or learner code cannot be confined here.
    """
    patiently(recorder.assignment)
    summary = Summary()
    width = plan.workers or runners.width
    with ThreadPoolExecutor(width) as pool, _dropping_the_rest(pool):

        def begin(student: str) -> Future:
            return pool.submit(_grade, assignment, student, places, runners, plan.force)

        for student, future in _as_ready(begin, students, 2 * width):
            event = _finish(student, future, places, recorder, plan)
            summary.events.append(event)
            plan.notice(event)
    return summary


@contextmanager
def _dropping_the_rest(pool: ThreadPoolExecutor) -> Iterator[None]:
    """When the run ends early, begin with nothing more."""
    try:
        yield
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _as_ready(
    begin: Callable[[str], Future], students: Iterable[str], width: int
) -> Iterator[tuple[str, Future]]:
    """Begin with a few at a time and hand each back as it is ready; memory stays flat."""
    running: dict[Future, str] = {}
    for student in students:
        running[begin(student)] = student
        if len(running) >= width:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            yield from ((running.pop(future), future) for future in done)
    while running:
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        yield from ((running.pop(future), future) for future in done)


def _grade(
    assignment: Assignment, student: str, places: Places, runners: Runs, force: bool
) -> tuple[Graded | None, float]:
    """The student's submission graded, and the seconds it took; None where nothing is new.

    A runner that something outside has killed is no verdict on the work: it is tried again.
    """
    began = time.monotonic()
    submission = read_for(assignment, places.submitted(student))
    before = recorded_digest(places.autograded(student), assignment.lesson)
    if not force and before == digest_of(assignment, submission):
        return None, 0.0
    for attempt in range(1, ATTEMPTS + 1):
        run = runners.runs(last=attempt == ATTEMPTS)
        try:
            graded = grade_submission(assignment, submission, student, run)
            return graded, time.monotonic() - began
        except CannotRun as problem:
            LOG.warning("%s: %s; attempt %d of %d", student, problem, attempt, ATTEMPTS)
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("not reached")


def _finish(student: str, future: Future, places: Places, recorder: Recorder, plan: Plan) -> Event:
    """Record one submission that is ready; a failure is told and the rest goes on."""
    try:
        graded, seconds = future.result()
        if graded is None:
            return Event(student, "skipped")
        marks = recorder.record(graded)
        plan.after(graded, marks)
        folder = places.autograded(student)  # comes last: it says that all is done
        write_graded(graded, folder, recorder.lesson, places.permissions)
    except UserError:
        raise
    except Exception as problem:
        LOG.exception("grading %s failed", student)
        return Event(student, "failed", problem=f"{type(problem).__name__}: {problem}")
    score, points = total(graded.items)
    return Event(
        student,
        "graded",
        score,
        points,
        seconds=round(seconds, 3),
        cpu_seconds=round(graded.cpu_seconds, 3),
        remarks=tuple(graded.remarks),
    )
