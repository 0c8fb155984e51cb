"""Read an answer as a learner writes it: letters of the shown order, ids, loosely typed numbers."""

from __future__ import annotations

import math
import re
import unicodedata
from numbers import Real
from typing import Any

from course_utils.quiz.order import LETTERS
from course_utils.quiz.scoring import LARGEST
from course_utils.words import say

Question = dict[str, Any]


class Unclear(ValueError):
    """An answer that cannot be read; its text, in the learner's language, says what would do."""


def read_given(question: Question, given: Any, lang: str) -> str | list[str] | float:
    """The answer as it is stored, from what the learner gave.

    Raises:
        Unclear: with a friendly word.
    """
    if question["kind"] == "numeric":
        return _number(given, lang)
    picks = [_choice_id(question, part, lang) for part in _parts(question, given)]
    picks = list(dict.fromkeys(picks))
    if not picks:
        raise Unclear(say("quiz_pick_first", lang))
    if question["kind"] == "multiple":
        return picks
    if len(picks) > 1:
        raise Unclear(say("quiz_only_one", lang))
    return picks[0]


def _parts(question: Question, given: Any) -> list[Any]:
    """The single picks in what was given: a list's items, or a text's words."""
    if isinstance(given, str):
        if given in (choice["id"] for choice in question["choices"]):
            return [given]
        return [part for part in re.split(r"[\s,;，、；]+", given) if part]
    return list(given) if isinstance(given, list | tuple | set | frozenset) else [given]


def _choice_id(question: Question, part: Any, lang: str) -> str:
    ids = [choice["id"] for choice in question["choices"]]
    if isinstance(part, str):
        plain = unicodedata.normalize("NFKC", part).strip(" .()'\"")
        if plain in ids:
            return plain
        if len(plain) == 1 and plain.lower() in LETTERS[: len(ids)]:
            return ids[LETTERS.index(plain.lower())]
    letters = say("quiz_list_join", lang).join(LETTERS[: len(ids)].upper())
    raise Unclear(say("quiz_no_choice", lang, given=_short(part), letters=letters))


def _number(given: Any, lang: str) -> float:
    """A finite number; typed text may use a decimal comma, full-width digits or a real minus."""
    value = math.nan
    if isinstance(given, str):
        plain = unicodedata.normalize("NFKC", given).strip().replace("−", "-").replace(" ", "")
        if re.fullmatch(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))", plain):  # 2,500 could be either
            plain = plain.replace(",", ".")
        if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", plain, re.ASCII):
            value = float(plain)
    elif isinstance(given, Real) and not isinstance(given, bool):
        value = _float(given)
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise Unclear(say("quiz_no_number", lang, given=_short(given)))
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _float(given: Real) -> float:
    try:
        return float(given)
    except OverflowError:
        return math.inf


def _short(given: Any) -> str:
    """What was given, as quoted back: one line, not too long."""
    try:
        text = given if isinstance(given, str) else repr(given)
    except Exception:  # any object may be given, and its repr may fail
        text = type(given).__name__
    text = " ".join(text.split())
    return text if len(text) <= 40 else text[:37] + "…"
