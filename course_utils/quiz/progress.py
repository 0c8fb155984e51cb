"""How far a learner has come in a lesson: points so far, and what is still open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from course_utils.quiz.scoring import fault_of, has_key, judge_answer


@dataclass(frozen=True)
class Progress:
    """One lesson's sum.

    Attributes:
        title: the lesson's.
        points: earned so far, of those that can be known here.
        out_of: the points that can be known here (a graded kit does not score its questions).
        answered: questions with a valid answer.
        questions: all questions.
        solved: exercises whose check gave full points.
        exercises: all exercises.
        scored: the questions' points are among those known (not so with a graded kit).
        lang: the language of the lesson.
    """

    title: str
    points: float
    out_of: float
    answered: int
    questions: int
    solved: int
    exercises: int
    scored: bool
    lang: str

    @property
    def open(self) -> int:
        """Questions without an answer."""
        return self.questions - self.answered

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1: of the points; where they are not known, of the tasks."""
        if not self.scored:
            return (self.answered + self.solved) / (self.questions + self.exercises)
        return self.points / self.out_of if self.out_of else 0.0


def progress_of(kit: dict[str, Any], answers: dict[str, Any]) -> Progress:
    """The sum of a lesson from its kit and the learner's answers file."""
    quiz_points = quiz_out_of = 0.0
    answered = 0
    for name, question in kit["questions"].items():
        answer = answers["answers"].get(name, {}).get("answer")
        answered += fault_of(question, answer) == ""
        if has_key(question):
            verdict = judge_answer(question, answer)
            quiz_points += verdict.points
            quiz_out_of += verdict.out_of
    checks = {name: answers["checks"].get(name, {}) for name in kit["exercises"]}
    worth = {name: float(exercise["points"]) for name, exercise in kit["exercises"].items()}
    scores = {name: min(float(checks[name].get("score", 0.0)), worth[name]) for name in checks}
    return Progress(
        title=kit["title"],
        points=quiz_points + sum(scores.values()),
        out_of=quiz_out_of + sum(worth.values()),
        answered=answered,
        questions=len(kit["questions"]),
        solved=sum(scores[name] == worth[name] for name in worth),
        exercises=len(worth),
        scored=quiz_out_of > 0 or not kit["questions"],
        lang=kit["lang"],
    )
