"""Pictures of lessons 5 and 6: the tree search says what it draws."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils import plots, translation_plots
from course_utils.seq2seq import LENGTH_GROUPS, load_study
from course_utils.translation_plots import draw_by_length, draw_tree, tree_beam

PAIR = {"x": (0.5, {}), "y": (0.5, {})}
TREE = {
    "a": (0.6, {"b": (0.5, PAIR), "c": (0.5, PAIR)}),
    "d": (0.4, {"e": (0.9, {"x": (0.9, {}), "y": (0.1, {})}), "f": (0.1, PAIR)}),
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plots.use_language("en")
    plt.close("all")


def test_tree_beam_of_one_is_greedy_and_of_many_exhaustive():
    assert list(tree_beam(TREE, 1)[-1]) == [("a", "b", "x")]
    everything = tree_beam(TREE, 99)[-1]
    assert len(everything) == 8
    assert sum(everything.values()) == pytest.approx(1)
    assert next(iter(everything)) == ("d", "e", "x")
    assert tree_beam(TREE, 2)[-1][("d", "e", "x")] == pytest.approx(0.4 * 0.9 * 0.9)


def test_draw_tree_returns_its_leaves_and_shows_every_word():
    _, ax = plt.subplots()
    leaves = draw_tree(ax, TREE, {"greedy": [("a", "b", "x")]})
    assert leaves == pytest.approx(tree_beam(TREE, 99)[-1])
    texts = " ".join(text.get_text() for text in ax.texts)
    assert all(word in texts for word in "abcdefxy")


@pytest.mark.parametrize("what", ["exact", "bleu"])
def test_draw_by_length_shows_study_and_run(what):
    _, ax = plt.subplots()
    live = {"dot": np.full(len(LENGTH_GROUPS), 50.0)}
    draw_by_length(ax, load_study(), ["plain", "dot"], what, live)
    handles, labels = ax.get_legend_handles_labels()
    assert labels == ["plain", "dot", "dot, this run"]
    assert len({handle.get_color() for handle in handles}) == 2


def test_every_label_has_its_chinese():
    if plots.cjk_font() is None:
        pytest.skip("no font with Chinese glyphs")
    plots.use_language("zh")
    figure, ax = plt.subplots()
    draw_by_length(ax, load_study(), ["plain"], "exact", {"plain": [1.0] * 7})
    ax.legend()
    plots.translate_figure(figure)
    assert ax.get_xlabel() == "源句长度（词）"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["朴素", "朴素，本次运行"]
    assert set(translation_plots.MODEL_COLOURS) >= set(load_study()["models"])
