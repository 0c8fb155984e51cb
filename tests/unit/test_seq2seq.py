"""Translators: padding changes nothing, decoding is free-running, beam search is what it says."""

import itertools
import json
import math
import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import training
from course_utils.attention import masked_softmax
from course_utils.corpora.translation import load_translation
from course_utils.seq2seq import (
    BOS,
    EOS,
    KINDS,
    LENGTH_GROUPS,
    PAD,
    UNK,
    Batch,
    History,
    State,
    Translation,
    Vocabulary,
    bleu,
    choice_log_probs,
    encode_pairs,
    exact_match,
    load_study,
    make_batch,
    make_batches,
    make_translator,
    mean_loss,
    reverse_rows,
    score_translations,
    study_values,
    table_step,
    teacher_forced_accuracy,
    train_translator,
    trained_translator,
    translate_beam,
    translate_greedy,
    vocabularies,
)

ATTENTION = ("additive", "dot", "general")
WITH_ONE_WAY = [*((kind, None) for kind in KINDS), ("dot", False), ("additive", False)]


@pytest.fixture(scope="module")
def corpus():
    return load_translation(seed=5, train=40, validation=4, test=6, beyond=2)


def fresh(kind, corpus, two_way=None, seed=0, **sizes):
    torch.manual_seed(seed)
    sizes = {"embed": 12, "hidden": 16} | sizes
    return make_translator(kind, *vocabularies(corpus), two_way=two_way, **sizes).eval()


def sharpened(model, factor=6.0):
    """Make an untrained model opinionated: near-uniform outputs would tie."""
    with torch.no_grad():
        model.output.weight.mul_(factor)
    return model


def coded(model, pairs):
    return encode_pairs(pairs, model.source, model.target)


