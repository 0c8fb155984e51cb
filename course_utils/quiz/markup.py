"""The little markup of question texts: `code`, **bold**, *emphasis*, $maths$, paragraphs.

Everything else is plain text and is escaped, so a text can never bring HTML of its own.
"""

from __future__ import annotations

import html
import re

_SPANS = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\$(?P<math>[^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)"
    r"|\*\*(?P<bold>\S(?:.*?\S)?)\*\*"
    r"|(?<![\w*])\*(?P<emphasis>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])",
    re.DOTALL,
)
_FENCE = re.compile(r"^```\w*\n(?P<code>.*?)^```\s*$", re.DOTALL | re.MULTILINE)


def to_html(text: str, *, tex: bool = False) -> str:
    """Safe HTML of a text of several paragraphs.

    With `tex`, formulas stay between dollar signs, for a page that typesets them itself;
    otherwise they become MathML, which every browser shows without help.
    """
    parts = []
    end = 0
    for fence in _FENCE.finditer(text):
        parts += [_paragraphs(text[end : fence.start()], tex)]
        parts += [f"<pre><code>{html.escape(fence['code'].rstrip())}</code></pre>"]
        end = fence.end()
    return "".join([*parts, _paragraphs(text[end:], tex)])


def _paragraphs(text: str, tex: bool) -> str:
    blocks = (block.strip() for block in re.split(r"\n\s*\n", text))
    return "".join(f"<p>{to_line(block, tex=tex)}</p>" for block in blocks if block)


def to_line(text: str, *, tex: bool = False) -> str:
    """Safe HTML of a text that stays on one line: no paragraphs."""
    parts = []
    end = 0
    for span in _SPANS.finditer(text):
        parts += [html.escape(text[end : span.start()]), _span(span, tex)]
        end = span.end()
    return "".join([*parts, html.escape(text[end:])]).strip()


def _span(span: re.Match[str], tex: bool) -> str:
    kind, inner = next((name, text) for name, text in span.groupdict().items() if text)
    if kind == "code":
        return f"<code>{html.escape(inner)}</code>"
    if kind == "math":
        return html.escape(f"${inner}$") if tex else mathml(inner)
    tag = "strong" if kind == "bold" else "em"
    return f"<{tag}>{to_line(inner, tex=tex)}</{tag}>"


def mathml(formula: str, display: str = "inline") -> str:
    """MathML of a TeX formula (`display`: inline or block); as code where it cannot be read."""
    try:
        from latex2mathml.converter import convert

        return str(convert(formula, display=display))
    except Exception:  # the converter raises many kinds; an unread formula must not hide a question
        return f"<code>{html.escape(formula)}</code>"


def to_plain(text: str) -> str:
    """The text without its marks, on one line, for a terminal."""
    without = _SPANS.sub(lambda span: next(part for part in span.groups() if part), text)
    return " ".join(without.replace("```", "").split())


def without_tags(page: str) -> str:
    """The words of HTML made here, on one line."""
    spaced = re.sub(r"</?(?:p|div|ul|li|pre|table|tr|t[hd])\b[^>]*>", " ", page)
    return " ".join(html.unescape(re.sub("<[^>]+>", "", spaced)).split())
