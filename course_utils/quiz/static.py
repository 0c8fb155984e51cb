"""Questions and progress as HTML that needs no kernel and no network: saved notebooks, feedback."""

from __future__ import annotations

import html
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from course_utils.kit import Kit, answers_path
from course_utils.quiz.answers import read_answers
from course_utils.quiz.progress import Progress, progress_of
from course_utils.quiz.scoring import Verdict
from course_utils.quiz.view import LANG_TAGS, Question, View, amount, view_of
from course_utils.words import say


@cache
def card_css() -> str:
    """The style shared by static questions, the live panel and the progress table."""
    return files("course_utils.quiz").joinpath("card.css").read_text("utf-8").replace("\n", "")


def question_html(
    question: Question,
    lang: str,
    answer: Any = None,
    verdict: Verdict | None = None,
    reveal: bool = False,
    *,
    how: str = "",
    tex: bool = False,
    style: str = "",
) -> str:
    """A question as self-contained HTML, with the learner's answer where there is one.

    Choices stand in the order given (see `order.shown_to`); `verdict` None means saved, unjudged;
    `reveal` tells the key and every explanation; `how` says how to answer by text; `tex` leaves
    formulas to a page that typesets dollar signs; `style` is more CSS.
    """
    view = view_of(question, lang, answer, verdict, reveal=reveal, tex=tex)
    body = [_head(view), f'<div class="cq-text">{view["text"]}</div>', _choices(view)]
    body += [_given(view, lang), _note(view), _how(how, lang)]
    return _card("".join(body), view["lang"], view["state"], style)


def _card(body: str, lang: str, state: str, style: str = "") -> str:
    return (
        f'<div class="cq cq-static" lang="{lang}" data-state="{state}">'
        f"<style>{card_css()}{style}</style>{body}</div>"
    )


def _head(view: View) -> str:
    about = f'<strong class="cq-kind">{view["head"]}</strong> · {view["ask"]} · {view["worth"]}'
    score = f' <span class="cq-score">{view["score"]}</span>' if view["score"] else ""
    badge = (
        f'<strong class="cq-badge">&ensp;{view["badge"]}{score}</strong>' if view["badge"] else ""
    )
    return f'<p class="cq-head"><span>{about}</span>{badge}</p>'


def _choices(view: View) -> str:
    if not view["choices"]:
        return ""
    items = "".join(_choice(choice) for choice in view["choices"])
    return f'<ul class="cq-choices" style="list-style-type: none">{items}</ul>'


def _choice(choice: View) -> str:
    picked = " data-picked" if choice["picked"] else ""
    said = f' <strong class="cq-said">{choice["said"]}</strong>' if choice["said"] else ""
    why = f'<div class="cq-why">{choice["why"]}</div>' if choice["why"] else ""
    letter = f'<strong class="cq-letter">{choice["letter"]}&ensp;</strong>'
    words = f'<span class="cq-words">{choice["html"]}</span>'
    mark = f'data-mark="{choice["mark"]}"{picked}'
    return f'<li class="cq-choice" {mark}>{letter}{words}{said}{why}</li>'


def _given(view: View, lang: str) -> str:
    if not view["given"]:
        return ""
    label = say("quiz_your_answer", lang)
    return f'<p>{label} <strong class="cq-given">{view["given"]}</strong></p>'


def _note(view: View) -> str:
    return f'<div class="cq-verdict">{view["note"]}</div>' if view["note"] else ""


def _how(how: str, lang: str) -> str:
    if not how:
        return ""
    return f'<p class="cq-small">{say("quiz_how", lang)} <code>{html.escape(how)}</code></p>'


# Progress


class ProgressPanel:
    """One row per lesson: points so far and what is open; as a table, or as plain lines."""

    def __init__(self, lessons: list[Progress]) -> None:
        self.lessons = lessons

    def __repr__(self) -> str:
        return "\n".join(f"{one.title}: {progress_text(one)}" for one in self.lessons) or say(
            "progress_none", "en"
        )

    def _repr_html_(self) -> str:
        if not self.lessons:
            return html.escape(repr(self))
        lang = self.lessons[0].lang
        columns = ("lesson", "points", "questions", "exercises")
        head = "".join(f'<th scope="col">{say("progress_" + name, lang)}</th>' for name in columns)
        rows = "".join(_row(one) for one in self.lessons)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return _card(table, LANG_TAGS.get(lang, lang), "open")


def progress_panel(kits: list[Kit], folder: Path) -> ProgressPanel:
    """How far the learner has come in each of `kits`, by the answers files of `folder`."""
    return ProgressPanel(
        [
            progress_of(kit, read_answers(answers_path(kit["lesson"], folder), kit["lesson"]))
            for kit in kits
        ]
    )


def progress_text(one: Progress) -> str:
    """A lesson's sum in one line: points where they can be known here, else what was done."""
    parts = [_points_text(one), _open_text(one)] if one.scored else _done_texts(one)
    return say("progress_join", one.lang).join(parts)


def _points_text(one: Progress) -> str:
    points, out_of = amount(one.points), amount(one.out_of)
    return say("progress_so_far", one.lang, points=points, out_of=out_of)


def _open_text(one: Progress) -> str:
    """What is still open: "3 questions and 1 exercise open"."""
    left = {"question": one.open, "exercise": one.exercises - one.solved}
    named = [
        say(f"progress_open_{kind}{'s' * (count != 1)}", one.lang, count=count)
        for kind, count in left.items()
        if count
    ]
    if not named:
        return say("progress_all", one.lang)
    return say("progress_open", one.lang, what=say("progress_and", one.lang).join(named))


def _done_texts(one: Progress) -> list[str]:
    answered = {"count": one.answered, "questions": one.questions}
    solved = {"count": one.solved, "exercises": one.exercises}
    texts = [say("progress_answered", one.lang, **answered)] if one.questions else []
    return texts + ([say("progress_solved", one.lang, **solved)] if one.exercises else [])


def progress_html(one: Progress) -> str:
    """A lesson's sum as a small bar and a line."""
    return f"{_bar(one)}{html.escape(progress_text(one))}"


def _bar(one: Progress) -> str:
    width = f"width: {one.share:.0%}"
    return f'<span class="cq-bar"><span class="cq-fill" style="{width}"></span></span>'


def _row(one: Progress) -> str:
    points = f"{amount(one.points)} / {amount(one.out_of)}"
    cells = [
        f"{_bar(one)}{points}",
        f"{one.answered} / {one.questions}",
        f"{one.solved} / {one.exercises}",
    ]
    name = f'<th scope="row">{html.escape(one.title)}</th>'
    return f"<tr>{name}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
