"""Plots: labels in the learner's language, never boxes, no torch."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt

from course_utils import plots


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(plots, "_labels", dict(plots._labels))
    yield
    plots.use_language("en")
    plt.close("all")


def drawn_texts(figure):
    figure.canvas.draw()  # a missing glyph is an error under pytest's filters
    return {text.get_text() for text in figure.findobj(mpl.text.Text)} - {""}


def labelled_figure():
    plots.register_labels({"scale {}": "缩放 {}", "models of {}": "{}的模型", "add-one": "加一"})
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([1, 2], label="scale 0.5")
    left.legend(title="loss")
    left.set(title="models of loss", xlabel="step", ylabel="perplexity")
    left.annotate("add-one", (0, 1))
    right.bar(["training", "cat"], [1, 2])
    right.set_yticks([0, 1], ["test", "0.1"])
    figure.suptitle("no translation")
    return figure


def test_every_kind_of_text_is_translated():
    plots.use_language("zh")
    figure = labelled_figure()
    plots.translate_figure(figure)
    texts = drawn_texts(figure)
    expected = {"缩放 0.5", "损失", "损失的模型", "步", "困惑度", "加一", "训练", "cat", "测试"}
    assert expected <= texts
    assert "no translation" in texts
    assert not {"scale 0.5", "training", "test", "step"} & texts


def test_translating_twice_changes_nothing_more():
    plots.use_language("zh")
    figure = labelled_figure()
    plots.translate_figure(figure)
    once = drawn_texts(figure)
    plots.translate_figure(figure)
    assert drawn_texts(figure) == once


def test_english_stays_english():
    plots.use_language("en")
    figure = labelled_figure()
    before = drawn_texts(figure)
    plots.translate_figure(figure)
    assert drawn_texts(figure) == before


def test_without_a_chinese_font_the_labels_stay_english(monkeypatch):
    monkeypatch.setattr(plots, "cjk_font", lambda: None)
    plots.use_language("zh")
    figure = labelled_figure()
    plots.translate_figure(figure)
    texts = drawn_texts(figure)
    assert "loss" in texts
    assert not any("\u4e00" <= letter <= "\u9fff" for text in texts for letter in text)


def test_a_system_font_serves_where_the_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pylopdf_fonts_zh_cn", None)
    name = plots.cjk_font.__wrapped__()
    assert name is None or name in plots.CJK_FONT_NAMES


def test_templates_must_agree():
    with pytest.raises(ValueError, match="differ"):
        plots.register_labels({"scale {}": "缩放"})


def test_unknown_language_is_refused():
    with pytest.raises(ValueError, match="'fr'"):
        plots.use_language("fr")


def test_show_closes_the_figures():
    labelled_figure()
    plots.show()
    assert plt.get_fignums() == []


def test_heatmap_labels_every_row_and_column():
    matrix = np.arange(6).reshape(2, 3)
    axes = plots.heatmap(matrix, list("a \n"), ["the", "cats"], bar="count", digits=1)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["a", "␣", "↵"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["the", "cats"]
    assert {"0.0", "5.0", "count"} <= drawn_texts(axes.figure)


def test_band_spans_the_runs():
    axes = plots.line_with_band([0, 1], [[0, 2], [2, 4]], label="loss")
    assert axes.lines[0].get_ydata().tolist() == [1, 3]
    (band,) = axes.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0, 4)


def test_importing_plots_does_not_import_torch():
    code = "import sys, course_utils.plots; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tick_labels_may_be_numbers():
    plots.use_language("zh")
    _, ax = plt.subplots()
    ax.set_xscale("log", base=4)
    ax.set_xticks([4, 16], [4, 16])
    plots.translate_figure(ax.figure)
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4", "16"]
