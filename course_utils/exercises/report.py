"""The report on an exercise: what passed, what is wrong and why, as text and as a panel."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from course_utils.exercises.compare import short
from course_utils.exercises.values import Built, decode
from course_utils.quiz.markup import to_line
from course_utils.quiz.static import card_css
from course_utils.quiz.view import LANG_TAGS, amount, points_text
from course_utils.words import say

SHOWN_FAILURES = 3

MARKS = {"right": "✓", "partly": "◐", "wrong": "✗", "open": "○"}


@cache
def check_css() -> str:
    """The style of what only these panels have, beside the card's."""
    return (
        files("course_utils.exercises").joinpath("check.css").read_text("utf-8").replace("\n", "")
    )


@dataclass(frozen=True)
class CaseResult:
    """One case of an exercise, as the kit has it: whether it passed, and what is wrong."""

    exercise: str
    case: dict[str, Any]
    passed: bool
    complaints: list[str]

    @property
    def note(self) -> str:
        """What the case tries."""
        return str(self.case["note"])

    @property
    def call(self) -> str:
        """The case as the call a learner could type, shortened."""
        arguments = [decode(argument) for argument in self.case["args"]]
        return f"{self.exercise}({', '.join(_argument(value) for value in arguments)})"


def _argument(value: Any) -> str:
    if isinstance(value, Built):
        return value.factory.rpartition(".")[2]
    return short(value)


@dataclass(frozen=True)
class Report:
    """The verdict on one exercise. Its plain text is the score, its rich display a panel.

    `hint` is what to say about the recognised mistake, and `mistake` its id. `progress` is the
    lesson's sum as HTML, where the learner should see it.
    """

    exercise: str
    lang: str
    score: float
    points: float
    cases: list[CaseResult]
    attempted: bool = True
    hint: str | None = None
    mistake: str | None = None
    remarks: list[str] = field(default_factory=list)
    progress: str = ""

    @property
    def status(self) -> str:
        """`open` (not attempted), `right`, `partly` (some cases pass) or `wrong`."""
        if not self.attempted:
            return "open"
        if self.score >= self.points:
            return "right"
        return "partly" if self.score > 0 else "wrong"

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        passed = sum(case.passed for case in self.cases)
        facts = {"name": self.exercise, "passed": passed, "total": len(self.cases)}
        return f"{MARKS[self.status]} {say(f'check_{self.status}', self.lang, **facts)}"

    def __repr__(self) -> str:
        return repr(float(self.score))

    def _repr_html_(self) -> str:
        return self.html()

    def text(self) -> str:
        """The whole report as lines of plain text."""
        lines = [self.headline]
        for case in self._shown():
            lines.append(f"  {case.call}  ({case.note})")
            lines += [f"    {complaint}" for complaint in case.complaints]
        if self.hint:
            lines.append(f"  {say('hint', self.lang)} {self.hint}")
        return "\n".join([*lines, *self.remarks])

    def html(self) -> str:
        """The report as a self-contained panel."""
        parts = [self._head(), self._marks()]
        items = "".join(_failure(case) for case in self._shown())
        if items:
            parts.append(f'<ul class="cq-failures">{items}</ul>')
        hidden = sum(not case.passed for case in self.cases) - len(self._shown())
        if hidden > 0:
            more = say("more_failures", self.lang, count=hidden)
            parts.append(f'<p class="cq-small">{more}</p>')
        if self.hint:
            label = say("hint", self.lang)
            parts.append(f'<p class="cq-slip"><b>{label}</b> {to_line(self.hint)}</p>')
        parts += [f'<p class="cq-warning">{escape(remark)}</p>' for remark in self.remarks]
        if self.progress:
            parts.append(f'<p class="cq-progress">{self.progress}</p>')
        return (
            f'<style>{card_css()}{check_css()}</style><section class="cq cq-check" role="status" '
            f'lang="{LANG_TAGS[self.lang]}" data-state="{self.status}">{"".join(parts)}</section>'
        )

    def _head(self) -> str:
        """The headline and, once there was an attempt, the points."""
        title = f'<strong class="cq-title">{to_line(self.headline)}</strong>'
        if not self.attempted:
            return f'<p class="cq-head">{title}</p>'
        worth = points_text(self.points, self.lang)
        score = say("quiz_score", self.lang, points=amount(self.score), out_of=worth)
        return f'<p class="cq-head">{title} <span class="cq-score">{score}</span></p>'

    def _marks(self) -> str:
        """What was tried: each case's note with its mark; nothing where no case was run."""
        if len(self.cases) < 2:
            return ""
        return f'<ul class="cq-cases">{"".join(_mark(case) for case in self.cases)}</ul>'

    def _shown(self) -> list[CaseResult]:
        return [case for case in self.cases if not case.passed][:SHOWN_FAILURES]


def _mark(case: CaseResult) -> str:
    mark = "right" if case.passed else "wrong"
    words = f"<b>{MARKS[mark]}</b> {to_line(case.note)}"
    return f'<li class="cq-case" data-mark="{mark}">{words}</li>'


def _failure(case: CaseResult) -> str:
    complaints = "".join(f"<p>{escape(line)}</p>" for line in case.complaints)
    return (
        f'<li><code>{escape(case.call)}</code> <span class="cq-soft">{to_line(case.note)}</span>'
        f"{complaints}</li>"
    )
