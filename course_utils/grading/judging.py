"""From what ran and what was answered to scores: one item per graded cell.

This runs in the trusted process, on data only. Every score is a finite float between 0 and what
the instructor's notebook says the cell is worth.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from course_utils.exercises.call import Outcome
from course_utils.exercises.judge import judge_exercise
from course_utils.exercises.report import Report
from course_utils.grading.execute import Ran
from course_utils.grading.graft import Grafted, Part
from course_utils.grading.submission import Submission
from course_utils.kit import Kit
from course_utils.quiz.order import shown_to
from course_utils.quiz.scoring import judge_answer
from course_utils.quiz.static import question_html
from course_utils.words import say

LOG = logging.getLogger("course.grading")
ROUNDING = 1e-3


@dataclass(frozen=True)
class Item:
    """The verdict on one graded cell.

    Attributes:
        grade_id: nbgrader's id of the cell.
        kind: `check` or `quiz`.
        name: id of the exercise or question.
        score, points: 0 <= score <= points.
        status: `right`, `part`, `wrong` or `open` (nothing was handed in).
        html: the verdict as a self-contained panel.
        text: the verdict as plain lines.
        mistake: id of the known mistake that an exercise was recognised as; else empty.
    """

    grade_id: str
    kind: str
    name: str
    score: float
    points: float
    status: str
    html: str
    text: str
    mistake: str = ""


def judge_submission(
    kit: Kit, grafted: Grafted, ran: Ran, submission: Submission, student: str
) -> list[Item]:
    """The verdict on every check and quiz cell that the kit knows, in the notebook's order.

    Args:
        kit: a judge or practice kit: with cases, expected values and the key.
        grafted: the learner's work on the instructor's notebook.
        ran: what running it gave.
        submission: for its answers.
        student: orders the choices of a question, as in the learner's notebook.
    """
    items = []
    for part in grafted.parts:
        if part.role == "check" and part.name in kit["exercises"]:
            items.append(_judge_check(kit, grafted, ran, part))
        elif part.role == "quiz" and part.name in kit["questions"]:
            answers = submission.answers["answers"]
            answer = answers.get(part.name, {}).get("answer")
            remarks = grafted.remarks.get(part.grade_id, [])
            items.append(_judge_quiz(kit, part, answer, student, remarks))
    return items


def _judge_check(kit: Kit, grafted: Grafted, ran: Ran, part: Part) -> Item:
    entry = kit["exercises"][part.name] | {"points": part.points}
    outcomes, lang = ran.outcomes[part.name], kit["lang"]
    reason = _never_defined(part.name, outcomes, grafted, ran, lang)
    try:
        if reason:
            report = Report(part.name, lang, 0.0, part.points, [], remarks=[reason])
        else:
            report = judge_exercise(part.name, entry, outcomes, lang)
    except Exception:
        LOG.exception("judging %s failed", part.name)
        remark = say("judge_failed", lang)
        report = Report(part.name, lang, 0.0, part.points, [], remarks=[remark])
    report.remarks.extend(grafted.remarks.get(part.name, []))
    report.remarks.extend(grafted.remarks.get(part.grade_id, []))
    score = bounded_score(report.score, part.points)
    status = "open" if not report.attempted else _status(score, part.points)
    return Item(
        part.grade_id, "check", part.name, score, part.points, status,
        report.html(), report.text(), report.mistake or "",
    )  # fmt: skip


def _never_defined(
    name: str, outcomes: list[Outcome], grafted: Grafted, ran: Ran, lang: str
) -> str:
    """Why the exercise's function does not exist, or an empty string where it does."""
    if not outcomes or any(outcome.get("stopped") != "missing" for outcome in outcomes):
        return ""
    for position, part in enumerate(grafted.parts):
        if part.role == "exercise" and part.name == name and position in ran.cells:
            return cell_trouble(ran.cells[position], lang) or say("stopped_missing", lang)
    return say("stopped_missing", lang)


def cell_trouble(result: dict[str, Any], lang: str) -> str:
    """Why a cell did not run to its end, as a sentence; empty where it did."""
    if "stopped" in result:
        return say(f"stopped_{result['stopped']}", lang, **result["facts"])
    error = result["error"]
    if not error:
        return ""
    return say("cell_raised_at" if error["line"] else "cell_raised", lang, **error)


def _judge_quiz(kit: Kit, part: Part, answer: Any, student: str, remarks: list[str]) -> Item:
    question = kit["questions"][part.name] | {"points": part.points}
    verdict = judge_answer(question, answer)
    score = bounded_score(verdict.points, part.points)
    shown = shown_to(question, part.name, student)
    html = question_html(shown, kit["lang"], answer, verdict, reveal=True)
    html += "".join(f'<p class="note">{escape(remark)}</p>' for remark in remarks)
    status = "open" if answer is None else _status(score, part.points)
    text = "\n".join([say(f"grade_quiz_{status}", kit["lang"], name=part.name), *remarks])
    return Item(part.grade_id, "quiz", part.name, score, part.points, status, html, text)


def _status(score: float, points: float) -> str:
    if score >= points:
        return "right"
    return "part" if score > 0 else "wrong"


def bounded_score(score: float, points: float) -> float:
    """The score as a float that nbgrader can take as it is.

    Raises:
        ValueError: it is no number between 0 and `points`; the judge is broken.
    """
    score = float(score)
    if not math.isfinite(score) or not 0 <= score <= points + ROUNDING:
        raise ValueError(f"a score of {score} of {points}")
    return min(score, points)


def total(items: Iterable[Item]) -> tuple[float, float]:
    """Score and points of all items."""
    listed = list(items)
    return sum(item.score for item in listed), sum(item.points for item in listed)
