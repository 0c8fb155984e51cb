"""Compare a learner's value with the expected one: type, shape, dtype, then numbers.

Both values are plain and fresh (they come out of `values.decode`), so nothing here can run
learner code.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.words import say

SHOWN_ENTRIES = 3
GRADIENT = "gradient "
KIND_WORDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


@dataclass(frozen=True)
class Difference:
    """The first thing that is wrong with a value: `kind` is type, shape, dtype or values."""

    kind: str
    facts: dict[str, Any]

    def text(self, lang: str) -> str:
        """The difference in the learner's language, as a sentence."""
        place = self.facts["where"]
        if place.startswith(GRADIENT):
            where = say("gradient_part", lang, where=place.removeprefix(GRADIENT))
        else:
            where = say("result_part", lang, where=place) if place else say("result", lang)
        sentence = say(f"difference_{self.kind}", lang, **self.facts | {"where": where})
        return sentence[:1].upper() + sentence[1:]


@dataclass(frozen=True)
class Tolerance:
    """Floats count as equal when |got - expected| <= atol + rtol * |expected|."""

    rtol: float
    atol: float


def compare(expected: Any, got: Any, tolerance: Tolerance, where: str = "") -> Difference | None:
    """The first difference between two plain values, or None when they agree.

    Dtypes must agree in kind (int, float, bool), not in width; an int is taken where a float
    is expected; nan equals nan.
    """
    if is_array(expected):
        return _compare_arrays(expected, got, tolerance, where)
    if isinstance(expected, (list, tuple)):
        return _compare_sequences(expected, got, tolerance, where)
    if isinstance(expected, dict):
        return _compare_dicts(expected, got, tolerance, where)
    return _compare_scalars(expected, got, tolerance, where)


def is_array(value: Any) -> bool:
    """Whether a plain value is a numpy array or a torch tensor."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def type_word(value: Any) -> str:
    """What a learner calls the type of a plain value."""
    if is_array(value):
        return "numpy array" if isinstance(value, np.ndarray) else "torch tensor"
    return "None" if value is None else type(value).__name__


def _wrong_type(expected: Any, got: Any, where: str) -> Difference:
    facts = {"expected": type_word(expected), "got": type_word(got), "where": where}
    return Difference("type", facts)


def _compare_scalars(expected: Any, got: Any, tol: Tolerance, where: str) -> Difference | None:
    same_type = type(expected) is type(got) or (type(expected) is float and type(got) is int)
    if not same_type:
        return _wrong_type(expected, got, where)
    if type(expected) is float:
        equal = _close(np.float64(expected), np.float64(got), tol).item()
    else:
        equal = expected == got
    if equal:
        return None
    entries = f"{short(expected)} → {short(got)}"
    return _wrong_values(1, 1, entries, where)


def _wrong_values(wrong: int, total: int, entries: str, where: str) -> Difference:
    facts = {"wrong": wrong, "total": total, "entries": entries, "where": where}
    return Difference("value" if total == 1 else "values", facts)


def _close(expected: Any, got: Any, tol: Tolerance) -> np.ndarray:
    return np.isclose(got, expected, rtol=tol.rtol, atol=tol.atol, equal_nan=True)


def _compare_arrays(expected: Any, got: Any, tol: Tolerance, where: str) -> Difference | None:
    if not is_array(got) or isinstance(expected, np.ndarray) != isinstance(got, np.ndarray):
        return _wrong_type(expected, got, where)
    want, have = np.asarray(expected), np.asarray(got)
    if want.shape != have.shape:
        facts = {"expected": want.shape, "got": have.shape, "where": where}
        return Difference("shape", facts)
    kinds = KIND_WORDS[want.dtype.kind], KIND_WORDS[have.dtype.kind]
    if kinds[0] != kinds[1] and kinds != ("float", "int"):
        return Difference("dtype", {"expected": kinds[0], "got": have.dtype.name, "where": where})
    with np.errstate(over="ignore", invalid="ignore"):
        equal = _close(want, have, tol) if kinds[0] == "float" else want == have
    if equal.all():
        return None
    return _wrong_values(int((~equal).sum()), want.size, _entries(want, have, ~equal), where)


def _entries(want: np.ndarray, have: np.ndarray, wrong: np.ndarray) -> str:
    """The first few wrong entries, as `[0, 2]: 0.5 → 1`."""
    places = np.argwhere(wrong)[:SHOWN_ENTRIES]
    return "; ".join(
        f"{list(map(int, place))}: {short(want[tuple(place)])} → {short(have[tuple(place)])}"
        if place.size
        else f"{short(want[()])} → {short(have[()])}"
        for place in places
    )


def _compare_sequences(expected: Any, got: Any, tol: Tolerance, where: str) -> Difference | None:
    if type(expected) is not type(got):
        return _wrong_type(expected, got, where)
    if len(expected) != len(got):
        facts = {"expected": len(expected), "got": len(got), "where": where}
        return Difference("length", facts)
    parts = (
        compare(one, other, tol, f"{where}[{index}]")
        for index, (one, other) in enumerate(zip(expected, got, strict=True))
    )
    return _first(parts)


def _compare_dicts(expected: dict, got: Any, tol: Tolerance, where: str) -> Difference | None:
    if type(got) is not dict:
        return _wrong_type(expected, got, where)
    if expected.keys() != got.keys():
        facts = {"expected": short(list(expected)), "got": short(list(got)), "where": where}
        return Difference("keys", facts)
    return _first(
        compare(value, got[key], tol, f"{where}[{key!r}]") for key, value in expected.items()
    )


def _first(differences: Iterator[Difference | None]) -> Difference | None:
    return next((difference for difference in differences if difference is not None), None)


def short(value: Any, width: int = 60) -> str:
    """A value rounded and cut for a learner's eyes."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else str(value)
    if is_array(value):
        text = np.array2string(np.asarray(value), precision=3, threshold=12, separator=", ")
        text = " ".join(text.split())
    elif isinstance(value, (list, tuple)):
        inner = ", ".join(short(part, width) for part in value)
        text = f"[{inner}]" if isinstance(value, list) else f"({inner})"
    else:
        text = repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"
