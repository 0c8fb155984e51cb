"""What the search looks through: one entry for each section of each page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from course_utils.quiz.markup import without_tags
from course_utils.site.cells import Piece

Entry = dict[str, str]


def entries(page: str, title: str, pieces: Iterable[Piece], questions: dict) -> Iterator[Entry]:
    """The sections of a page: where each begins, its heading, and all words of its text."""
    entry: Entry = {"url": page, "page": title, "heading": title, "text": ""}
    for piece in pieces:
        for heading in piece.headings:
            if heading.level > 1:
                yield entry
                place = {"url": f"{page}#{heading.id}", "heading": heading.text}
                entry = {"page": title, "text": ""} | place
        entry["text"] = f"{entry['text']} {_words(piece, questions)}".strip()
    yield entry


def _words(piece: Piece, questions: dict[str, dict[str, Any]]) -> str:
    if piece.kind == "prose":
        text = re.sub(r"<h\d.*?</h\d>|<mspace[^>]*>", " ", piece.html)
        return without_tags(text)
    if piece.kind == "question":
        question = questions[piece.name]
        choices = [choice["text"] for choice in question.get("choices", [])]
        return " ".join([question["text"], *choices])
    return " ".join(piece.source.split())
