"""`check(f)`: what a learner runs under an exercise. Public cases, an instant verdict."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from course_utils.exercises.call import call_case
from course_utils.exercises.judge import judge_exercise
from course_utils.exercises.report import Report
from course_utils.kit import Kit, answers_path
from course_utils.words import say


def check_exercise(kit: Kit, function: Callable[..., Any], folder: Path) -> Report:
    """Call `function` on its public cases and report; the result is noted in the answers file.

    Raises:
        ValueError: the kit knows no exercise of this name.
    """
    name = getattr(function, "__name__", str(function))
    entry = kit["exercises"].get(name)
    if entry is None:
        known = ", ".join(f"check({exercise})" for exercise in kit["exercises"])
        raise ValueError(say("no_such_exercise", kit["lang"], name=name, known=known))
    outcomes = [call_case(function, case["args"], case["gradients"]) for case in entry["cases"]]
    report = judge_exercise(name, entry, outcomes, kit["lang"])
    if not report.attempted:
        return report
    _note(kit, report, function, folder)
    return replace(report, progress=_progress(kit, report, folder))


def _note(kit: Kit, report: Report, function: Callable[..., Any], folder: Path) -> None:
    """Keep the score and a digest of the source, by which `course submit` sees unsaved work."""
    from course_utils.quiz.answers import record_check

    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return
    digest = source_digest(source)
    path = answers_path(kit["lesson"], folder)
    recorded = record_check(
        path, kit["lesson"], report.exercise, digest, report.score, report.points
    )
    report.remarks.extend(recorded.notes(kit["lang"]))


def _progress(kit: Kit, report: Report, folder: Path) -> str:
    """The lesson's sum with this report in it, whether or not it could be kept."""
    from course_utils.quiz.answers import read_answers
    from course_utils.quiz.progress import progress_of
    from course_utils.quiz.static import progress_html

    answers = read_answers(answers_path(kit["lesson"], folder), kit["lesson"])
    answers["checks"][report.exercise] = {"score": report.score}
    return progress_html(progress_of(kit, answers))


def source_digest(source: str) -> str:
    """A digest of a function's source that does not change with blank space around it."""
    return hashlib.sha256(source.strip().encode()).hexdigest()
