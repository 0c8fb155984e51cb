"""The report as one HTML page: no script, nothing from the network, every outside text escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from html import escape
from importlib.resources import files

from course_utils.quiz.markup import to_line
from course_utils.quiz.view import LANG_TAGS, amount
from course_utils.reporting.analysis import LessonStats, analyse
from course_utils.reporting.charts import bar, percent, sparkline
from course_utils.reporting.findings import Finding, findings
from course_utils.reporting.gather import Class, Work
from course_utils.reporting.lesson_part import lesson_section
from course_utils.reporting.measures import FEWEST
from course_utils.reporting.names import shown_names
from course_utils.reporting.words import tell

OPEN_TABLE = 60
LEGEND = ("scores", "first", "discrimination", "mistakes", "time")


@dataclass(frozen=True)
class Report:
    """A class, its numbers, and how to show them."""

    group: Class
    lessons: Sequence[LessonStats]
    hidden: bool
    name_of: Callable[[str], str]
    now: datetime

    @property
    def lang(self) -> str:
        """The class's language."""
        return self.group.lang


def report_page(group: Class, hide_names: bool, now: datetime) -> str:
    """The page of a class; `now` (UTC) is when it was made."""
    lessons = [analyse(lesson, group.students) for lesson in group.lessons]
    report = Report(group, lessons, hide_names, shown_names(group, hide_names), now)
    return _frame(tell("title", group.lang, name=group.name), "".join(_parts(report)), group.lang)


def _parts(report: Report) -> Iterator[str]:
    lang = report.lang
    yield _head(report)
    if not report.lessons:
        yield _note(tell("no_lessons", lang))
        return
    if not report.group.students:
        yield _note(tell("nobody", lang))
        return
    yield f"<h2>{tell('glance', lang)}</h2>{_overview(report)}{_to_look_at(report)}"
    for stats, lesson in zip(report.lessons, report.group.lessons, strict=True):
        yield lesson_section(stats, lesson.due, report.name_of, lang)
    yield _learners(report)
    yield _legend(lang)


def _note(text: str) -> str:
    return f'<p class="note">{to_line(text)}</p>'


def _head(report: Report) -> str:
    lang, count = report.lang, len(report.group.students)
    facts = [
        tell("learners_one" if count == 1 else "learners_many", lang, count=count),
        tell("made", lang, time=f"{report.now:%Y-%m-%d %H:%M}"),
    ]
    if report.hidden:
        facts.append(tell("names_hidden", lang))
    title = tell("title", lang, name=report.group.name)
    return f'<h1>{escape(title)}</h1><p class="soft">{" · ".join(map(escape, facts))}</p>'


