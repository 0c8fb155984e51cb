"""Pictures that lessons 5 and 6 share: quality by sentence length, and search trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course_utils.plots import COLOURS, line_with_band, register_labels
from course_utils.seq2seq import study_values

register_labels(
    {
        "BLEU": "BLEU",
        "exact match, %": "完全正确的句子，%",
        "source length, words": "源句长度（词）",
        "longer than in training": "比训练时更长",
        "plain": "朴素",
        "reversed": "源句倒读",
        "additive": "加性注意力",
        "dot": "点积注意力",
        "general": "一般式注意力",
        "dot, one-way": "点积注意力，单向编码器",
        "{}, this run": "{}，本次运行",
        "width {}": "宽度 {}",
        "greedy": "贪心",
        "the likeliest": "最可能的句子",
        "English": "英语",
        "French": "法语",
        "training (mean of 25 steps)": "训练（25 步平均）",
        "validation": "验证",
        "uniform guess": "均匀猜测",
        "word frequencies only": "只知词频",
        "loss, nats per word": "损失（奈特/词）",
        "with teacher": "有老师",
        "free-running": "自由运行",
        "place in the translation": "译文中的位置",
        "share of words right": "单词正确率",
        "untrained": "未训练",
        "trained": "训练后",
        "plain, trained": "朴素，训练后",
        "place of the exchanged word": "被换掉的词的位置",
        "movement of the last state": "最后状态的移动量",
        "first": "第一",
        "second": "第二",
        "third": "第三",
        "last": "第四",
        "quarter of the translation": "译文的四分之一段",
    }
)

MEASURES = {"exact": "exact match, %", "bleu": "BLEU"}
MODEL_COLOURS = {
    "plain": COLOURS[0],
    "reversed": COLOURS[1],
    "additive": COLOURS[2],
    "dot": COLOURS[3],
    "general": COLOURS[4],
    "dot, one-way": COLOURS[5],
    "plain, H=64": COLOURS[5],
    "plain, H=256": COLOURS[2],
}


def draw_by_length(
    ax: Any,
    study: Mapping[str, Any],
    models: Sequence[str],
    what: str = "exact",
    live: Mapping[str, Sequence[float]] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """Quality against source length: the study's mean and range, and dots of a live run.

    Args:
        ax: where to draw.
        study: what `course_utils.seq2seq.load_study` gives.
        models: names in the study.
        what: ``"exact"`` or ``"bleu"``.
        live: name -> one value per length group, from `course_utils.seq2seq.quality_by_length`.
        labels: other words for the legend.
    """
    groups = study["groups"]
    places = np.arange(len(groups))
    beyond = next(place for place, name in enumerate(groups) if int(name.split("-")[1]) > 20)
    ax.axvspan(beyond - 0.5, len(groups) - 0.5, color="0.94", zorder=0)
    ax.text(
        len(groups) - 0.55, 101, "longer than in training", ha="right", va="top", color="0.45",
        fontsize=8,
    )  # fmt: skip
    for number, name in enumerate(models):
        colour = MODEL_COLOURS.get(name, COLOURS[number % len(COLOURS)])
        label = (labels or {}).get(name, name)
        values = study_values(dict(study), name, what)
        line_with_band(places, values, label=label, ax=ax, color=colour)
        if live and name in live:
            run = f"{label}, this run"
            ax.plot(places, live[name], "o", color=colour, mec="white", ms=6, label=run)
    ax.set(xlabel="source length, words", ylabel=MEASURES[what])
    ax.set_xticks(places, [name.replace("-", "–") for name in groups])
    ax.set_xlim(-0.3, len(groups) - 0.5)
    ax.set_ylim(-3, 103)
    return ax


Tree = Mapping[str, tuple[float, "Tree"]]
Prefix = tuple[str, ...]


def tree_beam(tree: Tree, width: int) -> list[dict[Prefix, float]]:
    """Beam search in a hand-made tree: the prefixes kept after each step, with probabilities.

    Args:
        tree: word -> (its probability here, what may follow it); a leaf is followed by ``{}``.
    """
    kept: dict[Prefix, tuple[float, Tree]] = {(): (1.0, tree)}
    levels: list[dict[Prefix, float]] = []
    while any(below for _, below in kept.values()):
        wider = {
            (*prefix, word): (total * share, under)
            for prefix, (total, below) in kept.items()
            for word, (share, under) in below.items()
        }
        best = sorted(wider, key=lambda prefix: -wider[prefix][0])[:width]
        kept = {prefix: wider[prefix] for prefix in best}
        levels.append({prefix: wider[prefix][0] for prefix in best})
    return levels


def draw_tree(
    ax: Any, tree: Tree, routes: Mapping[str, Sequence[Prefix]], title: str = ""
) -> dict[Prefix, float]:
    """Draw a tree from left to right; returns the probability of every leaf.

    Args:
        routes: legend text -> prefixes or sentences whose edges are drawn in one colour.
    """
    leaves: dict[Prefix, float] = {}
    heights: dict[Prefix, float] = {}

    def place(prefix: Prefix, total: float, below: Tree) -> None:
        if not below:
            heights[prefix] = -len(leaves)
            leaves[prefix] = total
            return
        for word, (share, under) in below.items():
            place((*prefix, word), total * share, under)
        heights[prefix] = float(np.mean([heights[(*prefix, word)] for word in below]))

    def draw(prefix: Prefix, below: Tree) -> None:
        start = (len(prefix), heights[prefix])
        for word, (share, under) in below.items():
            after = (*prefix, word)
            end = (len(after), heights[after])
            colour, wide = "0.8", 1.0
            for number, ends in enumerate(routes.values()):
                if any(route[: len(after)] == after for route in ends):
                    colour, wide = COLOURS[number], 2.6
            ax.plot(*zip(start, end, strict=True), color=colour, lw=wide, zorder=1)
            ax.text(
                *end, f"{word}\n{share:.2f}", ha="center", va="center", fontsize=8.5,
                bbox={"fc": "white", "ec": colour, "boxstyle": "round,pad=0.25"}, zorder=2,
            )  # fmt: skip
            draw(after, under)
        if not below:
            ax.text(start[0] + 0.42, start[1], f"{leaves[prefix]:.3f}", va="center", fontsize=9)

    place((), 1.0, tree)
    draw((), tree)
    for number, name in enumerate(routes):
        ax.plot([], [], color=COLOURS[number], lw=2.6, label=name)
    depth = max(map(len, leaves))
    ax.set(title=title, xlim=(-0.1, depth + 0.75), ylim=(-len(leaves) + 0.4, 0.6))
    ax.axis("off")
    ax.legend(loc="upper left")
    return leaves
