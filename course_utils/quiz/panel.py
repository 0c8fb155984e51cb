"""The live panel: an ipywidget whose front end is `panel.js`. Imported when a question opens."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from course_utils.quiz.static import card_css


def _own(name: str) -> str:
    return files("course_utils.quiz").joinpath(name).read_text("utf-8")


class QuestionPanel(anywidget.AnyWidget):
    """Draws a view; its owner hears of what the learner does through `on_msg`.

    Messages from the front end: `{"do": "submit", "answer": ids or text}`, `{"do": "again"}`,
    `{"do": "explain"}`.
    """

    _esm = _own("panel.js")
    _css = card_css() + _own("panel.css")

    view: Any = traitlets.Dict().tag(sync=True)
    progress: Any = traitlets.Unicode().tag(sync=True)
    picks: Any = traitlets.List().tag(sync=True)
    typed: Any = traitlets.Unicode().tag(sync=True)
