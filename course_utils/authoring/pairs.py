"""Hold the two languages together: a pair has the same headings, formulas, links and numbers."""

from __future__ import annotations

import re
from collections import Counter

from markdown_it import MarkdownIt

from course_utils.authoring.source import BuildError, SourceCell

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
FORMULA = re.compile(r"\$\$.+?\$\$|(?<!\$)\$[^$\n]+?\$", re.DOTALL)
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)[^)]*\)")
HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", re.IGNORECASE)


def check_pair(cell: SourceCell) -> None:
    """Compare what both languages of a text cell must share, and see that emphasis renders.

    Raises:
        BuildError: naming the cell and what differs.
    """
    for text in cell.text.values():
        _check_emphasis(text, cell.place)
    english, chinese = features(cell.text["en"]), features(cell.text["zh"])
    for what, here in english.items():
        there = chinese[what]
        if here != there:
            only_en = ", ".join((here - there).elements()) or "nothing more"
            only_zh = ", ".join((there - here).elements()) or "nothing more"
            raise BuildError(
                f"{cell.place}: English and Chinese differ in {what}: only in English: {only_en}; "
                f"only in Chinese: {only_zh}. Make both say the same."
            )


def _check_emphasis(text: str, place: str) -> None:
    """Stars that Markdown leaves as stars: beside Chinese punctuation they do not turn bold."""
    for token in MarkdownIt().parse(FORMULA.sub("$", text)):
        for part in token.children or []:
            if part.type == "text" and "**" in part.content:
                raise BuildError(
                    f"{place}: `**` stays as it is in {part.content.strip()[:40]!r}. Put the "
                    "punctuation outside the stars."
                )


def features(text: str) -> dict[str, Counter]:
    """What a text holds that does not depend on its language, as counts by kind."""
    text = CODE.sub(" ", FENCE.sub(" ", text))
    formulas = Counter("".join(match.split()) for match in FORMULA.findall(text))
    text = FORMULA.sub(" ", text)
    links = Counter(target for image, target in LINK.findall(text) if not image)
    images = Counter(target for image, target in LINK.findall(text) if image)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return {
        "headings": Counter(HEADING.findall(text)),
        "formulas": formulas,
        "links": links,
        "images": images,
        "numbers": Counter(number.replace(",", "") for number in NUMBER.findall(text)),
    }
