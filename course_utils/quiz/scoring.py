"""Score an answer to a question. The answer may come from a hostile file: nothing in it raises."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Question = dict[str, Any]

LARGEST = 1e100


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth.

    Attributes:
        points: from 0 to `out_of`.
        out_of: the question's points.
        right: wholly right.
        valid: the answer could be judged at all.
        reason: why it could not: `not_answered`, `wrong_type`, `unknown_choice`,
            `repeated_choice`, `not_finite`, `too_large`; empty otherwise.
            `say("reason_" + reason, lang)` puts it into words.
    """

    points: float
    out_of: float
    right: bool
    valid: bool
    reason: str = ""


def judge_answer(question: Question, answer: Any) -> Verdict:
    """Judge `answer` by the key of a practice or judge kit's question.

    Several picks earn (right picks - wrong picks) / number of right choices, at least 0.

    Raises:
        ValueError: the question carries no key (a graded kit), whatever the answer.
    """
    if not has_key(question):
        raise ValueError("This question carries no key: judge it with a practice or judge kit.")
    out_of = float(question["points"])
    reason = fault_of(question, answer)
    if reason:
        return Verdict(0.0, out_of, right=False, valid=False, reason=reason)
    share = _SHARES[question["kind"]](question, answer)
    return Verdict(share * out_of, out_of, right=share == 1.0, valid=True)


def has_key(question: Question) -> bool:
    """Whether the question knows its right answer."""
    if question["kind"] == "numeric":
        return "answer" in question
    return any("right" in choice for choice in question["choices"])


def fault_of(question: Question, answer: Any) -> str:
    """Why `answer` cannot be judged (see `Verdict.reason`), or an empty string; needs no key."""
    if answer is None:
        return "not_answered"
    if question["kind"] == "numeric":
        return _fault_of_number(answer)
    if question["kind"] == "multiple":
        return _fault_of_picks(question, answer)
    return _fault_of_pick(question, answer)


def _fault_of_pick(question: Question, answer: Any) -> str:
    if type(answer) is not str:
        return "wrong_type"
    return "" if answer in _choice_ids(question) else "unknown_choice"


def _fault_of_picks(question: Question, answer: Any) -> str:
    if type(answer) is not list:
        return "wrong_type"
    if not answer:
        return "not_answered"
    for pick in answer:
        fault = _fault_of_pick(question, pick)
        if fault:
            return fault
    return "" if len(set(answer)) == len(answer) else "repeated_choice"


def _fault_of_number(answer: Any) -> str:
    if type(answer) not in (int, float):
        return "wrong_type"
    if isinstance(answer, float) and not math.isfinite(answer):
        return "not_finite"
    return "too_large" if abs(answer) > LARGEST else ""


def _choice_ids(question: Question) -> list[str]:
    return [choice["id"] for choice in question["choices"]]


def _right_ids(question: Question) -> set[str]:
    return {choice["id"] for choice in question["choices"] if choice.get("right")}


def _share_of_pick(question: Question, answer: str) -> float:
    return 1.0 if answer in _right_ids(question) else 0.0


def _share_of_picks(question: Question, answer: list[str]) -> float:
    right = _right_ids(question)
    picks = set(answer)
    return max(0.0, (len(picks & right) - len(picks - right)) / len(right))


def _share_of_number(question: Question, answer: float) -> float:
    return 1.0 if _near(answer, question["answer"], question["tolerance"]) else 0.0


_SHARES: dict[str, Callable[[Question, Any], float]] = {
    "single": _share_of_pick,
    "multiple": _share_of_picks,
    "numeric": _share_of_number,
}


def _near(value: float, target: float, tolerance: float) -> bool:
    """Whether `value` is within `tolerance` of `target`, rounding of the last digit forgiven."""
    slack = 1e-12 * max(1.0, abs(target))
    return abs(float(value) - target) <= tolerance + slack


def word_on_number(question: Question, answer: float) -> str:
    """What to tell the giver of a number: why it is right, the slip recognised, or the hint."""
    tolerance = question["tolerance"]
    if _near(answer, question["answer"], tolerance):
        return str(question.get("why", ""))
    for slip in question.get("slips", ()):
        if _near(answer, slip["value"], tolerance):
            return str(slip["why"])
    return str(question.get("hint", ""))
