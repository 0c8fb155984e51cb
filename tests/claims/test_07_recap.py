"""Lesson 7's claims: vectors share what counting cannot; counting wins a race of seconds."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from course_utils import language_models as lm
from course_utils import one_text
from course_utils.corpora import sentences


@pytest.mark.parametrize("seed", range(3))
def test_a_network_with_word_vectors_knows_what_a_puppy_eats(seed):
    lines = [line.split() for line in sentences.EIGHT_SENTENCES if line != "a puppy eats food"]
    words = sorted({word for line in lines for word in line})
    triples = torch.tensor(
        [[words.index(w) for w in line[i : i + 3]] for line in lines for i in range(len(line) - 2)]
    )
    assert ["a", "puppy"] not in [line[:2] for line in lines]
    torch.manual_seed(seed)
    vectors = (0.3 * torch.randn(len(words), 8)).requires_grad_()
    weights = (0.3 * torch.randn(16, len(words))).requires_grad_()
    optimizer = torch.optim.Adam([vectors, weights], lr=0.05, weight_decay=0.002)
    for _ in range(300):
        logits = vectors[triples[:, :2]].flatten(1) @ weights
        optimizer.zero_grad()
        functional.cross_entropy(logits, triples[:, 2]).backward()
        optimizer.step()
    asked = torch.tensor([words.index("a"), words.index("puppy")])
    probs = torch.softmax(vectors[asked].flatten() @ weights, 0)
    assert probs[words.index("eats")] > 0.6


def test_counting_beats_a_short_training_which_beats_a_bigram():
    text = one_text.load_text()
    best = lm.perplexity_of(
        lm.kneser_ney_probs(text.train, text.held_out, 6, 32, start=one_text.SKIP)
    )
    bigram = lm.perplexity_of(lm.add_k_probs(text.train, text.held_out, 2, 32, start=one_text.SKIP))
    model = one_text.make_model("RNN", 32)
    one_text.train_model(model, text, 80)
    short = one_text.held_out_perplexity(model, text)
    assert 1.5 * best < short < bigram


def test_patience_helps_at_first_and_no_recorded_run_beats_counting():
    text = one_text.load_text()
    best = lm.perplexity_of(
        lm.kneser_ney_probs(text.train, text.held_out, 6, 32, start=one_text.SKIP)
    )
    for kind, runs in one_text.recorded()["models"].items():
        perplexities = [run["perplexity"] for run in runs]
        assert len(perplexities) >= 3
        assert np.all(np.diff(perplexities[:3]) < 0), kind
        assert min(perplexities) > best, kind
