"""What an instructor should look at first, picked from the numbers of all lessons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_utils.reporting.analysis import ExerciseStats, LessonStats, QuestionStats
from course_utils.reporting.measures import FEWEST

SHOWN = 8
HARD_QUESTION = 0.5
HARD_EXERCISE = 0.6
SHARED_MISTAKE = 0.15
FEWEST_WITH_MISTAKE = 3
MANY_MISSING = 0.2
BACKWARDS = -0.05
ENOUGH_FOR_BACKWARDS = 20


@dataclass(frozen=True)
class Finding:
    """One thing to look at.

    Attributes:
        weight: more is more pressing.
        lesson: where.
        item: grade id of the item, or empty where it concerns the lesson.
        key, values: of the sentence (see `words.REPORT`); shares are floats, texts marked up.
    """

    weight: float
    lesson: str
    item: str
    key: str
    values: dict[str, Any] = field(default_factory=dict)


def findings(lessons: Iterable[LessonStats]) -> list[Finding]:
    """The most pressing ones, at most `SHOWN`."""
    found = [finding for stats in lessons for finding in _of_lesson(stats)]
    return sorted(found, key=lambda finding: -finding.weight)[:SHOWN]


def _of_lesson(stats: LessonStats) -> Iterator[Finding]:
    if stats.handed_in and len(stats.missing) >= MANY_MISSING * stats.learners:
        counts = {"count": len(stats.missing), "total": stats.learners}
        yield Finding(counts["count"] / counts["total"], stats.name, "", "look_missing", counts)
    for question in stats.questions:
        yield from _of_question(stats.name, question, stats.graded)
    for exercise in stats.exercises:
        yield from _of_exercise(stats.name, exercise)


def _of_question(lesson: str, question: QuestionStats, graded: int) -> Iterator[Finding]:
    item = f"quiz-{question.name}"
    yield from _backwards(lesson, item, question.discrimination, graded)
    if question.answered < FEWEST or question.first is None or question.first >= HARD_QUESTION:
        return
    weight = 1 - question.first
    values: dict[str, Any] = {"share": question.first}
    if question.lure is None:
        yield Finding(weight, lesson, item, "look_question", values)
    else:
        values |= {"lured": question.lure.first, "text": question.lure.text}
        yield Finding(weight, lesson, item, "look_lure", values)


def _of_exercise(lesson: str, exercise: ExerciseStats) -> Iterator[Finding]:
    item, graded = f"check-{exercise.name}", exercise.graded
    yield from _backwards(lesson, item, exercise.discrimination, graded)
    if graded < FEWEST:
        return
    solved = exercise.counts["right"] / graded
    shared = _shared(exercise)
    if shared:
        values = {"count": shared[0].count, "total": graded, "hint": shared[0].hint}
        weight = max(shared[0].count / graded + 0.3, 1 - solved)
        yield Finding(weight, lesson, item, "look_mistake", values)
    elif solved < HARD_EXERCISE:
        yield Finding(1 - solved, lesson, item, "look_exercise", {"share": solved})


def _shared(exercise: ExerciseStats) -> Sequence[Any]:
    fewest = max(FEWEST_WITH_MISTAKE, SHARED_MISTAKE * exercise.graded)
    return [mistake for mistake in exercise.mistakes if mistake.count >= fewest]


def _backwards(lesson: str, item: str, value: float | None, graded: int) -> Iterator[Finding]:
    if value is not None and value < BACKWARDS and graded >= ENOUGH_FOR_BACKWARDS:
        yield Finding(0.7 - value, lesson, item, "look_backwards", {"value": value})
