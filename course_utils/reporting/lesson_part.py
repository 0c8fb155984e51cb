"""One lesson's part of the report: scores, questions, exercises, who is missing or late."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from html import escape

from course_utils.quiz.markup import to_line
from course_utils.quiz.view import amount
from course_utils.reporting.analysis import (
    Drawn,
    ExerciseStats,
    LessonStats,
    MistakeStats,
    QuestionStats,
)
from course_utils.reporting.charts import bar, histogram_svg, percent, stacked
from course_utils.reporting.gather import STATUSES
from course_utils.reporting.measures import FEWEST
from course_utils.reporting.words import tell

WEAK, GOOD = 0.1, 0.3
SHORT_LIST = 12
Name = Callable[[str], str]


def lesson_section(stats: LessonStats, due: datetime | None, name_of: Name, lang: str) -> str:
    """The section of one lesson."""
    parts = [f'<h2 id="{escape(stats.name)}">{to_line(stats.title)}</h2>']
    if due is not None:
        time = f"{due:%Y-%m-%d %H:%M}"
        parts.append(f'<p class="soft">{escape(tell("due", lang, time=time))}</p>')
    parts += [f'<p class="note">{to_line(note)}</p>' for note in _notes(stats, lang)]
    if stats.graded:
        parts.append(histogram_svg(stats.bins, stats.mean, amount(stats.points), lang))
    if stats.handed_in:
        parts += [_questions(stats, lang), _exercises(stats, lang)]
    parts += _lists(stats, name_of, lang)
    return f"<section>{''.join(parts)}</section>"


def _notes(stats: LessonStats, lang: str) -> Iterator[str]:
    """What the reader must know before the numbers."""
    facts = {"lesson": stats.name, "total": stats.handed_in}
    if not stats.handed_in:
        yield tell("not_handed_in_yet", lang)
    elif not stats.graded:
        yield tell("not_graded_yet", lang, **facts)
    elif stats.ungraded:
        yield tell("some_ungraded", lang, count=len(stats.ungraded), **facts)
    if 0 < stats.graded < FEWEST:
        yield tell("few", lang)
    if stats.without_detail:
        yield tell("without_detail", lang, count=stats.without_detail, lesson=stats.name)


def _table(keys: Sequence[str], rows: str, lang: str) -> str:
    head = "".join(f'<th scope="col">{tell(key, lang)}</th>' for key in keys)
    table = f'<table class="items"><thead><tr>{head}</tr></thead>{rows}</table>'
    return f'<div class="wide" tabindex="0">{table}</div>'


def _questions(stats: LessonStats, lang: str) -> str:
    if not stats.questions:
        return ""
    rows = "".join(_question(stats.name, question, lang) for question in stats.questions)
    keys = ("question", "first_try", "last_try", "discrimination", "step")
    return f"<h3>{tell('questions', lang)}</h3>{_table(keys, rows, lang)}"


def _question(lesson: str, question: QuestionStats, lang: str) -> str:
    answered = tell(
        "answered" if question.answered else "not_answered", lang, count=question.answered
    )
    cells = [
        f"{bar(question.first)}",
        f"{bar(question.last)}",
        _discrimination(question.discrimination, lang),
        _minutes(question.minutes),
    ]
    name = (
        f'<th scope="row"><code>{escape(question.name)}</code> '
        f"<small>{escape(answered)}</small></th>"
    )
    text = f"<p>{to_line(question.text)}</p>"
    below = text + _lure(question, lang) + _choices(question, lang)
    return _item(f"{lesson}-quiz-{question.name}", name, cells, below)


def _item(anchor: str, name: str, cells: Sequence[str], below: str) -> str:
    columns = "".join(f"<td>{cell}</td>" for cell in cells)
    more = f'<tr class="below"><td colspan="{len(cells) + 1}">{below}</td></tr>' if below else ""
    return f'<tbody id="{escape(anchor)}"><tr>{name}{columns}</tr>{more}</tbody>'


def _discrimination(value: float | None, lang: str) -> str:
    if value is None:
        return '<span class="none">–</span>'
    number = f"{value:.2f}".replace("-", "−")
    if value >= GOOD:
        return f'<span class="chip good">{number}</span>'
    if value >= WEAK:
        return f'<span class="chip">{number}</span>'
    word = tell("backwards" if value < 0 else "weak", lang)
    return f'<span class="chip {"bad" if value < 0 else ""}">{number} {word}</span>'


def _minutes(value: float | None) -> str:
    if value is None:
        return '<span class="none">–</span>'
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _lure(question: QuestionStats, lang: str) -> str:
    lure = question.lure
    if lure is None:
        return ""
    key = "lure_number" if question.kind == "numeric" else "lure"
    words = tell(key, lang, text=lure.text, share=percent(lure.first))
    note = f" <small>{to_line(lure.note)}</small>" if lure.note else ""
    return f'<p class="lure">{to_line(words)}{note}</p>'


def _choices(question: QuestionStats, lang: str) -> str:
    """All choices with whom they drew, folded."""
    if not question.answered:
        return ""
    numeric = question.kind == "numeric"
    rows = "".join(_choice(one) for one in question.drawn)
    heads = ("choice", "first_share", "last_share")
    head = "".join(f'<th scope="col">{tell(key, lang)}</th>' for key in heads)
    title = tell("all_numbers" if numeric else "all_choices", lang)
    return (
        f'<details><summary>{title}</summary><table class="choices"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></details>"
    )


def _choice(one: Drawn) -> str:
    mark, kind = ("✓ ", "right") if one.right else ("", "wrong")
    return (
        f'<tr class="{kind}"><th scope="row">{mark}{to_line(one.text)}</th>'
        f"<td>{bar(one.first, kind)}</td><td>{bar(one.last, kind)}</td></tr>"
    )


def _exercises(stats: LessonStats, lang: str) -> str:
    if not stats.exercises or not stats.graded:
        return ""
    rows = "".join(_exercise(stats.name, exercise, lang) for exercise in stats.exercises)
    keys = ("exercise", "outcome", "discrimination", "step")
    return f"<h3>{tell('exercises', lang)}</h3>{_table(keys, rows, lang)}"


def _exercise(lesson: str, exercise: ExerciseStats, lang: str) -> str:
    labels = {status: tell(status, lang) for status in STATUSES}
    cells = [
        stacked(exercise.counts, labels),
        _discrimination(exercise.discrimination, lang),
        _minutes(exercise.minutes),
    ]
    name = f'<th scope="row"><code>{escape(exercise.name)}</code></th>'
    mistakes = "".join(_mistake(one, exercise.graded) for one in exercise.mistakes)
    below = f'<ul class="mistakes">{mistakes}</ul>' if mistakes else ""
    return _item(f"{lesson}-check-{exercise.name}", name, cells, below)


def _mistake(mistake: MistakeStats, graded: int) -> str:
    width = f"{100 * mistake.count / graded:.1f}"
    return (
        f'<li><span class="bar wrong"><i style="width:{width}%"></i></span>'
        f"<b>{mistake.count}</b><span>{to_line(mistake.hint)}</span></li>"
    )


def _lists(stats: LessonStats, name_of: Name, lang: str) -> Iterator[str]:
    """Who has not handed in, who was late, who is not graded yet."""
    late = [f"{name_of(student)} · {_long(by, lang)}" for student, by in stats.late]
    missing = sorted(map(name_of, stats.missing))
    ungraded = sorted(map(name_of, stats.ungraded)) if stats.graded else []
    for key, names in (("missing", missing), ("late", late), ("ungraded", ungraded)):
        if names:
            title = escape(tell(f"{key}_title", lang, count=len(names)))
            items = "".join(f"<li>{escape(name)}</li>" for name in names)
            is_open = " open" if len(names) <= SHORT_LIST else ""
            yield (
                f'<details class="who"{is_open}><summary>{title}</summary>'
                f'<ul class="names">{items}</ul></details>'
            )


def _long(late: timedelta, lang: str) -> str:
    """How late, in the two largest units."""
    minutes = int(late.total_seconds() // 60)
    if late == timedelta(0):
        return tell("late_lms", lang)
    if minutes >= 24 * 60:
        return tell("late_days", lang, days=minutes // 1440, hours=minutes % 1440 // 60)
    return tell("late_hours", lang, hours=minutes // 60, minutes=minutes % 60)
