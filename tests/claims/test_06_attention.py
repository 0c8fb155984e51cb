"""Lesson 6's claims, as orderings over seeds: keys and lengths, the root of d, paths, dates."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from course_utils import attention_studies as studies
from course_utils import seq2seq
from course_utils.corpora.dates import load_dates

SEEDS = range(3)


@pytest.mark.parametrize("first", [0, 1000, 2000])
def test_a_dot_product_misses_the_planted_key_a_hundred_times_as_often_as_cosine(first):
    missed = {"dot": 0, "cosine": 0}
    for seed in range(first, first + 1000):
        generator = torch.Generator().manual_seed(seed)
        keys = torch.randn(6, 4, generator=generator)
        query = 2 * keys[3] + 0.1 * torch.randn(4, generator=generator)
        missed["dot"] += int((keys @ query).argmax() != 3)
        missed["cosine"] += int(functional.cosine_similarity(keys, query[None]).argmax() != 3)
    assert 150 < missed["dot"] < 280
    assert missed["cosine"] < 12


def root_study(d, scale, seed, queries=200, places=10):
    """Variance, effective places, median Jacobian, median and mean gradient at the query."""
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(queries, 1, d, generator=generator)
    keys = torch.randn(queries, places, d, generator=generator)
    scores = scale * (q @ keys.transpose(1, 2))[:, 0]
    a = torch.softmax(scores, -1)
    entropy = -(a * (a + 1e-38).log()).sum(-1)
    jacobian = torch.diag_embed(a) - a[:, :, None] * a[:, None]
    gradient = (scale * jacobian @ keys).flatten(1).norm(dim=1)
    jacobian = jacobian.flatten(1).norm(dim=1)
    values = scores.var(), entropy.exp().mean(), jacobian.median(), gradient.median()
    return [float(value) for value in (*values, gradient.mean())]


@pytest.mark.parametrize("seed", SEEDS)
def test_variance_grows_with_d_and_the_root_undoes_it(seed):
    for d in (4, 64, 1024):
        assert root_study(d, 1, seed)[0] == pytest.approx(d, rel=0.25)
        assert root_study(d, d**-0.5, seed)[0] == pytest.approx(1, rel=0.25)
        assert root_study(d, 1 / d, seed)[0] == pytest.approx(1 / d, rel=0.25)


@pytest.mark.parametrize("seed", SEEDS)
def test_unscaled_saturates_and_division_by_d_flattens(seed):
    _, places, jacobian, gradient, mean = root_study(1024, 1, seed)
    _, places_root, jacobian_root, gradient_root, _ = root_study(1024, 1024**-0.5, seed)
    _, places_flat, _, gradient_flat, _ = root_study(1024, 1 / 1024, seed)
    assert places < 1.5
    assert 6 < places_root < 8
    assert places_flat > 9.9
    assert jacobian < jacobian_root / 100
    assert gradient < gradient_root / 20
    assert gradient_flat < gradient_root / 20
    assert mean > 2 * gradient_root  # the mean hides what the median shows


@pytest.mark.parametrize("seed", SEEDS)
def test_at_small_d_the_unscaled_gradient_is_the_larger_one(seed):
    for d in (4, 16):
        assert root_study(d, 1, seed)[3] > 1.5 * root_study(d, d**-0.5, seed)[3]


def layer(kind, width=32):
    torch.manual_seed(0)
    if kind == "attention":
        return studies.SelfAttention(width, width).double()
    made = (nn.RNN if kind == "rnn" else nn.LSTM)(width, width, batch_first=True).double()
    return lambda x: made(x)[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_attention_s_path_is_short_and_its_gradient_dilutes(seed):
    def norm(kind, length):
        return studies.first_to_last_gradient(layer(kind), length, 32, seed)

    assert norm("attention", 64) > 1e8 * norm("lstm", 64)
    assert norm("lstm", 64) > norm("rnn", 64)
    near = np.mean(
        [studies.first_to_last_gradient(layer("attention"), 16, 32, s) for s in range(8)]
    )
    far = np.mean(
        [studies.first_to_last_gradient(layer("attention"), 512, 32, s) for s in range(8)]
    )
    assert near / 200 < far < near / 5  # 32 times as long: about 1/T


def test_the_chain_of_operations_grows_for_a_loop_and_not_for_attention():
    cell = nn.LSTMCell(8, 8)

    def walk(x):
        state = None
        for step in x.unbind(1):
            state = cell(step, state)
        return state[0]

    attention = studies.SelfAttention(8, 8)
    short, long = torch.randn(1, 8, 8), torch.randn(1, 64, 8)
    assert studies.longest_chain(attention(short)) == studies.longest_chain(attention(long))
    assert studies.longest_chain(walk(long)) > 6 * studies.longest_chain(walk(short))


def test_additive_scores_cost_several_times_as_much_as_dot_scores():
    w1, w2, v = torch.randn(128, 128), torch.randn(128, 128), torch.randn(128)
    both = torch.randn(50, 128), torch.randn(50, 128)
    dot = studies.best_seconds(lambda t, s: t @ s.T, *both)
    additive = studies.best_seconds(
        lambda t, s: torch.tanh((t @ w2)[:, None] + (s @ w1)[None]) @ v, *both
    )
    assert additive > 5 * dot


def test_dates_are_read_nearly_without_mistakes():
    model, _ = studies.dates_translator()
    corpus = load_dates()
    said = seq2seq.translate_greedy(model, [pair.source for pair in corpus.test])
    assert seq2seq.exact_match(said, corpus.test) > 0.97
    older = seq2seq.translate_greedy(model, [pair.source for pair in corpus.beyond])
    assert seq2seq.exact_match(older, corpus.beyond) < 0.5
    for text, verdict in [
        ("MARCH 5, 1998", "known"),
        ("1998年3月5日", "known"),
        ("", "strange"),
        ("½ past 8", "strange"),
        ("5/3/1998", "unsure"),
    ]:
        assert studies.read_date(model, text)[1] == verdict, text
    assert studies.read_date(model, "31 february 1998")[1] != "known"


def test_the_recorded_study_says_what_the_lesson_says():
    study = studies.recorded()
    runs = study["translators"]
    assert all(len(found) >= 3 for found in runs.values())

    def share(name, kind):
        return [run["gold share"][kind] for run in runs[name]]

    assert min(share("dot, two-way", "all")) > 0.93
    assert min(share("additive, two-way", "all")) > 0.85
    for name in ("dot, two-way", "additive, two-way"):
        assert min(share(name, "crossing adjective")) > 0.97
        assert min(run["articles right"] for run in runs[name]) > 0.97
    assert min(share("additive, one-way", "determiner")) < 0.6
    assert min(study["dates"]["dot"]) > 0.97
    assert max(study["dates"]["reversed"]) < 0.1


def test_one_way_models_that_look_at_the_article_write_it_worse():
    runs = studies.recorded()["translators"]["additive, one-way"]
    own = [run["determiner looks"]["own"] for run in runs]
    for measure in ("articles right", "bleu"):
        assert np.corrcoef(own, [run[measure] for run in runs])[0, 1] < -0.9
    best = max(runs, key=lambda run: run["articles right"])
    assert best["determiner looks"]["noun"] > 0.3
