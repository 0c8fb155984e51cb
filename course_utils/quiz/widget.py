"""`quiz("id")`: a question that a learner answers in the notebook, by mouse, keyboard or text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from course_utils.kit import Kit
from course_utils.quiz.markup import to_plain, without_tags
from course_utils.quiz.session import Session
from course_utils.quiz.static import progress_html, question_html
from course_utils.quiz.view import View, given_text, picks_of, view_of
from course_utils.words import say

if TYPE_CHECKING:
    from course_utils.quiz.panel import QuestionPanel

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# A live panel hides its static copy beside it; a dead one (reopened without a kernel) is hidden.
STATIC_CSS = (
    ".jp-OutputArea-child:has(.cq-static):has(+.jp-OutputArea-child .cq-panel),"
    ".jp-OutputArea-child:has(.cq-static)+.jp-OutputArea-child:not(:has(.cq-panel))"
    ":has(>.jp-OutputArea-output:not([data-mime-type]))"
    "{display:none}"
)
# JupyterLab writes a bare error where any other widget has lost its kernel: say what helps.
LOST_WIDGET_CSS = (
    ".jp-OutputArea-output.jupyter-widgets:not(:has(*)){{font-size:0}}"
    '.jp-OutputArea-output.jupyter-widgets:not(:has(*))::after{{content:"{words}";'
    "color:var(--jp-content-font-color2);font-size:var(--jp-content-font-size1)}}"
)

_EXAMPLES = {"single": '"b"', "multiple": '["a", "c"]', "numeric": "2.5"}

_SHOWN: WeakSet[Quiz] = WeakSet()


class QuestionNotFoundError(LookupError):
    """There is no such question; a notebook shows it as one line, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def open_question(kit: Kit, question_id: str, folder: Path) -> Quiz:
    """The question of `kit` with this id, its answers kept beside the notebooks of `folder`.

    Raises:
        QuestionNotFoundError: naming the ids there are.
    """
    if not isinstance(question_id, str) or question_id not in kit["questions"]:
        known = ", ".join(kit["questions"])
        raise QuestionNotFoundError(
            say("quiz_unknown", kit["lang"], name=repr(question_id), known=known)
        )
    return Quiz(Session(kit, question_id, folder))


