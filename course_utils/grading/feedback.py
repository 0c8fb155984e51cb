"""The page that a learner gets back: questions, exercises, what failed and why.

It is one HTML file without scripts, fonts or anything else from the network. Whatever a learner
wrote is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import nbformat
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course_utils.grading.graft import Part, parts_of
from course_utils.quiz.markup import to_html, to_line
from course_utils.quiz.view import LANG_TAGS, amount
from course_utils.words import say

HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$", re.MULTILINE)
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
CODE = HtmlFormatter(nowrap=True)
LEXER = PythonLexer()
NO_RESPONSE = "No response."  # nbgrader's remark on an untouched cell; the verdict says it too


@dataclass(frozen=True)
class Marks:
    """What stands in a gradebook about one submission.

    Attributes:
        student: whose it is.
        scores: by grade id, a person's score before the judge's.
        comments: by grade id of the exercise cell, where there is one.
        max_score: what could be earned.
        late_penalty: taken off for handing in late.
    """

    student: str
    scores: Mapping[str, float]
    max_score: float
    comments: Mapping[str, str] = field(default_factory=dict)
    late_penalty: float = 0.0


def page_of(notebook: str, marks: Marks) -> str:
    """The feedback page of a graded notebook (as JSON) with these marks."""
    shown = nbformat.v4.reads(notebook)
    for cell in shown.cells:
        about = cell.metadata.get("nbgrader", {})
        name = about.get("grade_id")
        if name in marks.scores:
            about["score"] = marks.scores[name]
        if name in marks.comments:
            about["comment"] = marks.comments[name]
    score = sum(marks.scores.values()) - marks.late_penalty
    about = {"student": marks.student, "score": score, "max_score": marks.max_score}
    return feedback_page(shown, about | {"late_penalty": marks.late_penalty})


def feedback_page(notebook: nbformat.NotebookNode, about: dict[str, Any]) -> str:
    """The feedback page of a graded notebook.

    Args:
        notebook: as `grade.shown_notebook` makes it; its graded cells carry `score` and `points`
            in their nbgrader metadata, its exercise cells `comment` where a person wrote one.
        about: `student`, `score`, `max_score`, `late_penalty`, as nbgrader's GetGrades gives them.
    """
    course = notebook.metadata.get("course", {})
    lang = course.get("lang", "en")
    parts = parts_of(notebook)
    title = next(_headings(parts), ("", course.get("lesson", "")))[1]
    head = [
        f"<h1>{to_line(title)}</h1>",
        _sum(about, lang),
        _remarks(course.get("remarks", []), lang),
        _table(parts, lang),
    ]
    return _frame("".join([*head, *_sections(parts, lang)]), title, lang)


def _frame(body: str, title: str, lang: str) -> str:
    styles = "".join(dict.fromkeys(STYLE.findall(body)))
    body = STYLE.sub("", body)
    return (
        f'<!DOCTYPE html>\n<html lang="{LANG_TAGS.get(lang, lang)}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">\n"
        f"<title>{escape(title)}</title>\n<style>{_css()}{styles}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


@cache
def _css() -> str:
    own = files("course_utils.grading").joinpath("feedback.css").read_text("utf-8")
    return own + str(HtmlFormatter(style="default").get_style_defs(".code"))


def _headings(parts: Iterable[Part]) -> Iterator[tuple[str, str]]:
    """The instructor's headings: their marks and texts."""
    for part in parts:
        if part.role == "prose" and "by" not in part.cell.metadata.get("course", {}):
            yield from HEADING.findall(part.cell.source)


def _sum(about: dict[str, Any], lang: str) -> str:
    """The one line that a learner looks for first."""
    score, points = float(about.get("score", 0)), float(about.get("max_score", 0))
    line = say("feedback_total", lang, score=amount(score), points=amount(points))
    share = 0 if points <= 0 else max(0, min(100, round(100 * score / points)))
    who = escape(str(about.get("student", "")))
    late = float(about.get("late_penalty", 0) or 0)
    lines = [f'<p class="total"><strong>{escape(line)}</strong><span>{who}</span></p>']
    lines.append(f'<div class="bar"><span style="width:{share}%"></span></div>')
    if late > 0:
        lines.append(f'<p class="note">{escape(say("feedback_late", lang, off=amount(late)))}</p>')
    return "".join(lines)


