"""Grade a class's submissions of one lesson: what `nbgrader autograde` and `course grade` do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from course_utils.grading.grade import (
    Assignment,
    Graded,
    digest_of,
    grade_submission,
    read_for,
)
from course_utils.grading.judging import total
from course_utils.grading.record import Recorder, recorded_digest, write_graded
from course_utils.grading.runner import MakeRunner, ProcessRunner

LOG = logging.getLogger("course.grading")


@dataclass(frozen=True)
class Places:
    """Where nbgrader keeps a submission's stages: `submitted` and `autograded` by student."""

    submitted: Callable[[str], Path]
    autograded: Callable[[str], Path]
    permissions: int = 0o444


@dataclass
class Summary:
    """What a run did: students graded, skipped (nothing new) and failed (by the machine)."""

    graded: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def grade_class(
    assignment: Assignment,
    students: Iterable[str],
    places: Places,
    recorder: Recorder,
    *,
    force: bool = False,
    make_runner: MakeRunner = ProcessRunner,
    log: logging.Logger = LOG,
) -> Summary:
    """Grade each student's submission that is new or changed since it was graded.

    A submission whose grading fails (for a fault of the machine or the course: a learner's work
    never raises) is noted, and the rest goes on.
    """
    recorder.assignment()
    summary = Summary()
    for student in students:
        try:
            graded = _graded(assignment, student, places, force, make_runner)
            if graded is None:
                summary.skipped.append(student)
                continue
            recorder.record(graded)
            folder = places.autograded(student)
            write_graded(graded, folder, assignment.lesson, places.permissions)
        except Exception as problem:
            log.exception("grading %s failed", student)
            summary.failed[student] = f"{type(problem).__name__}: {problem}"
            continue
        score, points = total(graded.items)
        log.info("%s: %g of %g points", student, score, points)
        summary.graded.append(student)
    return summary


def _graded(
    assignment: Assignment, student: str, places: Places, force: bool, make_runner: MakeRunner
) -> Graded | None:
    """The student's submission graded; None where it was before and nothing has changed."""
    submission = read_for(assignment, places.submitted(student))
    before = recorded_digest(places.autograded(student), assignment.lesson)
    if not force and before == digest_of(assignment, submission):
        return None
    return grade_submission(assignment, submission, student, make_runner)
