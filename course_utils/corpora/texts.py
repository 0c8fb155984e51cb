"""Plain text: a toy of five sentences, and the Python manual that comes with every Python.

The manual is `pydoc_data.topics` of the standard library (what ``help("with")`` prints). It grows
from one Python version to the next, so a lesson's exact numbers on it move a little; what a lesson
claims about it are orderings.
"""

from __future__ import annotations

import re
from functools import cache

TOY_SENTENCES = (
    "the cat sat on the mat.",
    "the dog sat on the log.",
    "the cat saw the dog.",
    "a dog and a cat sat on a mat.",
    "the log was on the mat.",
)


def toy_text(repeats: int = 20) -> str:
    """The five toy sentences in order, each followed by a blank, repeated."""
    return "".join(sentence + " " for sentence in TOY_SENTENCES) * repeats


@cache
def manual_text(*, repeats: bool = False) -> str:
    """The Python manual as one line of 32 kinds of characters: a to z, blank and ``.,'()``.

    Topics come in alphabetical order; capitals become small, and any run of other characters
    becomes one blank. The manual prints many paragraphs under two or three topics (all of
    "with" again under "compound"), about a fifth of it. Only the first copy of a paragraph
    is kept, so that what a lesson holds out has not been read in training; `repeats=True`
    keeps them all, to show what that does.
    """
    from pydoc_data.topics import topics

    paragraphs = [
        re.sub(r"[^a-z.,'()]+", " ", paragraph.lower()).strip()
        for name in sorted(topics)
        for paragraph in re.split(r"\n\s*\n", topics[name])
    ]
    if not repeats:
        paragraphs = list(dict.fromkeys(paragraphs))
    return " ".join(paragraph for paragraph in paragraphs if paragraph)


def split(text: str, share: float = 0.9) -> tuple[str, str]:
    """Cut `text` once: the first `share` of its characters to train on, the rest held out.

    One cut, not a random draw of characters or sentences: neighbours in a text resemble each
    other, and a held-out sentence between two training ones is easier than a new page.
    """
    cut = int(share * len(text))
    return text[:cut], text[cut:]


def vocabulary(text: str) -> list[str]:
    """The different characters of `text`, sorted."""
    return sorted(set(text))


def words(text: str) -> list[str]:
    """Tokens of `text`, blanks dropped: words (with apostrophes) and single punctuation marks."""
    return re.findall(r"[a-z']+|[^a-z'\s]", text)