def mixed_pairs(corpus, count=9):
    """Pairs of quite different lengths."""
    return [*corpus.test[:: len(corpus.test) // count][:count], corpus.beyond[-1]]


# Batches


def test_vocabulary_keeps_special_numbers_and_unknown_words():
    vocabulary = Vocabulary.of([("b", "a"), ("a",)])
    assert vocabulary.words == ("<pad>", "<bos>", "<eos>", "<unk>", "a", "b")
    assert vocabulary.encode(("b", "never")) == [5, UNK]
    assert vocabulary.decode([BOS, 4, 5, EOS, 4, PAD]) == ("a", "b")


def test_vocabularies_hold_training_words_only(corpus):
    source, target = vocabularies(corpus)
    assert set(source.words[4:]) == {word for pair in corpus.train for word in pair.source}
    assert set(target.words[4:]) == {word for pair in corpus.train for word in pair.target}


@pytest.mark.parametrize("bucketed", [True, False])
def test_an_epoch_holds_every_pair_once(corpus, bucketed):
    rows = encode_pairs(corpus.train, *vocabularies(corpus))
    batches = make_batches(rows, 32, random.Random(0), bucketed)
    seen = [
        (source[:length].tolist(), [word for word in target.tolist() if word not in (PAD, EOS)])
        for batch in batches
        for source, length, target in zip(
            batch.source, batch.lengths, batch.target_out, strict=True
        )
    ]
    assert sorted(seen) == sorted((list(source), list(target)) for source, target in rows)
    padded = sum(int((b.source == PAD).sum()) for b in batches)
    words = sum(len(source) for source, _ in rows)
    assert padded / words < 0.03 if bucketed else padded / words > 0.3


def test_target_in_and_out_are_one_step_apart(corpus):
    batch = make_batch(encode_pairs(corpus.test[:20], *vocabularies(corpus)))
    for into, out in zip(batch.target_in.tolist(), batch.target_out.tolist(), strict=True):
        length = out.index(EOS)
        assert into[0] == BOS
        assert into[1 : length + 1] == out[:length]
        assert set(out[length + 1 :]) | set(into[length + 1 :]) <= {PAD}


def test_reverse_rows_leaves_padding_on_the_right():
    source = torch.tensor([[5, 6, 7], [8, 9, PAD]])
    assert reverse_rows(source, torch.tensor([3, 2])).tolist() == [[7, 6, 5], [9, 8, PAD]]


# Models


@pytest.mark.parametrize(("kind", "two_way"), WITH_ONE_WAY)
def test_padding_changes_no_loss_state_or_weight(corpus, kind, two_way):
    model = fresh(kind, corpus, two_way).double()
    pairs = mixed_pairs(corpus)
    plain, padded = make_batch(coded(model, pairs)), make_batch(coded(model, pairs), extra=5)
    alone = [make_batch(coded(model, [pair])) for pair in pairs]
    with torch.no_grad():
        losses = [float(model.loss(batch, "sum")) for batch in (plain, padded)]
        one_by_one = sum(float(model.loss(batch, "sum")) for batch in alone)
        assert losses == pytest.approx([one_by_one] * 2, rel=1e-12)
        for row, batch in enumerate(alone):
            state = model.start(batch.source, batch.lengths)
            for other in (plain, padded):
                batched = model.start(other.source, other.lengths)
                torch.testing.assert_close(batched.h[row], state.h[0])
                torch.testing.assert_close(batched.c[row], state.c[0])
    if kind in ATTENTION:
        with torch.no_grad():
            weights, more = model.attend(plain), model.attend(padded)
        size = plain.source.shape[1]
        steps = plain.target_in.shape[1]
        torch.testing.assert_close(more[:, :steps, :size], weights)
        assert float(more[:, :, size:].abs().max()) == 0.0
        outside = torch.arange(size) >= plain.lengths[:, None]
        assert float(weights.masked_fill(~outside[:, None], 0).abs().max()) == 0.0


def test_padding_changes_no_gradient(corpus):
    gradients = []
    for extra in (0, 4):
        model = fresh("additive", corpus).double()
        model.loss(make_batch(coded(model, mixed_pairs(corpus)), extra)).backward()
        gradients.append(torch.cat([w.grad.flatten() for w in model.parameters()]))
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize(("kind", "two_way"), WITH_ONE_WAY)
def test_step_by_step_equals_the_whole_target_at_once(corpus, kind, two_way):
    model = fresh(kind, corpus, two_way)
    batch = make_batch(coded(model, mixed_pairs(corpus)))
    with torch.no_grad():
        together = model(batch)
        state = model.start(batch.source, batch.lengths)
        for place in range(batch.target_in.shape[1]):
            logits, state = model.step(batch.target_in[:, place], state)
            torch.testing.assert_close(logits, together[:, place])
        if kind in ATTENTION:
            torch.testing.assert_close(state.weights, model.attend(batch)[:, -1])


@pytest.mark.parametrize("kind", ATTENTION)
def test_weights_change_when_encoder_states_change(corpus, kind):
    model = fresh(kind, corpus)
    batch = make_batch(coded(model, corpus.test[30:34]))
    with torch.no_grad():
        state = model.start(batch.source, batch.lengths)
        _, before = model.step(batch.target_in[:, 0], state)
        swapped = state.memory.flip(1)
        state = state._replace(memory=swapped, keys=model.keys_of(swapped))
        _, after = model.step(batch.target_in[:, 0], state)
    torch.testing.assert_close(after.weights, before.weights.flip(1))
    assert float((after.weights - before.weights).abs().max()) > 1e-3


@pytest.mark.parametrize("kind", ATTENTION)
def test_weights_are_a_distribution_over_real_words(corpus, kind):
    model = fresh(kind, corpus)
    batch = make_batch(coded(model, mixed_pairs(corpus)))
    weights = model.attend(batch)
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:2]))


def test_masked_softmax_never_gives_nan():
    scores = torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = masked_softmax(scores, mask)
    torch.testing.assert_close(weights[0], torch.tensor([0.2689, 0.7311, 0.0]), atol=1e-4, rtol=0)
    assert weights[1].tolist() == [0.0, 0.0, 0.0]
    weights.pow(2).sum().backward()
    assert bool(scores.grad.isfinite().all())


@pytest.mark.parametrize("kind", ATTENTION)
def test_gradcheck_of_scores_weights_and_context(kind):
    """Analytic against numeric gradients of one look, with a masked row and masked places."""
    words = Vocabulary(["a", "b", "c"])
    torch.manual_seed(0)
    model = make_translator(kind, words, words, embed=3, hidden=4).double()
    memory = torch.randn(3, 5, 4, dtype=torch.float64, requires_grad=True)
    h = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([5, 2, 0])
    mask = torch.arange(5) < lengths[:, None]
    tokens = torch.tensor([[BOS, 4], [BOS, 5], [BOS, 6]])

    def look(memory, h):
        state = State(h, torch.zeros_like(h), memory, model.keys_of(memory), mask)
        outputs, weights, _ = model.look(tokens, state)
        return outputs, weights

    assert torch.autograd.gradcheck(look, (memory, h))
    assert bool(look(memory, h)[0].isfinite().all())


