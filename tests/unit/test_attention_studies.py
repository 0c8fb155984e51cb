"""Lesson 6's measures and views: word classes, shares, chains, self-attention, pictures."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from course_utils import attention_studies as studies
from course_utils import attention_views as views
from course_utils import plots, seq2seq
from course_utils.corpora.translation import Pair, load_translation

CROSSING = Pair(
    ("the", "black", "cat", "sees", "him"),
    ("le", "chat", "noir", "le", "voit"),
    ((0,), (2,), (1,), (4,), (3,)),
)


@pytest.fixture(scope="module")
def corpus():
    return load_translation(train=20, validation=4, test=6, beyond=2)


@pytest.fixture(scope="module")
def model(corpus):
    torch.manual_seed(0)
    return seq2seq.make_translator("dot", *seq2seq.vocabularies(corpus), 8, 16, True)


@pytest.fixture(autouse=True)
def english():
    plots.use_language("en")
    yield
    plots.use_language("en")
    plt.close("all")


def test_word_classes_tell_articles_from_pronouns_and_see_crossings():
    assert studies.word_classes(CROSSING) == [
        "determiner", "noun", "crossing adjective", "other", "other",
    ]  # fmt: skip


def test_an_adjective_before_its_noun_does_not_cross():
    pair = Pair(("a", "small", "cat"), ("un", "petit", "chat"), ((0,), (1,), (2,)))
    assert studies.word_classes(pair) == ["determiner", "other", "noun"]


def test_teacher_forced_weights_are_those_of_single_sentences(model, corpus):
    together = studies.teacher_forced_weights(model, corpus.test, size=16)
    for pair, weights in list(zip(corpus.test, together, strict=True))[::10]:
        assert weights.shape == (len(pair.target), len(pair.source))
        (alone,) = studies.teacher_forced_weights(model, [pair])
        np.testing.assert_allclose(weights, alone, atol=1e-6)
        np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)


def fake_weights(monkeypatch, choose):
    """Let every target word look at the place that `choose(pair, place)` names."""

    def weights(model, pairs, size=128):
        found = []
        for pair in pairs:
            rows = np.zeros((len(pair.target), len(pair.source)))
            for place in range(len(pair.target)):
                rows[place, choose(pair, place)] = 1
            found.append(rows)
        return found

    monkeypatch.setattr(studies, "teacher_forced_weights", weights)


def test_gold_share_is_one_for_gold_weights_and_low_for_shifted_ones(monkeypatch, corpus):
    fake_weights(monkeypatch, lambda pair, place: pair.alignment[place][0])
    assert set(studies.gold_share(None, corpus.test).values()) == {1.0}
    assert studies.determiner_looks(None, corpus.test)[0] == 1.0
    fake_weights(monkeypatch, lambda pair, place: (pair.alignment[place][0] + 2) % len(pair.source))
    assert studies.gold_share(None, corpus.test)["all"] < 0.1


def test_determiner_looks_finds_the_noun(monkeypatch):
    fake_weights(monkeypatch, lambda pair, place: 2)
    assert studies.determiner_looks(None, [CROSSING]) == (0.0, 1.0)


def test_longest_chain_counts_what_must_wait():
    x = torch.ones(3, requires_grad=True)
    wide = x * 2 + x * 3 + x * 4
    deep = x
    for _ in range(10):
        deep = deep * 2
    assert studies.longest_chain(deep) > studies.longest_chain(wide) > 1
    assert studies.longest_chain(deep) - studies.longest_chain(x * 2) == 9


def test_self_attention_equals_its_formula_and_hides_the_future():
    torch.manual_seed(0)
    layer, x = studies.SelfAttention(6, 4), torch.randn(2, 5, 6)
    q, k, v = layer.query(x), layer.key(x), layer.value(x)
    right = torch.softmax(q @ k.transpose(1, 2) / 2, -1) @ v
    torch.testing.assert_close(layer(x), right)
    changed = x.clone()
    changed[:, -1] += 1
    torch.testing.assert_close(layer(x, causal=True)[:, :-1], layer(changed, causal=True)[:, :-1])
    assert not torch.allclose(layer(x)[:, :-1], layer(changed)[:, :-1])


def test_first_to_last_gradient_is_exact_for_a_known_layer():
    def double_and_sum(x):
        return 2 * x.cumsum(1)

    assert studies.first_to_last_gradient(double_and_sum, 7, 4) == pytest.approx(4.0)


def test_best_seconds_is_positive_and_calls_with_the_arguments():
    seen = []
    assert studies.best_seconds(seen.append, 3, budget=0.0) > 0
    assert set(seen) == {3}


def test_alignment_map_has_tokens_rings_and_a_fixed_colour_range():
    weights = np.eye(5)[[0, 2, 1, 4, 3]] * 0.4
    ax = views.alignment_map(CROSSING.source, CROSSING.target, weights, CROSSING.alignment)
    assert [label.get_text() for label in ax.get_xticklabels()] == list(CROSSING.source)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(CROSSING.target)
    assert ax.images[0].get_clim() == (0, 1)
    assert sorted(patch.center for patch in ax.patches) == [
        (0, 0), (1, 2), (2, 1), (3, 4), (4, 3),
    ]  # fmt: skip


def test_alignment_map_adds_a_row_for_the_end():
    ax = views.alignment_map(["a", "b"], ["c"], np.full((2, 2), 0.5))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "(end)"]


def test_a_step_shows_weights_words_so_far_and_escapes():
    page = views.step_html(["<b>", "x"], ["y", "z"], [[0.9, 0.1], [0.2, 0.8]], 1)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "rgba(0,114,178,0.80)" in page
    assert page.index(">y<") < page.index(">z<")
    assert "step 2 of 2" in page


def test_the_viewer_s_slider_moves_the_picture():
    box = views.step_viewer(["x"], ["y", "z"], np.ones((3, 1))).widget
    play, slider = box.children[0].children
    picture = box.children[1]
    assert (slider.max, play.max) == (2, 2)
    before = picture.value
    slider.value = 2
    assert picture.value != before
    assert "(end)" in picture.value


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("verdict", ["known", "unsure", "no date", "strange"])
def test_every_verdict_has_a_sentence_in_the_learner_s_language(lang, verdict):
    plots.use_language(lang)
    sentence = views.date_sentence(verdict, "1998-03-05")
    assert ("1998-03-05" in sentence) == (verdict != "strange")
    if plots.cjk_font():
        assert any("\u4e00" <= letter <= "\u9fff" for letter in sentence) == (lang == "zh")


def test_the_date_box_answers_a_new_text(monkeypatch):
    asked = []

    def answer(model, text):
        asked.append(text)
        return seq2seq.Translation((), 0.0, False), "strange"

    monkeypatch.setattr(studies, "read_date", answer)
    box = views.date_box(None, plots.show).widget
    box.children[0].value = "12 mai 2020"
    assert asked[0] == "5 mars 1998"
    assert asked[-1] == "12 mai 2020"
