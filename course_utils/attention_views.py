"""Pictures and live views of attention for lessons 6 and 7, in the learner's language."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from course_utils import attention_studies as studies
from course_utils.plots import COLOURS, heatmap, register_labels, translate

WEIGHT_BAR = "attention weight"
RING = COLOURS[1]

NOT_A_DATE = "The model answers {}. That is no day of any calendar, so what was typed is no date."
STRANGE = "Nothing to translate: this text is empty, or it has a character the model never saw."
UNSURE = (
    "The model answers {}. Careful: the text is not how any of our patterns writes that day. "
    "The answer may be wrong."
)
KNOWN = "The model answers {}. Our patterns agree."
STEP = "step {} of {}"

register_labels(
    {
        NOT_A_DATE: "模型答：{}。日历上没有这一天，可见输入的不是日期。",
        STRANGE: "没有可翻译的内容：输入为空，或含有模型从没见过的字符。",
        UNSURE: "模型答：{}。当心：我们的各种写法都不会把这一天写成这样，答案可能是错的。",
        KNOWN: "模型答：{}。与我们的写法相符。",
        STEP: "第 {} 步，共 {} 步",
        WEIGHT_BAR: "注意力权重",
        "source (English)": "源句（英语）",
        "target (French)": "译文（法语）",
        "as people write it": "人们的写法",
        "ISO date": "ISO 日期",
        "(end)": "（结束）",
        "type a date": "输入一个日期",
        "decoding step": "解码步",
        "temperature": "温度",
    }
)


def alignment_map(
    source: Sequence[str],
    target: Sequence[str],
    weights: Any,
    gold: Sequence[Sequence[int]] = (),
    *,
    title: str = "",
    xlabel: str = "source (English)",
    ylabel: str = "target (French)",
    bar: bool = True,
    ax: Any = None,
) -> Any:
    """Draw attention weights with real tokens; the colour always runs from 0 to 1.

    Args:
        source: S words, along x.
        target: T words, from top to bottom; with one more row of weights, the end is added.
        weights: (T, S) or (T + 1, S).
        gold: for each target word, the source places it truly comes from; they get a ring.
        title, xlabel, ylabel: texts.
        bar: whether to draw the colour bar.
        ax: axes to draw on; by default a new figure, sized to the matrix.
    """
    from matplotlib.patches import Ellipse

    values = np.asarray(weights, dtype=float)
    rows = [*target, *["(end)"] * (len(values) - len(target))]
    ax = heatmap(
        values, source, rows, title=title, xlabel=xlabel, ylabel=ylabel, vmin=0, vmax=1,
        bar=WEIGHT_BAR if bar else None, ax=ax,
    )  # fmt: skip
    for row, places in enumerate(gold):
        for place in places:
            ring = Ellipse((place, row), 0.86, 0.86, fill=False, edgecolor=RING, linewidth=1.6)
            ax.add_patch(ring)
    return ax


def _shade(weight: float) -> str:
    ink = "#fff" if weight > 0.6 else "#222"
    return f"background:rgba(0,114,178,{weight:.2f});color:{ink}"


def _box(word: str, style: str) -> str:
    return (
        f'<span style="display:inline-block;padding:3px 7px;margin:2px;border-radius:4px;'
        f'border:1px solid #bbb;{style}">{html.escape(word)}</span>'
    )


def step_html(source: Sequence[str], target: Sequence[str], weights: Any, step: int) -> str:
    """One decoding step as HTML: the source shaded by weight, the words written so far."""
    values = np.asarray(weights, dtype=float)
    above = "".join(
        _box(word, _shade(weight)) for word, weight in zip(source, values[step], strict=True)
    )
    rows = [*target, *[translate("(end)")] * (len(values) - len(target))]
    below = "".join(_box(word, "color:#222") for word in rows[:step])
    below += _box(rows[step], f"border:2px solid {RING};color:#222;font-weight:bold")
    note = translate(STEP.format(step + 1, len(rows)))
    return (
        f'<div style="font-size:15px;line-height:1.9;background:#fff;padding:6px">'
        f'<div>{above}</div><div style="margin-top:8px">{below}</div>'
        f'<div style="color:#666;font-size:12px">{note}</div></div>'
    )


def step_viewer(source: Sequence[str], target: Sequence[str], weights: Any) -> Any:
    """A live view with a slider and a play button over the decoding steps.

    Args:
        source, target: the words of both sides.
        weights: (T, S) or, with the end token's row, (T + 1, S).
    """
    import ipywidgets as widgets

    last = len(weights) - 1
    slider = widgets.IntSlider(0, 0, last, description=translate("decoding step"))
    slider.style.description_width = "initial"
    play = widgets.Play(min=0, max=last, interval=900)
    widgets.jslink((play, "value"), (slider, "value"))
    picture = widgets.HTML(step_html(source, target, weights, 0))

    def redraw(change: dict[str, Any]) -> None:
        picture.value = step_html(source, target, weights, change["new"])

    slider.observe(redraw, "value")
    return widgets.VBox([widgets.HBox([play, slider]), picture])


def date_sentence(verdict: str, iso: str) -> str:
    """One sentence for the learner on what became of a typed date."""
    texts = {"known": KNOWN, "no date": NOT_A_DATE, "strange": STRANGE, "unsure": UNSURE}
    return translate(texts[verdict].format(iso) if "{}" in texts[verdict] else texts[verdict])


def date_map(
    text: str, translation: studies.Translation, gold: Sequence[Sequence[int]] = ()
) -> Any:
    """The heatmap of a translated date, character by character; `gold` as in `alignment_map`."""
    weights = translation.weights
    assert weights is not None
    ax = alignment_map(
        list(text), translation.words, weights[: len(translation.words)], gold,
        xlabel="as people write it", ylabel="ISO date",
    )  # fmt: skip
    return ax


def date_box(model: Any, show: Callable[[], None], start: str = "5 mars 1998") -> Any:
    """A live text field: type a date, press Enter, see its ISO form and the heatmap.

    Args:
        model: a translator of dates.
        show: `course_utils.plots.show`.
        start: what the field holds at first.
    """
    import ipywidgets as widgets

    field = widgets.Text(start, description=translate("type a date"), continuous_update=False)
    field.style.description_width = "initial"
    output = widgets.Output()

    def answer(*_: Any) -> None:
        output.clear_output(wait=True)
        with output:
            found, verdict = studies.read_date(model, field.value)
            print(date_sentence(verdict, "".join(found.words)))
            if found.words:
                date_map(studies.dates.plain_text(field.value), found)
                show()

    field.observe(answer, "value")
    answer()
    return widgets.VBox([field, output])
