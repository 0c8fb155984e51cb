"""What a question shows, as plain data: the one source of the live panel and the static page."""

from __future__ import annotations

from dataclasses import dataclass
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
    return _Viewer(question, lang, answer, verdict, reveal, tex).view()


@dataclass(frozen=True)
class _Viewer:
    """One question, the answer to it, and how much of the key may be told."""

    question: Question
    lang: str
    answer: Any
    verdict: Verdict | None
    reveal: bool
    tex: bool

    @property
    def state(self) -> str:
        if self.verdict is None:
            return "open" if self.answer is None else "saved"
        if not self.verdict.valid:
            return "fault"
        if self.verdict.right:
            return "right"
        return "partly" if self.verdict.points > 0 else "wrong"

    @property
    def judged(self) -> bool:
        return self.verdict is not None and self.verdict.valid

    def view(self) -> View:
        state, kind, lang = self.state, self.question["kind"], self.lang
        badge = "" if state == "open" else f"{SIGNS[state]} {say(f'quiz_{state}', lang)}"
        return {
            "lang": LANG_TAGS.get(lang, lang),
            "kind": kind,
            "state": state,
            "head": say("quiz_head", lang),
            "ask": say(f"quiz_ask_{kind}", lang),
            "worth": points_text(self.question["points"], lang),
            "badge": badge,
            "text": to_html(self.question["text"], tex=self.tex),
            "choices": self.choices(),
            "given": given_text(self.answer) if kind == "numeric" else "",
            "score": score_text(self.verdict, lang) if self.verdict else "",
            "note": self.note(),
        }

    def choices(self) -> list[View]:
        choices = self.question.get("choices", ())
        return [self.choice(*pair) for pair in zip(LETTERS, choices, strict=False)]

    def choice(self, letter: str, choice: dict[str, Any]) -> View:
        picked = choice["id"] in picks_of(self.answer)
        told = "why" in choice and (self.reveal or (self.judged and picked))
        mark = ("right" if choice["right"] else "wrong") if told else ""
        return {
            "id": choice["id"],
            "letter": letter.upper(),
            "html": to_line(choice["text"], tex=self.tex),
            "picked": picked,
            "mark": mark,
            "said": self.said(mark, picked),
            "why": to_html(choice["why"], tex=self.tex) if told else "",
        }

    def said(self, mark: str, picked: bool) -> str:
        """What stands beside a choice: whose pick it is, and whether it is right, in words."""
        word = f"{SIGNS[mark]} {say(f'quiz_choice_{mark}', self.lang)}" if mark else ""
        return f"{say('quiz_your_answer', self.lang)} {word}".strip() if picked else word

    def note(self) -> str:
        """The words under a verdict: why, a hint, what is missing, or why it was not judged."""
        if self.question["kind"] == "numeric":
            return self.fault() + self.note_on_number()
        if self.question["kind"] == "multiple" and self.judged:
            return self.note_on_picks()
        return self.fault()

    def fault(self) -> str:
        if self.verdict is None or self.verdict.reason in ("", "not_answered"):
            return ""
        return to_html(say(f"reason_{self.verdict.reason}", self.lang))

    def note_on_number(self) -> str:
        told = word_on_number(self.question, self.answer) if self.judged else ""
        note = to_html(told, tex=self.tex)
        if self.reveal and has_key(self.question) and self.state != "right":
            key = given_text(self.question["answer"])
            note += to_html(say("quiz_key_number", self.lang, answer=key))
            note += to_html(self.question["why"], tex=self.tex)
        return note

    def note_on_picks(self) -> str:
        """A word on picks that are neither all right nor all wrong."""
        right = {choice["id"] for choice in self.question["choices"] if choice["right"]}
        picks = set(picks_of(self.answer))
        if not right & picks or right == picks:
            return ""
        return to_html(say("quiz_mixed" if picks - right else "quiz_missing", self.lang))


def picks_of(answer: Any) -> list[str]:
    """The ids that an answer picks, whatever it is."""
    if isinstance(answer, str):
        return [answer]
    return [pick for pick in answer if isinstance(pick, str)] if isinstance(answer, list) else []


def given_text(answer: Any) -> str:
    """A number as it is shown: 15 and 2.5, without float's noise; nothing for other answers."""
    if type(answer) not in (int, float):
        return ""
    return str(answer) if isinstance(answer, int) and abs(answer) < 10**15 else f"{answer:.12g}"


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
