"""The cells of a built notebook as the pieces of a page: prose, code, outputs, work to do."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course_utils.site.prose import Heading, Renderer
from course_utils.words import say

LEXER, FORMATTER = PythonLexer(), HtmlFormatter(nowrap=True)
TITLE = re.compile(r"set_title\(\s*\"([^\"{}]+)\"")


@dataclass(frozen=True)
class Picture:
    """A plot: the name of its file, its bytes, its size in pixels, its words for who sees none."""

    name: str
    data: bytes
    width: int
    height: int
    alt: str


@dataclass(frozen=True)
class Output:
    """What a cell printed or drew: safe HTML, or a picture."""

    html: str = ""
    picture: Picture | None = None


@dataclass(frozen=True)
class Piece:
    """One piece of a page: `prose`, `code`, `exercise` or `question`."""

    kind: str
    html: str = ""
    name: str = ""
    source: str = ""
    outputs: list[Output] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)


class Reader:
    """Reads one notebook's cells, keeping count of pictures and of the last heading."""

    def __init__(self, renderer: Renderer, lang: str) -> None:
        self.renderer = renderer
        self.lang = lang
        self.section = ""
        self.pictures = 0

    def pieces(self, notebook: NotebookNode) -> Iterator[Piece]:
        """The notebook's pieces in order. Checks are left out: they belong to the notebook."""
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                prose = self.renderer.render(cell.source)
                self.section = prose.headings[-1].text if prose.headings else self.section
                yield Piece("prose", prose.html, source=cell.source, headings=prose.headings)
            elif cell.cell_type == "code":
                yield from self._code(cell)

    def _code(self, cell: NotebookNode) -> Iterator[Piece]:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name.startswith("quiz-"):
            yield Piece("question", name=name.removeprefix("quiz-"))
        elif not name.startswith("check-"):
            outputs = [shown for output in cell.outputs for shown in self._output(output, cell)]
            code = highlight(cell.source, LEXER, FORMATTER).rstrip("\n")
            yield Piece("exercise" if name else "code", code, name, cell.source, outputs)

    def _output(self, output: NotebookNode, cell: NotebookNode) -> Iterator[Output]:
        data: dict[str, Any] = output.get("data", {})
        if output.output_type == "stream":
            yield Output(_preformatted(output.text))
        elif "image/png" in data:
            yield Output(picture=self._picture(base64.b64decode(data["image/png"]), cell.source))
        elif "text/html" in data:
            # Panels of the course follow the page's colours; all else is made for white.
            ground = "scroll" if 'class="cq' in data["text/html"] else "scroll paper"
            yield Output(f'<div class="{ground}">{data["text/html"]}</div>')
        elif "text/plain" in data:
            yield Output(_preformatted(data["text/plain"]))

    def _picture(self, data: bytes, code: str) -> Picture:
        self.pictures += 1
        width, height = png_size(data)
        alt = say("site_plot", self.lang, number=self.pictures, section=self.section)
        titles = TITLE.findall(code) if self.lang == "en" else []
        alt = " ".join([alt, *(f"{title}." for title in titles)])
        name = f"{hashlib.sha256(data).hexdigest()[:16]}.png"
        return Picture(name, data, width, height, alt)


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels: the first things that a PNG states."""
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _preformatted(text: str) -> str:
    """What was printed, with its colours where it has some."""
    if "\x1b" in text:
        from nbconvert.filters.ansi import ansi2html

        shown = str(ansi2html(text))
    else:
        shown = html.escape(text)
    return f"<pre>{shown.rstrip()}</pre>"
