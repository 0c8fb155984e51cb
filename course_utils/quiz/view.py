"""What a question shows, as plain data: the one source of the live panel and the static page."""

from __future__ import annotations

from typing import Any

from course_utils.quiz.markup import to_html, to_line
from course_utils.quiz.order import LETTERS
from course_utils.quiz.scoring import Verdict, has_key, word_on_number
from course_utils.words import say

Question = dict[str, Any]
View = dict[str, Any]

SIGNS = {"right": "✓", "wrong": "✗", "partly": "◐", "saved": "✓", "fault": "!"}
LANG_TAGS = {"en": "en", "zh": "zh-CN"}


def view_of(
    question: Question,
    lang: str,
    answer: Any = None,
    verdict: Verdict | None = None,
    *,
    reveal: bool = False,
    tex: bool = False,
) -> View:
    """Everything a page says about a question, texts already safe HTML.

    `state` is `open`, `right`, `partly`, `wrong`, `saved` (an answer without a verdict) or `fault`
    (an answer that could not be judged).
    """
    state = _state(answer, verdict)
    return {
        "lang": LANG_TAGS.get(lang, lang),
        "kind": question["kind"],
        "state": state,
        "head": say("quiz_head", lang),
        "ask": say(f"quiz_ask_{question['kind']}", lang),
        "worth": points_text(question["points"], lang),
        "badge": f"{SIGNS[state]} {say('quiz_' + state, lang)}" if state != "open" else "",
        "text": to_html(question["text"], tex=tex),
        "choices": _choices(question, lang, answer, verdict, reveal=reveal, tex=tex),
        "given": given_text(answer) if question["kind"] == "numeric" else "",
        "score": score_text(verdict, lang) if verdict else "",
        "note": _note(question, lang, answer, verdict, reveal=reveal, tex=tex),
    }


def _state(answer: Any, verdict: Verdict | None) -> str:
    if verdict is None:
        return "open" if answer is None else "saved"
    if not verdict.valid:
        return "fault"
    if verdict.right:
        return "right"
    return "partly" if verdict.points > 0 else "wrong"


def _choices(
    question: Question,
    lang: str,
    answer: Any,
    verdict: Verdict | None,
    *,
    reveal: bool,
    tex: bool,
) -> list[View]:
    picks = picks_of(answer)
    judged = verdict is not None and verdict.valid
    shown = []
    for letter, choice in zip(LETTERS, question.get("choices", ()), strict=False):
        picked = choice["id"] in picks
        told = "why" in choice and (reveal or (judged and picked))
        mark = ("right" if choice["right"] else "wrong") if told else ""
        shown.append(
            {
                "id": choice["id"],
                "letter": letter.upper(),
                "html": to_line(choice["text"], tex=tex),
                "picked": picked,
                "mark": mark,
                "said": _said(mark, picked, lang),
                "why": to_html(choice["why"], tex=tex) if told else "",
            }
        )
    return shown


def _said(mark: str, picked: bool, lang: str) -> str:
    """What stands beside a choice: whose pick it is, and whether it is right, in words."""
    if not mark:
        return say("quiz_your_answer", lang) if picked else ""
    sign, word = SIGNS[mark], say(f"quiz_choice_{mark}", lang)
    return f"{say('quiz_your_answer', lang)} {sign} {word}" if picked else f"{sign} {word}"


def _note(
    question: Question,
    lang: str,
    answer: Any,
    verdict: Verdict | None,
    *,
    reveal: bool,
    tex: bool,
) -> str:
    """The words under a verdict: why, a hint, what is missing, or why it could not be judged."""
    parts = []
    if verdict is not None and not verdict.valid and verdict.reason != "not_answered":
        parts.append(to_html(say(f"reason_{verdict.reason}", lang)))
    if question["kind"] == "numeric":
        if verdict is not None and verdict.valid:
            parts.append(to_html(word_on_number(question, answer), tex=tex))
        if reveal and has_key(question) and not (verdict and verdict.right):
            parts.append(_key_to_number(question, lang, tex))
    elif question["kind"] == "multiple" and verdict is not None and verdict.valid:
        parts.append(_note_on_picks(question, lang, picks_of(answer)))
    return "".join(parts)


def _note_on_picks(question: Question, lang: str, picks: list[str]) -> str:
    """What to tell of several picks that are neither all right nor all wrong."""
    right = {choice["id"] for choice in question["choices"] if choice["right"]}
    if not right & set(picks) or right == set(picks):
        return ""
    return to_html(say("quiz_mixed" if set(picks) - right else "quiz_missing", lang))


def _key_to_number(question: Question, lang: str, tex: bool) -> str:
    answer = to_html(say("quiz_key_number", lang, answer=given_text(question["answer"])))
    return answer + to_html(question["why"], tex=tex)


def picks_of(answer: Any) -> list[str]:
    """The ids that an answer picks, whatever it is."""
    if isinstance(answer, str):
        return [answer]
    return [pick for pick in answer if isinstance(pick, str)] if isinstance(answer, list) else []


def given_text(answer: Any) -> str:
    """A number as it is shown: 15 and 2.5, without float's noise; nothing for other answers."""
    if type(answer) not in (int, float):
        return ""
    return f"{answer:.10g}" if isinstance(answer, float) or abs(answer) < 1e15 else f"{answer:.6g}"


def amount(points: float) -> str:
    """Points as a learner reads them: 1, 0.5, 0.67."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def points_text(points: float, lang: str) -> str:
    """The worth of a question: "1 point", "2 points"."""
    return say("quiz_point" if points == 1 else "quiz_points", lang, points=amount(points))


def score_text(verdict: Verdict, lang: str) -> str:
    """What an answer earned: "0.5 of 1 point"."""
    earned, out_of = amount(verdict.points), points_text(verdict.out_of, lang)
    return say("quiz_score", lang, points=earned, out_of=out_of)
