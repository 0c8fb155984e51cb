"""Prose for nbgrader's grading page: formulas as MathML, so that the page needs no network.

nbgrader's own page loads MathJax from the internet. The first of `TEMPLATES` holds a part of that
page which loads nothing, and `prose_to_html` takes the place of nbconvert's filter.
"""

from __future__ import annotations

from pathlib import Path

import nbgrader
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from course_utils.quiz.markup import mathml

TEMPLATES = [
    str(Path(__file__).with_name("templates")),
    str(Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"),
]


class _Renderer(IPythonRenderer):
    """nbconvert's HTML, with MathML where it would leave formulas to a script."""

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def block_math(self, body: str) -> str:
        return mathml(body, "block")


def prose_to_html(source: str) -> str:
    """The HTML of a Markdown cell."""
    return str(MarkdownWithMath(renderer=_Renderer(escape=False)).render(source))