# Decoding


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_reads_its_own_words(corpus, kind):
    """Each word is the likeliest one after the words written so far; no reference is involved."""
    model = sharpened(fresh(kind, corpus, seed=1))
    sources = [pair.source for pair in mixed_pairs(corpus)]
    for source, said in zip(sources, translate_greedy(model, sources), strict=True):
        numbers = model.target.encode(said.words)
        into = torch.tensor([[BOS, *numbers]])
        read = Batch(
            torch.tensor([model.source.encode(source)]), torch.tensor([len(source)]), into, into
        )
        with torch.no_grad():
            best = choice_log_probs(model(read))[0].argmax(-1).tolist()
        assert best[: said.steps] == [*numbers, EOS][: said.steps]


def test_forced_and_free_running_differ(corpus):
    """Greedy output of an untrained model is far from what it says when it reads the truth."""
    model = sharpened(fresh("plain", corpus, seed=1))
    pairs = corpus.test[:20]
    said = translate_greedy(model, [pair.source for pair in pairs])
    with torch.no_grad():
        batch = make_batch(coded(model, pairs))
        forced = choice_log_probs(model(batch)).argmax(-1)
    assert any(
        one.words != model.target.decode(row)
        for one, row in zip(said, forced.tolist(), strict=True)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_beam_of_one_is_greedy(corpus, kind):
    model = sharpened(fresh(kind, corpus, seed=2))
    sources = [pair.source for pair in mixed_pairs(corpus)]
    greedy = translate_greedy(model, sources)
    beams = translate_beam(model, sources, width=1)
    for one, (other,) in zip(greedy, beams, strict=True):
        assert (one.words, one.ended) == (other.words, other.ended)
        assert one.score == pytest.approx(other.score, abs=1e-5)


@pytest.mark.parametrize("kind", ["reversed", "additive", "general"])
def test_every_score_equals_reading_the_sentence_again(corpus, kind):
    model = sharpened(fresh(kind, corpus, seed=3), 3.0)
    sources = [pair.source for pair in mixed_pairs(corpus)]
    for found in (
        translate_beam(model, sources, 5),
        translate_beam(model, sources, 3, normalise=1),
    ):
        for rank in range(3):
            row = [beam[rank] for beam in found]
            assert score_translations(model, sources, row) == pytest.approx(
                [one.score for one in row], abs=1e-3
            )
    greedy = translate_greedy(model, sources)
    assert score_translations(model, sources, greedy) == pytest.approx(
        [one.score for one in greedy], abs=1e-3
    )


def exhaustive(model, source, limit):
    """Every sentence of at most `limit` steps with its score, best first."""
    words = range(UNK + 1, len(model.target))
    said = []
    for length in range(limit + 1):
        for numbers in itertools.product(words, repeat=length):
            ended = length < limit
            said.append(Translation(model.target.decode(numbers), 0.0, ended))
    scores = score_translations(model, [source] * len(said), said)
    scored = [one._replace(score=score) for one, score in zip(said, scores, strict=True)]
    return sorted(scored, key=lambda one: -one.score)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["plain", "dot", "additive"]))
def test_a_beam_that_holds_everything_is_exhaustive(seed, kind):
    words = Vocabulary(["a", "b", "c"])
    torch.manual_seed(seed)
    model = make_translator(kind, words, words, embed=3, hidden=4).double().eval()
    sharpened(model, 8.0)
    source = ("b", "a", "c")
    everything = exhaustive(model, source, limit=3)
    assert len(everything) == 1 + 3 + 9 + 27
    (found,) = translate_beam(model, [source], width=len(everything), limit=3)
    assert {one.words for one in found} == {one.words for one in everything}
    for one, other in zip(found, everything, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-9)
    assert math.fsum(math.exp(one.score) for one in found) <= 1 + 1e-9


def test_length_normalisation_favours_longer_sentences(corpus):
    """Of one beam, the best per step is never shorter than the best in sum."""
    sizes = {"embed": 12, "hidden": 16, "warm": 5, "rate": 1e-2}
    model, _ = train_translator("plain", corpus, 60, **sizes)
    sources = [pair.source for pair in corpus.test[::4]]
    beams = translate_beam(model, sources, 6)
    longer = 0
    for beam in beams:
        per_step = max(beam, key=lambda one: one.score / one.steps)
        assert per_step.steps >= beam[0].steps
        longer += per_step.steps > beam[0].steps
    assert longer > 0
    normalised = translate_beam(model, sources, 6, normalise=1.0)
    for beam, other in zip(beams, normalised, strict=True):
        assert other[0] == max(beam, key=lambda one: one.score / one.steps)


