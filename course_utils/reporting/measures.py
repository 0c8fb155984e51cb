"""The numbers of the report, on plain lists; nothing here knows about classes or files."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeVar

from course_utils.quiz.answers import Answers

BINS = 10
FEWEST = 5
LONGEST_STEP = 60.0
ROUNDING = 1e-9
K = TypeVar("K")


def histogram(shares: Iterable[float]) -> list[int]:
    """How many of the shares (0 to 1) lie in each tenth; 1 belongs to the last."""
    counts = [0] * BINS
    for share in shares:
        counts[max(0, min(BINS - 1, int(share * BINS + ROUNDING)))] += 1
    return counts


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, or None of nothing."""
    return statistics.fmean(values) if values else None


def median(values: Sequence[float]) -> float | None:
    """The middle value, or None of nothing."""
    return statistics.median(values) if values else None


def share(part: float, whole: float) -> float | None:
    """`part` of `whole`, or None of nothing."""
    return part / whole if whole else None


def discrimination(item: Sequence[float], total: Sequence[float]) -> float | None:
    """How well an item tells strong work from weak: its correlation with the rest of the test.

    For an item that is right or wrong this is the point-biserial correlation (Lord and Novick,
    Statistical Theories of Mental Test Scores, 1968, section 15.5), corrected by taking the
    item's own points out of the total; otherwise a good item would praise itself.

    Args:
        item: each learner's points for the item.
        total: each learner's points for the whole test, the item included.

    Returns:
        A number from -1 to 1; None where it says nothing: fewer than `FEWEST` learners, or all
        equal in the item or in the rest.
    """
    rest = [whole - own for whole, own in zip(total, item, strict=True)]
    if len(item) < FEWEST or _spread(item) < ROUNDING or _spread(rest) < ROUNDING:
        return None
    return statistics.correlation(item, rest)


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


def minutes_of_steps(answers: Answers) -> dict[str, float]:
    """Minutes from the learner's step before to each question's first answer and each check.

    Steps are all answers and checks that the answers file noted. Where more than an hour lies
    before a step, the learner did something else in between, and the step has no time.

    Returns:
        Minutes by `quiz-<question>` and `check-<exercise>`.
    """
    targets = _targets(answers)
    moments = sorted({*targets.values(), *_other_moments(answers)})
    before = dict(zip(moments[1:], moments, strict=False))
    found = {}
    for name, moment in targets.items():
        if moment in before:
            minutes = (moment - before[moment]).total_seconds() / 60
            if minutes <= LONGEST_STEP:
                found[name] = minutes
    return found


def minutes_worked(answers: Answers) -> float | None:
    """Minutes between the first and the last step, without pauses of more than an hour."""
    moments = sorted({*_targets(answers).values(), *_other_moments(answers)})
    gaps = [(later - earlier).total_seconds() / 60 for earlier, later in pairwise(moments)]
    counted = [gap for gap in gaps if gap <= LONGEST_STEP]
    return sum(counted) if counted else None


def _targets(answers: Answers) -> dict[str, datetime]:
    """When each question was first answered, and when each check last found something new."""
    times = {
        f"quiz-{name}": (entry.get("attempts") or [entry])[0]["time"]
        for name, entry in answers["answers"].items()
    }
    times |= {f"check-{name}": entry["time"] for name, entry in answers["checks"].items()}
    return _moments(times)


def _other_moments(answers: Answers) -> Iterable[datetime]:
    attempts = [
        attempt["time"]
        for entry in answers["answers"].values()
        for attempt in [*entry.get("attempts", ()), entry]
    ]
    return _moments(dict(enumerate(attempts))).values()


def _moments(times: Mapping[K, str]) -> dict[K, datetime]:
    """The times that exist; a file may claim the 99th of a month."""
    found = {}
    for key, text in times.items():
        try:
            found[key] = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        except ValueError:
            continue
    return found
