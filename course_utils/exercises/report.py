"""The report on an exercise: what passed, what is wrong and why, as text and as a panel."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from course_utils.quiz.markup import to_line
from course_utils.quiz.static import card_css
from course_utils.words import say

SHOWN_FAILURES = 3

STYLE = (
    ".cq.cq-check{padding:.8rem 1.25rem}.cq.cq-check .cq-head{color:inherit;font-size:1em;margin:0}"
    ".cq-check ul{margin:.5rem 0 0;padding:0;list-style:none}"
    ".cq-check li{margin:.45rem 0;padding-left:.7rem;border-left:2px solid var(--cq-line)}"
    ".cq-check li p{margin:.15rem 0 0}.cq-check .cq-soft{color:var(--cq-soft)}"
    ".cq-check .cq-slip{margin:.7rem 0 0;padding:.45rem .7rem;border-radius:4px;"
    "background:color-mix(in srgb,var(--cq-accent) 9%,transparent)}"
)
MARKS = {"right": "✓", "partly": "◐", "wrong": "✗", "open": "○"}


@dataclass(frozen=True)
class CaseResult:
    """One case: the call as text, what it tries, whether it passed, and what is wrong."""

    call: str
    note: str
    passed: bool
    complaints: list[str]


@dataclass(frozen=True)
class Report:
    """The verdict on one exercise. Its plain text is the score, its rich display a panel."""

    exercise: str
    lang: str
    score: float
    points: float
    cases: list[CaseResult]
    attempted: bool = True
    hint: str | None = None
    remarks: list[str] = field(default_factory=list)

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
        parts = [f'<p class="cq-head"><strong>{to_line(self.headline)}</strong></p>']
        items = "".join(_case_html(case) for case in self._shown())
        if items:
            parts.append(f"<ul>{items}</ul>")
        hidden = sum(not case.passed for case in self.cases) - len(self._shown())
        if hidden > 0:
            more = say("more_failures", self.lang, count=hidden)
            parts.append(f'<p class="cq-small">{more}</p>')
        if self.hint:
            label = say("hint", self.lang)
            parts.append(f'<p class="cq-slip"><b>{label}</b> {to_line(self.hint)}</p>')
        parts += [f'<p class="cq-warning">{escape(remark)}</p>' for remark in self.remarks]
        return (
            f'<style>{card_css()}{STYLE}</style><section class="cq cq-check" role="status" '
            f'lang="{self.lang}" data-state="{self.status}">{"".join(parts)}</section>'
        )

    def _shown(self) -> list[CaseResult]:
        return [case for case in self.cases if not case.passed][:SHOWN_FAILURES]


def _case_html(case: CaseResult) -> str:
    complaints = "".join(f"<p>{escape(line)}</p>" for line in case.complaints)
    return (
        f'<li><code>{escape(case.call)}</code> <span class="cq-soft">{to_line(case.note)}</span>'
        f"{complaints}</li>"
    )
