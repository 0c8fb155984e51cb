"""Markdown of a lesson as HTML that needs no network: MathML, headings with ids, own links."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course_utils.authoring.elsewhere import GUIDE, file_url
from course_utils.quiz.markup import mathml, without_tags

CALLOUTS = {
    "Misconception": "warn", "常见误解": "warn",
    "Checkpoint": "done", "检查点": "done", "自查": "done",
    "A closer look": "aside", "细看一步": "aside",
    "Goals": "plan", "目标": "plan", "Time": "plan", "时间": "plan",
}  # fmt: skip
HAN = re.compile(r"[\u3400-\u9fff]")
WIDE = re.compile(r"[\u2018-\u201d\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
FUNCTIONS = "<mi>(?:cos|exp|ln|log|max|min|sin|tanh)</mi>"
EQUALS, LESS, MINUS, OPEN, CLOSE, BAR = (f"&#x{code};" for code in (
    "0003D", "0003C", "02212", "00028", "00029", "0007C",
))  # fmt: skip
THIN = '<mspace width="0.1667em"/>'
NONE = 'lspace="0" rspace="0"'
SPACING = [
    (rf"({FUNCTIONS})(?=<m(?!o))", rf"\1{THIN}"),
    (rf"(</mi>|</mn>|</msub>|(?:{CLOSE}|{BAR})</mo>)(?={FUNCTIONS})", rf"\1{THIN}"),
    (rf"<mrow><mo>{LESS}</mo>", f"<mrow><mo {NONE}>{LESS}</mo>"),
    (rf'<mo stretchy="false">{BAR}</mo>', f'<mo stretchy="false" {NONE}>{BAR}</mo>'),
    (rf"((?:{EQUALS}|{OPEN})</mo>)<mo>{MINUS}</mo>", rf'\1<mo form="prefix">{MINUS}</mo>'),
]


@dataclass(frozen=True)
class Heading:
    """A heading: its level, its id on the page, its words as HTML and as plain text."""

    level: int
    id: str
    html: str
    text: str


@dataclass(frozen=True)
class Prose:
    """A rendered Markdown cell."""

    html: str
    headings: list[Heading]


def slug(text: str) -> str:
    """An id from a heading's words; Chinese characters stay."""
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-") or "section"


class Renderer:
    """Renders the Markdown of one page.

    Args:
        base: the folder of the source in the repository, e.g. `notebooks/en`.
        ids: ids for the page's headings in order, where they are given (from the English twin);
            otherwise they come from the headings.
    """

    def __init__(self, base: str, ids: Sequence[str] | None = None) -> None:
        self.base = base
        self.given = iter(ids) if ids else None
        self.used: Counter[str] = Counter()
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        self.markdown.use(
            dollarmath_plugin, allow_space=False, allow_digits=False, renderer=_formula
        )

    def render(self, source: str) -> Prose:
        """The HTML of one cell and the headings in it."""
        tokens = self.markdown.parse(source)
        headings = [self._heading(*found) for found in _followed(tokens, "heading_open")]
        for quote, inline in _followed(tokens, "blockquote_open", skip=1):
            quote.attrSet("class", f"callout {_callout(inline)}".strip())
        for token in tokens:
            self._tidy(token.children or [])
        html = self.markdown.renderer.render(tokens, self.markdown.options, {})
        html = html.replace("<table>", '<div class="scroll"><table>')
        return Prose(html.replace("</table>", "</table></div>"), headings)

    def _heading(self, opening: Token, inline: Token) -> Heading:
        options = self.markdown.options
        html = self.markdown.renderer.render([inline], options, {})
        text = without_tags(html)
        name = next(self.given, None) if self.given else None
        name = name or slug(text)
        self.used[name] += 1
        if self.used[name] > 1:
            name = f"{name}-{self.used[name]}"
        opening.attrSet("id", name)
        return Heading(int(opening.tag[1]), name, html, text)

    def _tidy(self, inline: list[Token]) -> None:
        for token, following in zip(inline, [*inline[1:], None], strict=False):
            if token.type == "link_open":
                token.attrSet("href", page_link(str(token.attrGet("href")), self.base))
            if token.type == "softbreak" and following and WIDE.match(following.content):
                token.type, token.content = "text", ""  # no blank where a Chinese line goes on
            if token.type == "em_open" and following and HAN.search(following.content):
                token.attrSet("class", "han")  # Chinese has no italics: dots, by the style sheet


def _followed(tokens: list[Token], kind: str, skip: int = 0) -> Iterator[tuple[Token, Token]]:
    """Tokens of a kind, each with the inline token that follows it."""
    for position, token in enumerate(tokens):
        if token.type == kind and tokens[position + 1 + skip].type == "inline":
            yield token, tokens[position + 1 + skip]


def _callout(inline: Token) -> str:
    """The kind of a callout, by the bold words that it begins with."""
    tokens = [token for token in inline.children or [] if token.type != "text" or token.content]
    if len(tokens) < 2 or tokens[0].type != "strong_open":
        return ""
    return CALLOUTS.get(tokens[1].content.rstrip(".。:： "), "")


def page_link(href: str, base: str) -> str:
    """Where a link of the repository's Markdown leads on the site.

    Lessons lead to their pages, this project's other files to the web.
    """
    if href.startswith("#"):
        return href
    for guide in GUIDE.values():
        if href == file_url(guide):
            return "elsewhere.html"
    if re.match(r"[a-z]+:", href):
        return href
    path, _, anchor = href.partition("#")
    path = posixpath.normpath(posixpath.join(base, path))
    lesson = re.fullmatch(r"notebooks/(en|zh)/(\d\d_\w+)\.ipynb", path)
    if not lesson:
        return file_url(path)
    page = "index" if lesson[2] == "00_start" else lesson[2]
    folder = "" if base.endswith(f"/{lesson[1]}") else f"../{lesson[1]}/"
    return f"{folder}{page}.html" + (f"#{anchor}" if anchor else "")


def _formula(tex: str, options: dict) -> str:
    return formula(tex.strip(), "block" if options["display_mode"] else "inline")


@cache
def formula(tex: str, display: str) -> str:
    """MathML of a formula, spaced as TeX would: around names of functions, after a sign."""
    text = mathml(tex, display)
    for pattern, better in SPACING:
        text = re.sub(pattern, better, text)
    return text
