"""One look for every plot of the course, in the learner's language.

A lesson draws with plain matplotlib, labels in English, and ends the cell with `show()`. Where the
lesson is Chinese and a font with Chinese glyphs is found, `show()` puts the registered Chinese
labels in; otherwise the English ones stay. Nobody sees boxes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler

# The colours of Okabe and Ito (2008), told apart with any common kind of colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444")

STYLE = {
    "figure.figsize": (6.0, 3.5),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.4",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.8,
    "xtick.color": "0.3",
    "ytick.color": "0.3",
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "image.cmap": "Blues",
}

LATIN_FONT = "DejaVu Sans"
CJK_FONT_NAMES = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Hiragino Sans GB",
    "Noto Sans CJK JP",
)

_labels: dict[str, str] = {}
_language = "en"


def register_labels(table: Mapping[str, str]) -> None:
    """Add Chinese labels: an exact English text, or a template such as ``"scale {}"``.

    A template's value has as many ``{}`` as its key; what they match is translated too if it is
    a registered text of its own.
    """
    for english, chinese in table.items():
        if english.count("{}") != chinese.count("{}"):
            raise ValueError(f"label {english!r} and its Chinese {chinese!r} differ in their {{}}")
    _labels.update(table)


register_labels(
    {
        "accuracy": "准确率",
        "count": "次数",
        "epoch": "轮次",
        "gradient norm": "梯度范数",
        "held-out": "留出文本",
        "loss": "损失",
        "milliseconds": "毫秒",
        "perplexity": "困惑度",
        "probability": "概率",
        "seconds": "秒",
        "seed {}": "种子 {}",
        "step": "步",
        "test": "测试",
        "time step": "时间步",
        "training": "训练",
    }
)


def use_language(lang: str) -> None:
    """Set the language of all following plots: ``"en"`` or ``"zh"``."""
    global _language
    if lang not in ("en", "zh"):
        raise ValueError(f"plots speak 'en' and 'zh', not {lang!r}")
    _language = lang
    mpl.rcParams.update(STYLE)
    mpl.rcParams["font.family"] = _families()


@cache
def cjk_font() -> str | None:
    """The name of a font with Chinese glyphs, from the font package or the system, or None."""
    from matplotlib import font_manager

    try:
        path = resources.files("pylopdf_fonts_zh_cn") / "NotoSansSC-Regular.otf"
        font_manager.fontManager.addfont(str(path))
        return font_manager.FontProperties(fname=str(path)).get_name()
    except (ImportError, OSError, RuntimeError):
        pass
    known = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in CJK_FONT_NAMES if name in known), None)


def _families() -> list[str]:
    """Latin letters from matplotlib's own font; Chinese ones from the fallback behind it."""
    chinese = cjk_font()
    return [LATIN_FONT, chinese] if chinese else [LATIN_FONT]


def translate(text: str) -> str:
    """The label `text` in the language in use; `text` itself where there is no translation."""
    if _language != "zh" or cjk_font() is None:
        return text
    if text in _labels:
        return _labels[text]
    for template, chinese in _labels.items():
        if "{}" not in template:
            continue
        pattern = "(.+?)".join(re.escape(part) for part in template.split("{}"))
        if found := re.fullmatch(pattern, text, flags=re.DOTALL):
            return chinese.format(*(_labels.get(group, group) for group in found.groups()))
    return text


def translate_figure(figure: Any) -> None:
    """Translate every text of a matplotlib figure in place, tick labels included."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    for axes in figure.findobj(mpl.axes.Axes):
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, FixedFormatter):
                formatter.seq = [translate(str(text)) for text in formatter.seq]
            elif isinstance(formatter, StrCategoryFormatter | FuncFormatter):
                axis.set_major_formatter(
                    FuncFormatter(
                        lambda value, at, inner=formatter: translate(str(inner(value, at)))
                    )
                )
    for artist in figure.findobj(Text):
        english = artist.get_text()
        translated = translate(english)
        if translated != english:
            artist.set_text(translated)
            artist.set_fontfamily(_families())


def show() -> None:
    """Show the open figures in the lesson's language, then close them. Ends a plotting cell."""
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        translate_figure(plt.figure(number))
    if mpl.get_backend().lower() != "agg":
        plt.show()
    plt.close("all")


def visible(character: str) -> str:
    """A character as a tick label shows it: blanks and line ends get a sign of their own."""
    return {" ": "␣", "\n": "↵", "\t": "⇥"}.get(character, character)


def heatmap(
    matrix: Any,
    xlabels: Sequence[str],
    ylabels: Sequence[str],
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    vmin: float | None = 0.0,
    vmax: float | None = None,
    bar: str | None = None,
    digits: int | None = None,
    ax: Any = None,
) -> Any:
    """Draw a matrix (rows, columns) with a label at every row and column; returns the axes.

    Args:
        matrix: (rows, columns), anything `numpy.asarray` takes.
        xlabels: one text a column, below the picture.
        ylabels: one text a row, from the top.
        title: what to see in it.
        xlabel: what the columns are.
        ylabel: what the rows are.
        vmin: value of the lightest colour; attention weights want 0 and 1 fixed.
        vmax: value of the darkest colour; by default the largest entry.
        bar: label of a colour bar; none without it.
        digits: write each entry with so many decimals.
        ax: axes to draw on; by default a new figure, sized to the matrix.
    """
    import matplotlib.pyplot as plt

    values = np.asarray(matrix, dtype=float)
    rows, columns = values.shape
    if ax is None:
        cell = 0.55 if digits else 0.28
        width = min(max(cell * columns + 1.6, 3.6), 8.0)
        height = min(max(cell * rows + 1.1, 2.4), 6.5)
        _, ax = plt.subplots(figsize=(width, height))
    image = ax.imshow(values, vmin=vmin, vmax=vmax, aspect="auto")
    long = any(len(label) > 3 for label in xlabels)
    turn = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if long else {}
    ax.set_xticks(range(columns), [visible(label) for label in xlabels], **turn)
    ax.set_yticks(range(rows), [visible(label) for label in ylabels])
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    if digits is not None:
        middle = (image.norm.vmin + image.norm.vmax) / 2
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if value > middle else "0.2"
            text = f"{value:.{digits}f}"
            ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
    if bar is not None:
        drawn = ax.figure.colorbar(image, ax=ax, label=bar)
        drawn.outline.set_visible(False)
    return ax


def line_with_band(x: Any, runs: Any, *, label: str = "", ax: Any = None, **line: Any) -> Any:
    """Draw the mean of several runs (runs, points) over x (points,), shaded from min to max."""
    import matplotlib.pyplot as plt

    values = np.asarray(runs, dtype=float)
    ax = plt.gca() if ax is None else ax
    (drawn,) = ax.plot(x, values.mean(axis=0), label=label or None, **line)
    low, high = values.min(axis=0), values.max(axis=0)
    ax.fill_between(x, low, high, color=drawn.get_color(), alpha=0.18, linewidth=0)
    return ax


mpl.rcParams.update(STYLE)
