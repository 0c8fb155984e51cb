"""Judge the outcomes of an exercise's cases: the one place where a score comes from.

Input is data only: the kit's entry (cases with expected values, mistakes) and the outcomes that
`call.call_case` wrote down, perhaps in a process that is not to be trusted.
"""

from __future__ import annotations

from typing import Any

from course_utils.exercises.call import Outcome
from course_utils.exercises.compare import GRADIENT, Tolerance, compare
from course_utils.exercises.report import CaseResult, Report
from course_utils.exercises.values import ValueProblem, decode
from course_utils.words import say

MAX_SHOWN = 500


def judge_exercise(name: str, entry: dict, outcomes: list[Outcome], lang: str) -> Report:
    """Compare every outcome with its case and sum up.

    Args:
        name: the exercise's id.
        entry: `kit["exercises"][name]`.
        outcomes: one per case, in order.
        lang: language of the report's texts.

    Returns:
        A report whose score is points times the share of cases passed.
    """
    tolerance = Tolerance(entry["rtol"], entry["atol"])
    pairs = list(zip(entry["cases"], outcomes, strict=True))
    if pairs and all("not_attempted" in outcome for _, outcome in pairs):
        return Report(name, lang, 0.0, float(entry["points"]), [], attempted=False)
    results = [_judge_case(name, case, outcome, tolerance, lang) for case, outcome in pairs]
    passed = sum(result.passed for result in results)
    score = float(entry["points"]) * passed / len(results) if results else 0.0
    mistake = None
    if passed < len(results):
        failed = [pair for pair, result in zip(pairs, results, strict=True) if not result.passed]
        mistake = _recognise(entry, pairs, failed, tolerance)
    hint = entry["hints"][mistake] if mistake else None
    points = float(entry["points"])
    return Report(name, lang, round(score, 4), points, results, hint=hint, mistake=mistake)


def _judge_case(name: str, case: dict, outcome: Outcome, tol: Tolerance, lang: str) -> CaseResult:
    lines = _complaints(case, outcome, tol, lang)
    return CaseResult(name, case, not lines, lines)


def _complaints(case: dict, outcome: Outcome, tol: Tolerance, lang: str) -> list[str]:
    """What is wrong with one outcome, as lines for the learner; empty when it is right."""
    stopped = _stopped(outcome, lang)
    if stopped is not None:
        return [stopped]
    lines = []
    try:
        difference = _difference(case, outcome, tol)
        if difference is not None:
            lines.append(difference.text(lang))
    except ValueProblem as problem:
        return [say("unsupported", lang, problem=problem)]
    if outcome.get("changed"):
        positions = ", ".join(str(int(position) + 1) for position in outcome["changed"][:10])
        lines.append(say("changed_arguments", lang, positions=positions))
    return lines


def _stopped(outcome: Outcome, lang: str) -> str | None:
    """The sentence for a call that gave no value, or None when there is one to compare."""
    if "not_attempted" in outcome:
        return say("case_not_attempted", lang)
    if "error" in outcome:
        return error_text(outcome["error"], lang)
    if "unsupported" in outcome:
        return say("unsupported", lang, problem=str(outcome["unsupported"])[:MAX_SHOWN])
    if "stopped" in outcome:
        return say(f"stopped_{outcome['stopped']}", lang, **outcome.get("facts", {}))
    return None


def error_text(error: dict, lang: str) -> str:
    """An error as one short paragraph: its type, its message, the learner's own line."""
    facts = {key: str(error.get(key, ""))[:MAX_SHOWN] for key in ("type", "message", "line")}
    facts["number"] = str(error.get("number", ""))[:10]
    return say("raised_at" if facts["line"] else "raised", lang, **facts)


def _difference(case: dict, outcome: Outcome, tol: Tolerance) -> Any:
    """The first difference in the value, then in the gradients."""
    found = compare(decode(case["expected"]), decode(outcome.get("value")), tol)
    if found is not None or not case.get("gradients"):
        return found
    return compare(
        decode(case["expected_gradients"]), decode(outcome.get("gradients")), tol, GRADIENT
    )


def _recognise(entry: dict, pairs: list, failed: list, tol: Tolerance) -> str | None:
    """The id of the known mistake that this work equals on every failing case, if any.

    Of several the one that agrees on most cases is taken.
    """
    best, most = None, 0
    for mistake in entry["hints"]:
        if all(_same_as(mistake, case, outcome, tol) for case, outcome in failed):
            agree = sum(_same_as(mistake, case, outcome, tol) for case, outcome in pairs)
            if agree > most:
                best, most = mistake, agree
    return best


def _same_as(mistake: str, case: dict, outcome: Outcome, tol: Tolerance) -> bool:
    """Whether an outcome is what the known mistake gives on this case."""
    known = case["mistakes"][mistake]
    if "error" in known:
        return "error" in outcome and outcome["error"].get("type") == known["error"]["type"]
    if "value" not in known or "value" not in outcome:
        return False
    if bool(known.get("changed")) != bool(outcome.get("changed")):
        return False
    stand_in = {
        "expected": known["value"],
        "gradients": case.get("gradients"),
        "expected_gradients": known.get("gradients"),
    }
    try:
        return _difference(stand_in, outcome, tol) is None
    except ValueProblem:
        return False
