"""How an author states an exercise: points, cases, known mistakes, tolerance.

`quizzes/NN_name.py` holds a list `EXERCISES` of these. The reference solution is not here: it
stands only in the solution cell of the lesson's source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.exercises.values import Built

__all__ = ["Built", "Case", "Exercise", "Mistake", "case"]


@dataclass(frozen=True)
class Case:
    """The arguments of one call, with a few words on what it tries.

    Attributes:
        args: positional arguments, plain values (see `values`) or `Built`.
        note: what this case tries, by language.
        gradients: positions of torch arguments for which d(sum of outputs)/d(argument) is
            compared too.
    """

    args: tuple[Any, ...]
    note: dict[str, str]
    gradients: tuple[int, ...] = ()


def case(*args: Any, en: str, zh: str, gradients: Sequence[int] = ()) -> Case:
    """Shorthand for a `Case` with its note in both languages."""
    return Case(args, {"en": en, "zh": zh}, tuple(gradients))


class Mistake:
    """A known wrong implementation, with the hint that a learner gets whose values equal it."""

    def __init__(self, id: str, function: Callable[..., Any], *, en: str, zh: str) -> None:
        self.id = id
        self.function = function
        self.hint = {"en": en, "zh": zh}


@dataclass(frozen=True)
class Exercise:
    """One function that the learner writes.

    Attributes:
        id: the function's name; also the grade id of its cell.
        points: what it is worth, a positive number.
        public: cases shown to the learner, with expected values.
        hidden: draws the cases that count in a class, from a generator that only the
            instructor can seed.
        mistakes: known wrong implementations.
        rtol, atol: tolerances for floats, as in `numpy.isclose`.
    """

    id: str
    points: float
    public: Sequence[Case]
    hidden: Callable[[np.random.Generator], Sequence[Case]]
    mistakes: Sequence[Mistake]
    rtol: float = 1e-5
    atol: float = 1e-8
