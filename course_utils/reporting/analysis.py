"""From a lesson's works to the numbers of its part of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from course_utils.quiz.scoring import judge_answer
from course_utils.reporting.gather import STATUSES, Lesson, Student, Work
from course_utils.reporting.measures import (
    discrimination,
    histogram,
    mean,
    median,
    minutes_of_steps,
    minutes_worked,
    share,
)

Question = dict[str, Any]
MAX_NUMBERS = 4
DIGITS = 6


@dataclass(frozen=True)
class Drawn:
    """One choice of a question (or one number given) and whom it drew.

    `first` and `last` are shares of those who answered: at their first try and at their last.
    `note` says what slip leads to a wrong number, where the question knows it.
    """

    text: str
    right: bool
    first: float
    last: float
    note: str = ""


@dataclass(frozen=True)
class QuestionStats:
    """How a question went; shares are of those who answered it, None where nobody did."""

    name: str
    text: str
    kind: str
    answered: int
    first: float | None
    last: float | None
    drawn: list[Drawn]
    discrimination: float | None
    minutes: float | None

    @property
    def lure(self) -> Drawn | None:
        """The wrong choice that drew most at the first try."""
        wrong = [one for one in self.drawn if not one.right and one.first > 0]
        return max(wrong, key=lambda one: one.first, default=None)


@dataclass(frozen=True)
class MistakeStats:
    """A known mistake: its hint, and how many made it."""

    name: str
    hint: str
    count: int


@dataclass(frozen=True)
class ExerciseStats:
    """How an exercise went: learners by status, and the known mistakes, most frequent first."""

    name: str
    counts: dict[str, int]
    mistakes: list[MistakeStats]
    discrimination: float | None
    minutes: float | None

    @property
    def graded(self) -> int:
        """How many were graded."""
        return sum(self.counts.values())


@dataclass
class LessonStats:
    """Everything the report says about one lesson."""

    name: str
    title: str
    points: float
    handed_in: int
    graded: int
    learners: int
    shares: list[float]
    mean: float | None
    median: float | None
    minutes: float | None
    questions: list[QuestionStats] = field(default_factory=list)
    exercises: list[ExerciseStats] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    late: list[tuple[str, timedelta]] = field(default_factory=list)
    ungraded: list[str] = field(default_factory=list)
    without_detail: int = 0

    @property
    def bins(self) -> list[int]:
        """Learners by tenths of the score."""
        return histogram(self.shares)


def analyse(lesson: Lesson, students: Sequence[Student]) -> LessonStats:
    """The numbers of one lesson."""
    works, graded = lesson.works, [work for work in lesson.works if work.graded]
    have = {work.student for work in works}
    shares = [work.score / lesson.points for work in graded] if lesson.points else []
    steps = [minutes_of_steps(work.answers) for work in works]
    worked = [minutes_worked(work.answers) for work in works]
    stats = LessonStats(
        lesson.name, str(lesson.kit["title"]), lesson.points, len(works), len(graded),
        len(students), shares, mean(shares), median(shares), median(_known(worked)),
    )  # fmt: skip
    for name in lesson.kit["questions"]:
        stats.questions.append(_question(lesson, name, graded, steps))
    for name in lesson.kit["exercises"]:
        stats.exercises.append(_exercise(lesson, name, graded, steps))
    if works or lesson.released:
        stats.missing = [student.id for student in students if student.id not in have]
    stats.late = sorted(
        ((work.student, work.late) for work in works if work.late is not None),
        key=lambda one: one[1],
        reverse=True,
    )
    stats.ungraded = [work.student for work in works if not work.graded]
    stats.without_detail = sum(not work.detailed for work in graded)
    return stats


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _question(
    lesson: Lesson, name: str, graded: Sequence[Work], steps: Sequence[dict[str, float]]
) -> QuestionStats:
    question = lesson.kit["questions"][name]
    pairs = [pair for work in lesson.works if (pair := _tries(work, name, question)) is not None]
    right = [[judge_answer(question, one).right for one in pair] for pair in pairs]
    grade_id = f"quiz-{name}"
    return QuestionStats(
        name=name,
        text=str(question["text"]),
        kind=question["kind"],
        answered=len(pairs),
        first=share(sum(first for first, _ in right), len(pairs)),
        last=share(sum(last for _, last in right), len(pairs)),
        drawn=_drawn(question, pairs),
        discrimination=_discrimination(graded, grade_id),
        minutes=median([found[grade_id] for found in steps if grade_id in found]),
    )


def _tries(work: Work, name: str, question: Question) -> tuple[Any, Any] | None:
    """The first and the last answer that can be judged; None where there is none."""
    entry = work.answers["answers"].get(name)
    if entry is None:
        return None
    given = [*(attempt["answer"] for attempt in entry["attempts"]), entry["answer"]]
    usable = [answer for answer in given if judge_answer(question, answer).valid]
    return (usable[0], usable[-1]) if usable else None


def _drawn(question: Question, pairs: Sequence[tuple[Any, Any]]) -> list[Drawn]:
    if question["kind"] == "numeric":
        return _numbers(question, pairs)
    return [
        Drawn(
            str(choice["text"]),
            bool(choice.get("right")),
            share(sum(_picks(first, choice["id"]) for first, _ in pairs), len(pairs)) or 0.0,
            share(sum(_picks(last, choice["id"]) for _, last in pairs), len(pairs)) or 0.0,
        )
        for choice in question["choices"]
    ]


def _picks(answer: Any, choice: str) -> bool:
    return choice in answer if isinstance(answer, list) else answer == choice


def _numbers(question: Question, pairs: Sequence[tuple[Any, Any]]) -> list[Drawn]:
    """The right number, then the wrong ones that were given most."""
    first, last = (Counter(_label(question, pair[at]) for pair in pairs) for at in (0, 1))
    right = _label(question, question["answer"])
    wrong = [label for label in {**first, **last} if label != right]
    wrong.sort(key=lambda label: (-first[label], -last[label], label))
    if not pairs:
        return []
    slips = {
        _label(question, slip["value"]): str(slip["why"]) for slip in question.get("slips", ())
    }
    return [
        Drawn(
            label,
            label == right,
            first[label] / len(pairs),
            last[label] / len(pairs),
            "" if label == right else slips.get(label, ""),
        )
        for label in [right, *wrong[:MAX_NUMBERS]]
    ]


def _label(question: Question, number: float) -> str:
    """A number as it is counted: all that are right are one."""
    if judge_answer(question, number).right:
        return f"{float(question['answer']):.{DIGITS}g}"
    return f"{float(number):.{DIGITS}g}"


def _exercise(
    lesson: Lesson, name: str, graded: Sequence[Work], steps: Sequence[dict[str, float]]
) -> ExerciseStats:
    hints, grade_id = lesson.kit["exercises"][name]["hints"], f"check-{name}"
    marks = [work.marks[grade_id] for work in graded if grade_id in work.marks]
    counted = Counter(mark.status for mark in marks)
    made = Counter(mark.mistake for mark in marks if mark.mistake in hints)
    return ExerciseStats(
        name=name,
        counts={status: counted[status] for status in STATUSES},
        mistakes=[MistakeStats(one, str(hints[one]), count) for one, count in made.most_common()],
        discrimination=_discrimination(graded, grade_id),
        minutes=median([found[grade_id] for found in steps if grade_id in found]),
    )


def _discrimination(graded: Sequence[Work], grade_id: str) -> float | None:
    """Of the item, among those whose gradebook has it."""
    having = [work for work in graded if grade_id in work.marks]
    own = [work.marks[grade_id].score for work in having]
    whole = [sum(mark.score for mark in work.marks.values()) for work in having]
    return discrimination(own, whole)
