"""Lesson 3's claims about the character RNN: against counting, on text that nobody has read."""

import numpy as np
import pytest
import torch

from course_utils import language_models as lm
from course_utils.corpora import texts
from course_utils.recurrent import CharRNN, CharTrainer, char_probs
from course_utils.training import set_seed

SHORT, FEWER = 250, 100  # steps; the lesson takes 1500
SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def text():
    manual = texts.manual_text()
    signs = texts.vocabulary(manual)
    return [lm.encode(part, signs) for part in texts.split(manual)]


def trained(text, seed, steps, direct=0):
    set_seed(seed)
    model = CharRNN(32, 128, direct=direct)
    CharTrainer(model, text[0], steps=steps).run(steps)
    return model


def score(model, text):
    return lm.perplexity_of(char_probs(model, text[1], start=5))


@pytest.fixture(scope="module")
def counted(text):
    def curve(way, **options):
        probs = (way(*text, n, 32, start=5, **options) for n in range(1, 7))
        return [lm.perplexity_of(p) for p in probs]

    return {
        "add-one": curve(lm.add_k_probs),
        "add-k": curve(lm.add_k_probs, k=0.01),
        "interpolation": curve(lm.interpolated_probs, weight=0.7),
        "Kneser-Ney": curve(lm.kneser_ney_probs),
    }


@pytest.fixture(scope="module")
def alone(text):
    return [trained(text, seed, SHORT) for seed in SEEDS]


@pytest.fixture(scope="module")
def scores(text, alone):
    return [score(model, text) for model in alone]


def test_a_sixth_of_the_training_beats_every_way_of_counting_up_to_three(counted, scores):
    assert max(scores) < min(min(curve[:3]) for curve in counted.values())


def test_the_table_helps_on_every_seed_even_after_fewer_steps(text, scores):
    for seed, without in zip(SEEDS, scores, strict=True):
        assert score(trained(text, seed, FEWER, direct=6), text) < 0.95 * without


def test_beyond_a_dozen_characters_context_hardly_helps(text, alone):
    places = torch.from_numpy(text[1][:8000]).unfold(0, 65, 7)
    for model in alone:
        seen = {}
        with torch.no_grad():
            for span in (2, 12, 64):
                scores = model(places[:, -1 - span : -1].T)[0][-1].log_softmax(-1)
                seen[span] = -scores.gather(1, places[:, -1:]).mean().item()
        assert seen[12] - seen[64] < 0.03 < seen[2] - seen[12]


def test_with_the_lessons_training_and_a_table_every_way_of_counting_is_beaten(text, counted):
    both = score(trained(text, 0, 800, direct=6), text)
    assert both < min(min(curve) for curve in counted.values())


def test_the_notebook_says_so_too(counted):
    from tests.test_figures import printed

    for lang in ("en", "zh"):
        lines = printed("03_rnn", lang).splitlines()
        found = [float(line.split("held-out perplexity")[1].split(";")[0].split(",")[0])
                 for line in lines if "held-out perplexity" in line]  # fmt: skip
        alone, both = found[-2:]
        assert alone < min(*counted["add-one"], *counted["add-k"], *counted["Kneser-Ney"][:4])
        assert both < min(counted["Kneser-Ney"])
        assert np.argmin(counted["Kneser-Ney"]) == 5