def _remarks(remarks: list[str], lang: str) -> str:
    if not remarks:
        return ""
    items = "".join(f"<li>{escape(str(remark))}</li>" for remark in remarks)
    title = escape(say("feedback_remarks", lang))
    return f'<section class="remarks"><h2>{title}</h2><ul>{items}</ul></section>'


def _table(parts: list[Part], lang: str) -> str:
    """One row per graded cell: what it is, points, a mark."""
    rows = []
    for part in parts:
        marks = part.cell.metadata.get("nbgrader", {})
        if not marks.get("grade"):
            continue
        score, points = float(marks.get("score") or 0), float(marks.get("points") or 0)
        status = "right" if score >= points else "part" if score > 0 else "wrong"
        kind = say("feedback_question" if part.role == "quiz" else "feedback_exercise", lang)
        rows.append(
            f'<tr class="{status}"><td>{escape(kind)}</td>'
            f'<td><a href="#{escape(part.grade_id)}"><code>{escape(part.name)}</code></a></td>'
            f'<td class="number">{amount(score)} / {amount(points)}</td></tr>'
        )
    return f'<table class="points"><tbody>{"".join(rows)}</tbody></table>' if rows else ""


def _sections(parts: list[Part], lang: str) -> Iterator[str]:
    """What the page shows of each cell, under the headings that it stands under."""
    above: dict[int, str] = {}
    for part in parts:
        shown = _section(part, lang)
        if shown:
            yield from (f"<h{level}>{to_line(text)}</h{level}>" for level, text in above.items())
            yield shown
            above = {}
        for marks, text in _headings([part]):
            level = len(marks)
            above = {other: kept for other, kept in above.items() if other < level}
            if level in (2, 3):
                above[level] = text


def _section(part: Part, lang: str) -> str:
    """What the page shows of one cell; empty for what only demonstrates or explains."""
    if part.cell.metadata.get("course", {}).get("by") == "learner":
        return _learners_cell(part, lang)
    if part.role == "exercise":
        label = say("feedback_your_code", lang, name=part.name)
        comment = _comment(part, lang)
        return f'<p class="label">{escape(label)}</p>{_code(part)}{_printed(part)}{comment}'
    if part.role in ("check", "quiz", "locked"):
        return f'<div class="verdict" id="{escape(part.grade_id)}">{_verdict(part)}</div>'
    return ""


def _learners_cell(part: Part, lang: str) -> str:
    label = f'<p class="label">{escape(say("feedback_own_cell", lang))}</p>'
    if part.cell.cell_type == "code":
        return f"{label}{_code(part)}{_printed(part)}"
    text = part.cell.metadata["course"].get("text", part.cell.source)
    return f'{label}<div class="own">{to_html(str(text))}</div>'


def _code(part: Part) -> str:
    return f'<pre class="code" tabindex="0">{highlight(part.cell.source, LEXER, CODE)}</pre>'


def _printed(part: Part) -> str:
    """What the cell printed, and why it stopped."""
    outputs = [out for out in part.cell.get("outputs", []) if out.output_type == "stream"]
    return "".join(
        f'<pre class="printed {escape(out.name)}" tabindex="0">{escape(str(out.text))}</pre>'
        for out in outputs
    )


def _comment(part: Part, lang: str) -> str:
    comment = part.cell.metadata.get("nbgrader", {}).get("comment")
    if not comment or comment == NO_RESPONSE:
        return ""
    title = escape(say("feedback_comment", lang))
    return f'<div class="comment"><b>{title}</b>{to_html(str(comment))}</div>'


def _verdict(part: Part) -> str:
    """The panel that the judge made; it is the one output that is HTML."""
    for output in part.cell.get("outputs", []):
        panel = output.get("data", {}).get("text/html")
        if panel:
            return str(panel)
    return ""
