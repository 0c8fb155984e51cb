"""Pictures and live views of attention for lessons 6 and 7, in the learner's language."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from course_utils import attention_studies as studies
from course_utils.live import Live, first_picture
from course_utils.plots import COLOURS, heatmap, register_labels, translate

WEIGHT_BAR = "attention weight"
RING = COLOURS[1]

NOT_A_DATE = "The model answers {}: there is no such day. Is what you typed a date?"
STRANGE = "Not a date we can read: the text is empty, or has a character the model never saw."
UNSURE = "The model answers {}, but no pattern of ours writes that day like this. Do not trust it."
KNOWN = "The model answers {}. Our patterns agree."
STEP = "step {} of {}"

register_labels(
    {
        NOT_A_DATE: "模型答：{}，可是没有这一天。输入的是日期吗？",
        STRANGE: "读不了：输入是空的，或者含有模型从没见过的字符。",
        UNSURE: "模型答：{}，但我们的各种写法都不会把这一天写成这样，不要轻信。",
        KNOWN: "模型答：{}，与我们的写法相符。",
        STEP: "第 {} 步，共 {} 步",
        WEIGHT_BAR: "注意力权重",
        "source (English)": "源句（英语）",
        "target (French)": "译文（法语）",
        "as people write it": "人们的写法",
        "ISO date": "ISO 日期",
        "(end)": "（结束）",
        "type a date": "输入一个日期",
        "decoding step": "解码步",
    }
)

register_labels(
    {
        "Sentences translated without a mistake": "一字不错的译文",
        "exact match (%)": "完全正确（%）",
        "The same curve, with attention": "同一张图，加上注意力",
        "Who gets the weight? (planted: 3)": "权重给了谁？（埋在 3）",
        "additive, random matrices": "加性，随机矩阵",
        "dot product": "点积",
        "cosine times 4": "余弦乘 4",
        "source position": "源句位置",
        "Dark: where it looks. Ring: the true source": "深色：它在看哪里；圈：真正的来源",
        "Sixteen words": "十六个词",
        "The first five decoding steps": "解码的前五步",
        "One-way encoder, right translation": "单向编码器，译文正确",
        "dot, two-way": "点积，双向",
        "additive, two-way": "加性，双向",
        "additive, one-way": "加性，单向",
        "Looking at the right word, writing the right word": "看对了词，写对了词",
        "determiners that look at their own word (%)": "看对应英语词的限定词（%）",
        "articles with a gender right (%)": "分阴阳性的冠词写对的（%）",
        "as learned": "原样不动",
        "only the largest": "只留最大的",
        "all equal": "全部相等",
        "largest removed": "去掉最大的",
        "shifted by one": "挪一个位置",
        "{} test sentences, weights tampered with": "{} 个测试句，权重做了手脚",
        "The answer around the circle, by temperature": "不同温度下，绕圆一周得到的答案",
        "angle of the query (degrees)": "查询的角度（度）",
        "temperature": "温度",
        "red": "红",
        "yellow": "黄",
        "green": "绿",
        "cyan": "青",
        "blue": "蓝",
        "magenta": "品红",
        "temperature {}: weights, on the colour they give": "温度 {}：权重，背景是调出的颜色",
        "Places that get weight": "分到权重的位置数",
        "Jacobian of the softmax": "softmax 的雅可比",
        "Gradient at the query": "传到查询的梯度",
        "of 10": "共 10 个",
        "unscaled": "不缩放",
        "divided by the root of d": "除以 d 的平方根",
        "divided by d": "除以 d",
        "How much of the first input reaches the last output": "第一个输入有多少到达最后的输出",
        "T, length of the sequence": "T，序列长度",
        "self-attention": "自注意力",
        "LSTM, forget bias 5": "LSTM，遗忘偏置 5",
        "LSTM, one step a call": "LSTM，一步一调用",
        "LSTM, fused": "LSTM，融合",
        "One processor core, one sequence": "一个处理器核心，一个序列",
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


def step_viewer(source: Sequence[str], target: Sequence[str], weights: Any) -> Live:
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
    box = widgets.VBox([widgets.HBox([play, slider]), picture])
    return Live(box, {"text/html": picture.value})


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
        list(text), translation.words, weights[: len(translation.words)], gold, title=text,
        xlabel="as people write it", ylabel="ISO date",
    )  # fmt: skip
    return ax


def date_box(model: Any, show: Callable[[], None], start: str = "5 mars 1998") -> Live:
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

    def answer() -> None:
        found, verdict = studies.read_date(model, field.value)
        print(date_sentence(verdict, "".join(found.words)))
        if found.words:
            date_map(studies.dates.plain_text(field.value), found)
            show()

    def answer_again(*_: Any) -> None:
        output.clear_output(wait=True)
        with output:
            answer()

    field.observe(answer_again, "value")
    answer_again()
    return Live(widgets.VBox([field, output]), first_picture(answer))