def test_table_step_walks_its_tables():
    log_probs = np.log(np.array([[0.5, 0.5], [0.9, 0.1]]))
    step = table_step(log_probs, np.array([[1, 0], [1, 0]]))
    scores, state = step(0, 0)
    assert state == 1
    np.testing.assert_array_equal(scores, log_probs[1])


# Judging and training


def test_exact_match_and_bleu(corpus):
    pairs = corpus.test[20:30]
    right = [Translation(pair.target, 0.0, True) for pair in pairs]
    assert exact_match(right, pairs) == 1.0
    assert bleu(right, pairs) == pytest.approx(100)
    wrong = [one._replace(words=one.words[::-1]) for one in right]
    assert exact_match(wrong, pairs) < 0.2
    assert bleu(wrong, pairs) < 60


def test_training_is_repeatable_and_learns(corpus):
    sizes = {"embed": 12, "hidden": 16, "warm": 5}
    runs = [train_translator("dot", corpus, 40, seed=1, **sizes) for _ in range(2)]
    assert runs[0][1].losses == runs[1][1].losses
    assert runs[0][1].losses[-1] < runs[0][1].losses[0] - 0.5
    model, history = runs[0]
    batches = make_batches(coded(model, corpus.validation), 64)
    assert history.validation[-1][1] == pytest.approx(mean_loss(model, batches))
    words, sentences = teacher_forced_accuracy(model, corpus.validation)
    assert 0 <= sentences <= words <= 1


def test_trained_translator_comes_back_from_the_cache(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    first, history = trained_translator("plain", steps=2, embed=8, hidden=8)
    capsys.readouterr()
    second, again = trained_translator("plain", steps=2, embed=8, hidden=8)
    assert capsys.readouterr().out == ""
    assert isinstance(again, History)
    assert again == history
    for name, weights in first.state_dict().items():
        assert torch.equal(weights, second.state_dict()[name])


# The cache


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "data"))
    made = []

    def run(settings=None, **options):
        def make():
            made.append(1)
            return {"weights": torch.arange(3.0), "losses": [1.0, 0.5]}

        return training.cached("thing", settings or {"steps": 2}, make, **options)

    run.made = made
    run.files = lambda: list((tmp_path / "data").glob("*"))
    return run


def test_cached_makes_once_and_again_when_asked(kept):
    assert kept()["losses"] == kept()["losses"] == [1.0, 0.5]
    assert len(kept.made) == 1
    kept(retrain=True)
    assert len(kept.made) == 2
    kept({"steps": 3})
    assert len(kept.made) == 3
    assert len(kept.files()) == 2


@pytest.mark.parametrize("damage", [b"", b"no zip at all", b"PK\x03\x04cut off"])
def test_cached_rebuilds_a_damaged_file_with_a_word(kept, capsys, damage):
    kept()
    (path,) = kept.files()
    path.write_bytes(damage)
    torch.testing.assert_close(kept()["weights"], torch.arange(3.0))
    assert len(kept.made) == 2
    assert "making it again" in capsys.readouterr().out
    kept()
    assert len(kept.made) == 2


def test_cached_never_runs_what_a_file_says(kept, tmp_path, capsys):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    kept()
    (path,) = kept.files()
    torch.save({"key": "x", "value": Trap()}, path)
    kept()
    assert not (tmp_path / "sprung").exists()
    assert len(kept.made) == 2
    assert "making it again" in capsys.readouterr().out


def test_cached_notices_changed_code(kept, tmp_path, capsys):
    module = type(torch)("pretend")
    module.__file__ = str(tmp_path / "pretend.py")
    (tmp_path / "pretend.py").write_text("a = 1\n")
    kept(code=[module])
    kept(code=[module])
    assert len(kept.made) == 1
    (tmp_path / "pretend.py").write_text("a = 2\n")
    kept(code=[module])
    assert len(kept.made) == 2
    assert "older code" in capsys.readouterr().out


def test_cached_goes_on_where_nothing_can_be_written(kept, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "file"))
    assert kept()["losses"] == [1.0, 0.5]
    assert "not kept" in capsys.readouterr().out


# The recorded study


def test_the_study_is_whole():
    study = load_study()
    assert study["groups"] == [f"{group[0]}-{group[-1]}" for group in LENGTH_GROUPS]
    assert json.dumps(study)
    for kind in KINDS:
        runs = study["models"][kind]["runs"]
        assert len({run["seed"] for run in runs}) == len(runs) >= 3
        for what in ("exact", "bleu"):
            table = study_values(study, kind, what)
            assert table.shape == (len(runs), len(LENGTH_GROUPS))
            assert table.min() >= 0
            assert table.max() <= 100