def _overview(report: Report) -> str:
    """One row a lesson."""
    lang = report.lang
    keys = ("lesson", "handed_in", "late", "scores", "mean", "median", "time")
    head = "".join(f'<th scope="col">{tell(key, lang)}</th>' for key in keys)
    rows = "".join(_overview_row(stats, lang) for stats in report.lessons)
    return (
        f'<div class="wide" tabindex="0"><table class="overview"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _overview_row(stats: LessonStats, lang: str) -> str:
    handed = stats.handed_in / stats.learners if stats.learners else None
    minutes = "–"
    if stats.minutes is not None:
        minutes = tell("minutes", lang, count=f"{stats.minutes:.0f}")
    label = tell("distribution_alt", lang, counts=", ".join(map(str, stats.bins)))
    picture = sparkline(stats.bins, label) if stats.graded else "–"
    cells = [
        f"{bar(handed)}<small>{stats.handed_in} / {stats.learners}</small>",
        str(len(stats.late) or "–"),
        picture,
        percent(stats.mean),
        percent(stats.median),
        minutes,
    ]
    title = f'<th scope="row"><a href="#{escape(stats.name)}">{to_line(stats.title)}</a></th>'
    return f"<tr>{title}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _to_look_at(report: Report) -> str:
    title = f"<h2>{tell('look', report.lang)}</h2>"
    found = findings(report.lessons)
    if not found and max(stats.graded for stats in report.lessons) < FEWEST:
        return ""
    if not found:
        return title + _note(tell("look_nothing", report.lang))
    titles = {stats.name: stats.title for stats in report.lessons}
    items = "".join(_finding(finding, titles, report.lang) for finding in found)
    return f'{title}<ol class="findings">{items}</ol>'


def _finding(finding: Finding, titles: dict[str, str], lang: str) -> str:
    shown = {key: _value(key, value) for key, value in finding.values.items()}
    anchor, what, where = finding.lesson, to_line(titles[finding.lesson]), ""
    if finding.item:
        anchor, where = f"{finding.lesson}-{finding.item}", f" <small>{what}</small>"
        what = f"<code>{escape(finding.item.partition('-')[2])}</code>"
    link = f'<a href="#{escape(anchor)}">{what}</a>{where}'
    return f"<li>{link}<span>{to_line(tell(finding.key, lang, **shown))}</span></li>"


def _value(key: str, value: object) -> str:
    if key == "value":
        return f"{value:.2f}".replace("-", "−")
    if key == "text":
        return str(value).rstrip(".。")  # it stands within a sentence
    return percent(value) if isinstance(value, float) else str(value)


def _learners(report: Report) -> str:
    """Everybody's points, lesson by lesson."""
    lang, count = report.lang, len(report.group.students)
    works = [{work.student: work for work in lesson.works} for lesson in report.group.lessons]
    numbers = [stats.title.partition(".")[0] for stats in report.lessons]
    columns = [
        f'<th scope="col"><abbr title="{escape(stats.title)}">{escape(number)}</abbr>'
        f"<small>/ {amount(stats.points)}</small></th>"
        for number, stats in zip(numbers, report.lessons, strict=True)
    ]
    head = f'<th scope="col">{tell("name", lang)}</th>{"".join(columns)}'
    names = sorted((report.name_of(s.id), s.id) for s in report.group.students)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(
            _points(work.get(student), stats.points, lang)
            for work, stats in zip(works, report.lessons, strict=True)
        )
        + f"<td><b>{_total(student, works)}</b></td></tr>"
        for name, student in names
    )
    is_open = " open" if count <= OPEN_TABLE else ""
    return (
        f"<h2>{tell('table', lang)}</h2><details{is_open}><summary>"
        f"{escape(tell('table_show', lang, count=count))}</summary><div class='wide' tabindex='0'>"
        f'<table class="learners"><thead><tr>{head}<th scope="col">{tell("total", lang)}</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div></details>"
    )


def _points(work: Work | None, points: float, lang: str) -> str:
    """A cell, the darker the better."""
    if work is None:
        return f'<td class="missing" title="{tell("cell_missing", lang)}">–</td>'
    late = "" if work.late is None else f" <em>{tell('cell_late', lang)}</em>"
    if not work.graded:
        return f'<td title="{tell("cell_ungraded", lang)}">…{late}</td>'
    tint = round(100 * min(1.0, work.score / points)) if points else 0
    return f'<td class="points" style="--tint:{tint}%">{amount(work.score)}{late}</td>'


def _total(student: str, works: Sequence[dict[str, Work]]) -> str:
    return amount(sum(work[student].score for work in works if student in work))


def _legend(lang: str) -> str:
    items = "".join(f"<li>{to_line(tell(f'legend_{key}', lang))}</li>" for key in LEGEND)
    return f'<h2>{tell("legend", lang)}</h2><ul class="legend">{items}</ul>'


def _frame(title: str, body: str, lang: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="{LANG_TAGS.get(lang, lang)}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{_css()}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


@cache
def _css() -> str:
    return files("course_utils.reporting").joinpath("report.css").read_text("utf-8")
