"""Lesson 7's comparison: no model sees the future, and every one is asked the same characters."""

import numpy as np
import pytest
import torch
from torch import nn

from course_utils import one_text
from course_utils.one_text import SKIP, STRETCH, Text


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    return Text(list("abcde"), rng.integers(0, 5, 2000), rng.integers(0, 5, 16 * SKIP + SKIP))


@pytest.mark.parametrize("kind", one_text.KINDS)
def test_no_model_sees_a_later_character(kind):
    model = one_text.make_model(kind, 7).eval()
    ids = torch.randint(7, (2, 20), generator=torch.Generator().manual_seed(0))
    changed = ids.clone()
    changed[:, 12] = (changed[:, 12] + 1) % 7
    with torch.no_grad():
        before, after = model(ids), model(changed)
    assert before.shape == (2, 20, 7)
    torch.testing.assert_close(before[:, :12], after[:, :12])
    assert not torch.allclose(before[:, 12:], after[:, 12:])


class Fixed(nn.Module):
    """Gives the same probabilities everywhere."""

    def __init__(self, probs):
        super().__init__()
        self.logits = torch.log(torch.tensor(probs))

    def forward(self, ids):
        return self.logits.expand(*ids.shape, -1)


class FixedRecurrent(one_text.Recurrent):
    """The same, taken for a recurrent model."""

    def __init__(self, probs):
        nn.Module.__init__(self)
        self.logits = torch.log(torch.tensor(probs))

    def forward(self, ids):
        return self.logits.expand(*ids.shape, -1)


@pytest.mark.parametrize("model", [Fixed, FixedRecurrent])
def test_perplexity_of_known_probabilities_skips_the_same_beginning(small, model):
    probs = [0.1, 0.2, 0.3, 0.15, 0.25]
    wanted = np.exp(-np.log(np.array(probs)[small.held_out[SKIP:]]).mean())
    assert one_text.held_out_perplexity(model(probs), small) == pytest.approx(wanted, rel=1e-5)
    uniform = one_text.held_out_perplexity(model([0.2] * 5), small)
    assert uniform == pytest.approx(5, rel=1e-5)


@pytest.mark.parametrize("kind", ["feed-forward", "self-attention"])
def test_windows_give_what_one_window_gives(small, kind):
    model = one_text.make_model(kind, 5)
    ids = torch.from_numpy(small.held_out[:STRETCH])
    with torch.no_grad():
        logp = torch.log_softmax(model(ids[None])[0], -1)
    wanted = torch.exp(-logp[SKIP - 1 : -1].gather(1, ids[SKIP:, None]).mean())
    alone = small._replace(held_out=small.held_out[:STRETCH])
    assert one_text.held_out_perplexity(model, alone) == pytest.approx(float(wanted), rel=1e-5)


@pytest.mark.parametrize("kind", one_text.KINDS)
def test_a_few_steps_learn_an_easy_text(kind):
    easy = np.tile(np.arange(5), 400)
    text = Text(list("abcde"), easy[:1800], easy[1800:])
    model = one_text.make_model(kind, 5)
    before = one_text.held_out_perplexity(model, text)
    one_text.train_model(model, text, 15)
    assert one_text.held_out_perplexity(model, text) < 0.8 * before


def test_the_text_is_lesson_1_s_and_parameters_are_counted():
    text = one_text.load_text()
    assert len(text.signs) == 32
    assert len(text.train) > 200_000
    assert len(text.held_out) == pytest.approx(len(text.train) / 9, rel=0.01)
    model = one_text.make_model("RNN", 32)
    recurrent = 128 * (32 + 128) + 2 * 128
    assert one_text.parameters(model) == 32 * 32 + recurrent + 32 * 128 + 32
