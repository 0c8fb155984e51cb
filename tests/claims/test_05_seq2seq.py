"""Lesson 5's claims: live ones on briefly trained models of two seeds, the rest on the study."""

import numpy as np
import pytest
import torch

from course_utils import seq2seq as s2s
from course_utils.corpora.translation import load_translation

STEPS, SEEDS = 200, (0, 1)


@pytest.fixture(scope="module")
def corpus():
    return load_translation()


@pytest.fixture(scope="module")
def pairs(corpus):
    return [pair for pair in corpus.test[::2] if len(pair.source) <= 12]


@pytest.fixture(scope="module")
def sources(pairs):
    return [pair.source for pair in pairs]


@pytest.fixture(scope="module")
def long_pairs(corpus):
    return [pair for pair in corpus.test if len(pair.source) >= 13]


@pytest.fixture(scope="module", params=SEEDS)
def models(request):
    """Plain and reversed translators of one seed, after a part of the lesson's steps."""
    return {
        kind: s2s.trained_translator(kind, request.param, steps=STEPS, checks=1)
        for kind in ("plain", "reversed")
    }


def traces(model, corpus):
    """How far the last state moves when the word at each of 16 places is exchanged."""
    ids = torch.tensor([model.source.encode(p.source) for p in corpus.test if len(p.source) == 16])
    lengths = torch.full((len(ids),), 16)
    with torch.no_grad():
        before, moved = model.start(ids, lengths).h, []
        for place in range(16):
            other = ids.clone()
            other[:, place] = ids[:, place].roll(1)
            change = (model.start(other, lengths).h - before).norm(dim=1)
            moved.append(float(change[other[:, place] != ids[:, place]].mean()))
    return np.array(moved)


# Live


@pytest.mark.parametrize("seed", range(3))
def test_untrained_the_first_words_fade_most(seed, corpus):
    torch.manual_seed(seed)
    moved = traces(s2s.make_translator("plain", *s2s.vocabularies(corpus)), corpus)
    assert (np.diff(np.log(moved[4:])) > 0.3).all()
    assert moved[0] < moved[-1] / 300


def test_trained_the_middle_fades_most(models, corpus):
    moved = traces(models["plain"][0], corpus)
    assert moved[0] > 4 * moved[6:12].mean()
    assert moved[-1] > 1.3 * moved[6:12].mean()


def test_reversal_helps_at_equal_budget(models):
    (_, plain), (_, turned) = models["plain"], models["reversed"]
    assert turned.validation[-1][1] < plain.validation[-1][1] - 0.2
    assert turned.seconds < 1.5 * plain.seconds


def test_reversal_helps_in_every_quarter(models, long_pairs):
    quarters = {}
    for kind, (model, _) in models.items():
        batch = s2s.make_batch(s2s.encode_pairs(long_pairs, model.source, model.target))
        with torch.no_grad():
            right = (model(batch).argmax(-1) == batch.target_out).double()
        sizes = (batch.target_out != s2s.PAD).sum(1, keepdim=True) - 1
        quarter = 4 * torch.arange(right.shape[1]) // sizes
        quarters[kind] = [float(right[quarter == q].mean()) for q in range(4)]
    assert all(np.array(quarters["reversed"]) > np.array(quarters["plain"]))


def test_reversal_leaves_the_mean_way_unchanged(long_pairs):
    for pair in long_pairs:
        if pair.one_to_one:
            size = len(pair.source)
            read = np.array([places[0] for places in pair.alignment])
            ways = [size - when + np.arange(size) for when in (read, size - 1 - read)]
            assert np.mean(ways[0]) == pytest.approx(np.mean(ways[1]))
            assert ways[1].min() < ways[0].min()


def test_teacher_forcing_flatters_words_but_not_whole_sentences(models, pairs, sources):
    for model, _ in models.values():
        words, sentences = s2s.teacher_forced_accuracy(model, pairs)
        said = s2s.translate_greedy(model, sources)
        assert s2s.exact_match(said, pairs) == pytest.approx(sentences)
        free = [
            one.words[place : place + 1] == (word,)
            for one, pair in zip(said, pairs, strict=True)
            for place, word in enumerate(pair.target)
        ]
        assert words > np.mean(free) + 0.1


def test_beam_usually_finds_likelier_sentences_and_sometimes_less_likely_ones(models, sources):
    gains = []
    for model, _ in models.values():
        greedy = s2s.translate_greedy(model, sources)
        beams = s2s.translate_beam(model, sources, 3)
        gains += [beam[0].score - one.score for one, beam in zip(greedy, beams, strict=True)]
        lengths = []
        for power in (0, 0.5, 1, 2):
            best = [max(beam, key=lambda one: one.score / one.steps**power) for beam in beams]
            lengths.append(np.mean([one.steps for one in best]))
        assert lengths == sorted(lengths)
        assert lengths[-1] > lengths[0]
    assert np.mean(np.array(gains) > 1e-4) > 0.25
    assert 0 < np.mean(np.array(gains) < -1e-4) < 0.25


def test_word_by_word_is_almost_never_right(corpus):
    partners = {}
    for pair in corpus.train:
        for french, places in zip(pair.target, pair.alignment, strict=True):
            counts = partners.setdefault(pair.source[places[0]], {})
            counts[french] = counts.get(french, 0) + 1
    lexicon = {english: max(counts, key=counts.get) for english, counts in partners.items()}
    said = [tuple(lexicon[word] for word in pair.source) for pair in corpus.test]
    assert np.mean([one == p.target for one, p in zip(said, corpus.test, strict=True)]) < 0.08


# The recorded study

STUDY = s2s.load_study()


def means(model, what="exact"):
    return s2s.study_values(STUDY, model, what).mean(0)


def seconds(model):
    return [run["seconds"] for run in STUDY["models"][model]["runs"]]


def test_study_quality_falls_with_length():
    for what in ("exact", "bleu"):
        assert (np.diff(means("plain", what)) <= 0.5).all()
    assert means("plain")[0] > 55
    assert means("plain")[2] < 2


@pytest.mark.parametrize(
    ("better", "worse"),
    [("reversed", "plain"), ("plain, H=256", "plain"), ("plain", "plain, H=64")],
)
def test_study_every_seed_of_one_beats_every_seed_of_the_other(better, worse):
    for what, groups in (("exact", 1), ("bleu", 4)):
        low = s2s.study_values(STUDY, better, what)[:, :groups].min(0)
        high = s2s.study_values(STUDY, worse, what)[:, :groups].max(0)
        assert (low > high).all()


def test_study_attention_wins_within_the_lengths_of_training_and_falls_beyond():
    for kind in ("additive", "dot", "general"):
        table = s2s.study_values(STUDY, kind)
        assert table[:, :3].min() > 75
        assert table[:, 3].min() > s2s.study_values(STUDY, "reversed")[:, 3].max() + 50
        assert table[:, 4].max() < table[:, 3].min()
        assert table[:, 6].max() < 10


def test_study_models_without_attention_got_at_least_as_many_seconds():
    without = min(np.mean(seconds("plain")), np.mean(seconds("reversed")))
    for kind in ("additive", "dot", "general"):
        assert np.mean(seconds(kind)) <= without