class Quiz:
    """One question on the learner's screen.

    `quiz("id")` as a cell's last line shows the panel; `quiz("id").answer("b")` answers by text.
    A cell's output holds two things: a static copy, which a saved notebook still shows without a
    kernel, and the live panel, which hides that copy as long as it lives. The copy is kept up to
    date by its display id, and after a reload of the page, which forgets that id, by the panel.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._panel: QuestionPanel | None = None
        self._static: Any = None

    def answer(self, given: Any) -> Quiz:
        """Answer by text: a letter or a choice's id, a list of them, or a number.

        An answer that cannot be read is met with a word, never with an exception.
        """
        self._session.answer(given)
        self._show()
        return self

    @property
    def shortcoming(self) -> str:
        """What keeps the question from full points as far as can be told here; "" for nothing."""
        session = self._session
        if session.stored is None:
            return say("quiz_unanswered", session.lang)
        verdict = session.verdict
        if verdict is None or verdict.right:
            return ""
        view = self._stored_view()
        return f"{view['badge']} · {view['score']}"

    # What is shown

    def _ipython_display_(self) -> None:
        """Show the static copy and, under it, the live panel that takes its place."""
        from IPython import get_ipython
        from IPython.display import display

        if not hasattr(get_ipython(), "kernel"):
            print(self)
            return
        name = f"quiz-{self._session.kit['lesson']}-{self._session.id}"
        panel = self.panel
        self._static = display(self._still(), raw=True, display_id=name)
        if panel is not None:
            display(_live(panel), raw=True)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """All forms at once, for a front end that picks one."""
        return self._still() | (_live(self.panel) | self._still() if self.panel else {})

    def _still(self) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def _repr_html_(self) -> str:
        """The question as it stands, readable without a kernel."""
        session = self._session
        html = question_html(
            session.question,
            session.lang,
            session.stored,
            session.verdict,
            reveal=session.reveal,
            how=self._how() if session.stored is None else "",
            tex=True,
            style=STATIC_CSS + LOST_WIDGET_CSS.format(words=say("widget_lost", session.lang)),
        )
        return html.replace("cq-static", f"cq-static {self._css_name()}", 1)

    def __repr__(self) -> str:
        """The question, its choices and the answer so far as plain text."""
        session = self._session
        view = self._stored_view()
        lines = [f"{view['head']} · {view['ask']} · {view['worth']}"]
        lines.append(to_plain(session.question["text"]))
        for shown, choice in zip(view["choices"], session.question.get("choices", ()), strict=True):
            text = f"  {shown['letter']}  {to_plain(choice['text'])}"
            lines += [f"{text}  ({shown['said']})" if shown["said"] else text]
            lines += [f"     {to_plain(choice['why'])}"] if shown["why"] else []
        lines += [f"{say('quiz_your_answer', session.lang)} {view['given']}"] * bool(view["given"])
        lines.append(" · ".join(part for part in (view["badge"], view["score"]) if part))
        lines.append(without_tags(view["note"]))
        lines += [*session.notes, session.fault]
        if session.stored is None:
            lines.append(say("quiz_answer_with", session.lang, how=self._how()))
        return "\n".join(line for line in lines if line)

    def _stored_view(self) -> View:
        session = self._session
        return view_of(
            session.question, session.lang, session.stored, session.verdict, reveal=session.reveal
        )

    def _how(self) -> str:
        session = self._session
        return f'quiz("{session.id}").answer({_EXAMPLES[session.question["kind"]]})'

    def _css_name(self) -> str:
        return f"cq-{self._session.kit['lesson']}-{self._session.id}"

    # The live panel

    @property
    def panel(self) -> QuestionPanel | None:
        """The live panel, made at its first use; None where its library is missing."""
        if self._panel is None:
            try:
                from course_utils.quiz.panel import QuestionPanel
            except ImportError:
                return None
            self._panel = QuestionPanel()
            self._panel.on_msg(self._hear)
            _SHOWN.add(self)
            self._show()
        return self._panel

    def _hear(self, _panel: Any, message: Any, _buffers: Any = None) -> None:
        """Do what the learner asked for in the panel."""
        asked = message.get("do") if isinstance(message, dict) else None
        if asked == "submit":
            self._session.submit(message.get("answer"))
        elif asked == "again":
            self._session.try_again()
        elif asked == "explain":
            self._session.explain()
        self._show()

    def _show(self) -> None:
        """Bring the panel, its static copy and the other panels' progress up to date.

        The copy first: who sees the verdict and saves at once saves it too.
        """
        if self._static is not None:
            still = self._still()
            self._static.update(still, raw=True)
            if self._panel is not None:
                self._panel.send({"still": still})
        if self._panel is not None:
            self._show_live(self._panel)

    def _show_live(self, panel: QuestionPanel) -> None:
        session = self._session
        progress = progress_html(session.progress())
        with panel.hold_sync():
            if session.phase == "done":
                panel.picks = picks_of(session.stored)
                panel.typed = given_text(session.stored)
            panel.progress = progress
            panel.view = live_view(session) | {
                "name": self._css_name(),
                "serial": panel.view.get("serial", 0) + 1,
            }
        for other in _SHOWN:
            if other._panel is not None and other._session.path == session.path:
                other._panel.progress = progress


def _live(panel: QuestionPanel) -> dict[str, Any]:
    """The panel's mime bundle; its plain text is empty, for the static copy says it all."""
    view = {"version_major": 2, "version_minor": 0, "model_id": panel.model_id}
    return {WIDGET_VIEW: view, "text/plain": ""}


def live_view(session: Session) -> View:
    """What the panel draws: the question as it stands, and what can be done now."""
    done = session.phase == "done"
    view = view_of(
        session.question,
        session.lang,
        session.stored if done else None,
        session.verdict if done else None,
        reveal=session.reveal,
    )
    if view["state"] == "saved":
        key = "quiz_final_note" if session.attempts_left == 0 else "quiz_saved_note"
        view["note"] = f"<p>{say(key, session.lang)}</p>"
    names = ("submit", "pick_first", "type_first", "number", "waiting")
    return view | {
        "phase": session.phase,
        "warnings": [*session.notes, *([session.fault] if session.fault else [])],
        "left": _left_text(session),
        "again": _again_text(session),
        "explain": _explain_text(session),
        "words": {name: say(f"quiz_{name}", session.lang) for name in names},
    }


def _left_text(session: Session) -> str:
    """How many attempts the class still allows, where it counts them."""
    left = session.attempts_left
    if left is None:
        return ""
    key = "quiz_attempt_left" if left == 1 else "quiz_attempts_left"
    return say(key if left else "quiz_no_attempts", session.lang, count=left)


def _again_text(session: Session) -> str:
    if session.phase != "done" or session.attempts_left == 0:
        return ""
    return say("quiz_again" if session.keyed else "quiz_change", session.lang)


def _explain_text(session: Session) -> str:
    offered = session.explainable and not session.reveal and "choices" in session.question
    return say("quiz_explain", session.lang) if offered else ""
