"""Small pictures of the report: bars as plain HTML, histograms as SVG, coloured by the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from course_utils.reporting.words import tell

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 190, 8, 8, 30, 40


def percent(value: float | None) -> str:
    """A share as a whole percentage; a dash for nothing."""
    return "–" if value is None else f"{100 * value:.0f}%"


def bar(value: float | None, kind: str = "") -> str:
    """A share as a bar with its number."""
    if value is None:
        return '<span class="none">–</span>'
    width = f"{100 * max(0.0, min(1.0, value)):.1f}"
    return (
        f'<span class="share"><span class="bar {kind}"><i style="width:{width}%"></i></span>'
        f"<b>{percent(value)}</b></span>"
    )


def stacked(counts: Mapping[str, int], labels: Mapping[str, str]) -> str:
    """Counts side by side in one bar, each with its number, and their names below."""
    whole = sum(counts.values())
    if not whole:
        return '<span class="none">–</span>'
    shown = {name: count for name, count in counts.items() if count}
    parts = "".join(
        f'<i class="{name}" style="flex-grow:{count}">{count}</i>' for name, count in shown.items()
    )
    words = " · ".join(f"{escape(labels[name])} {count}" for name, count in shown.items())
    return f'<span class="stacked" aria-hidden="true">{parts}</span><small>{words}</small>'


def sparkline(counts: Sequence[int], label: str) -> str:
    """A histogram the size of a word."""
    most = max(*counts, 1)
    bars = "".join(
        f'<rect class="fill" x="{11 * at}" y="{28 - _height(count, most, 26):.1f}" width="9" '
        f'height="{_height(count, most, 26):.1f}"/>'
        for at, count in enumerate(counts)
    )
    ground = '<path class="axis" d="M0 28.5h109"/>'
    return f'<svg class="spark" viewBox="0 0 109 29" {_role(label)}>{ground}{bars}</svg>'


def _height(count: int, most: int, room: float) -> float:
    """A bar's height; one learner is always to be seen."""
    return max(1.5, room * count / most) if count else 0.0


def _role(label: str) -> str:
    return f'role="img" aria-label="{escape(label)}"'


def histogram_svg(counts: Sequence[int], mean: float | None, points: str, lang: str) -> str:
    """Learners by tenths of the score, with the mean marked."""
    label = tell("distribution_alt", lang, counts=", ".join(map(str, counts)))
    step = (WIDTH - LEFT - RIGHT) / len(counts)
    floor = HEIGHT - BOTTOM
    parts = [f'<path class="axis" d="M{LEFT} {floor + 0.5}H{WIDTH - RIGHT}"/>']
    for at, count in enumerate(counts):
        high = _height(count, max(*counts, 1), floor - TOP - 14)
        x, middle = LEFT + at * step, LEFT + (at + 0.5) * step
        parts.append(
            f'<rect class="fill" x="{x + 3:.1f}" y="{floor - high:.1f}" width="{step - 6:.1f}" '
            f'height="{high:.1f}" rx="2"/>'
        )
        if count:
            parts.append(_text(middle, floor - high - 5, str(count), "ink"))
    for at in range(len(counts) + 1):
        parts.append(_text(LEFT + at * step, floor + 16, str(10 * at), anchor=_anchor(at, counts)))
    axis = tell("axis_score", lang, points=points)
    parts.append(_text(WIDTH / 2, HEIGHT - 5, axis))
    if mean is not None:
        parts.append(_mean_mark(mean, floor, lang))
    inside = "".join(parts)
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" {_role(label)}>{inside}</svg>'


def _anchor(at: int, counts: Sequence[int]) -> str:
    return "start" if at == 0 else "end" if at == len(counts) else "middle"


def _mean_mark(mean: float, floor: float, lang: str) -> str:
    at = LEFT + (WIDTH - LEFT - RIGHT) * max(0.0, min(1.0, mean))
    words = tell("mean_mark", lang, value=percent(mean))
    anchor = "start" if mean < 0.08 else "end" if mean > 0.92 else "middle"
    line = f'<path class="mean" d="M{at:.1f} {TOP - 12}V{floor}"/>'
    return line + _text(at, TOP - 17, words, "meantext", anchor)


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )
