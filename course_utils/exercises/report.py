"""The report on an exercise: what passed, what is wrong and why, as text and as a panel."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from course_utils.words import say

SHOWN_FAILURES = 3

STYLE = """<style>
.course-check{font:14px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);max-width:46rem;
color:var(--jp-ui-font-color1,#222);border:1px solid var(--jp-border-color2,#d5d5d5);
border-left:4px solid var(--course-tone);border-radius:6px;padding:.6rem .9rem;margin:.3rem 0}
.course-check p{margin:.25rem 0}.course-check .head{font-weight:600}
.course-check code{font:12.5px/1.5 var(--jp-code-font-family,monospace);
background:var(--jp-layout-color2,#f3f3f3);padding:.05rem .3rem;border-radius:3px;
overflow-wrap:anywhere}
.course-check ul{margin:.2rem 0 .2rem 1.1rem;padding:0}.course-check li{margin:.3rem 0}
.course-check .note{color:var(--jp-ui-font-color2,#555)}
.course-check .hint{background:var(--jp-layout-color2,#f3f3f3);border-radius:4px;
padding:.4rem .6rem;margin-top:.5rem}
</style>"""
TONES = {"right": "#2e7d32", "part": "#b26a00", "wrong": "#c62828", "open": "#757575"}
MARKS = {"right": "✓", "part": "◐", "wrong": "✗", "open": "○"}


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
        """`open` (not attempted), `right`, `part` (some cases pass) or `wrong`."""
        if not self.attempted:
            return "open"
        if self.score >= self.points:
            return "right"
        return "part" if self.score > 0 else "wrong"

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
        parts = [f'<p class="head">{escape(self.headline)}</p>']
        items = "".join(_case_html(case) for case in self._shown())
        if items:
            parts.append(f"<ul>{items}</ul>")
        hidden = sum(not case.passed for case in self.cases) - len(self._shown())
        if hidden > 0:
            more = say("more_failures", self.lang, count=hidden)
            parts.append(f'<p class="note">{escape(more)}</p>')
        if self.hint:
            parts.append(
                f'<p class="hint"><b>{escape(say("hint", self.lang))}</b> {escape(self.hint)}</p>'
            )
        parts += [f'<p class="note">{escape(remark)}</p>' for remark in self.remarks]
        tone = TONES[self.status]
        return (
            f'{STYLE}<div class="course-check" role="status" lang="{self.lang}" '
            f'style="--course-tone:{tone}">{"".join(parts)}</div>'
        )

    def _shown(self) -> list[CaseResult]:
        return [case for case in self.cases if not case.passed][:SHOWN_FAILURES]


def _case_html(case: CaseResult) -> str:
    complaints = "".join(f"<p>{escape(line)}</p>" for line in case.complaints)
    return (
        f'<li><code>{escape(case.call)}</code> <span class="note">{escape(case.note)}</span>'
        f"{complaints}</li>"
    )
