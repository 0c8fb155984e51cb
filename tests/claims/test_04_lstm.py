"""Lesson 4's claims about gates, gradients and memory, as orderings over seeds."""

import numpy as np
import pytest
import torch
from torch import nn

from course_utils import gated

SEEDS = range(4)


def reaches_the_first(start, steps, seed):
    """|d sum(h_T) / d x_0| as a share of |d sum(h_T) / d x_T|, in float64."""
    torch.manual_seed(seed)
    layer = gated.make_cell(start, 8, 32).double()
    x = torch.randn(steps, 1, 8, dtype=torch.float64, requires_grad=True)
    layer(x)[0][-1].sum().backward()
    return float(x.grad[0].norm() / x.grad[-1].norm())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_forget_bias_decides_how_much_gradient_gets_through(seed):
    starts = ["RNN", "LSTM", "LSTM, bias 1", "LSTM, bias 3"]
    shares = [reaches_the_first(start, 50, seed) for start in starts]
    assert shares[0] * 30 < shares[1] < 1e-8
    assert shares[1] * 1e4 < shares[2] < 1e-2
    assert shares[2] * 100 < shares[3]
    assert reaches_the_first("GRU", 50, seed) < 1e-8
    assert reaches_the_first("LSTM, bias 5", 50, seed) > 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_over_200_steps_a_bias_of_1_is_too_little(seed):
    assert reaches_the_first("LSTM, bias 1", 200, seed) < 1e-12
    assert reaches_the_first("LSTM", 200, seed) < 1e-35
    assert reaches_the_first("LSTM, bias 5", 200, seed) > 1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_an_rnn_with_large_weights_passes_more_than_cells_out_of_the_box(seed):
    large = reaches_the_first("RNN, scale 1.5", 50, seed)
    assert large > 1e4 * max(reaches_the_first(kind, 50, seed) for kind in ("LSTM", "GRU"))


def memory_derivative(bias, seed, cut):
    """d c_50 / d c_0 of an LSTM, and the product of its forget gates."""
    torch.manual_seed(seed)
    layer = gated.make_cell(f"LSTM, bias {bias}", 8, 32).double()
    inputs = torch.randn(50, 1, 8, dtype=torch.float64)
    w_ih, w_hh, b_ih, b_hh = (getattr(layer, name).detach() for name in gated.WEIGHTS)
    kept = []

    def last_memory(c):
        h = torch.zeros_like(c)
        kept.clear()
        for x in inputs[:, 0]:
            h = h.detach() if cut else h
            i, f, g, o = (w_ih @ x + b_ih + w_hh @ h + b_hh).chunk(4)
            kept.append(f.sigmoid().detach())
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return c

    start = torch.zeros(32, dtype=torch.float64)
    matrix = torch.autograd.functional.jacobian(last_memory, start)
    return matrix, torch.stack(kept).prod(0)


@pytest.mark.parametrize("bias", [0, 1, 3, 5])
def test_the_direct_path_is_the_product_of_forget_gates_and_not_all(bias):
    for seed in range(3):
        direct, kept = memory_derivative(bias, seed, cut=True)
        assert torch.allclose(direct, kept.diag(), atol=0)
        full, kept = memory_derivative(bias, seed, cut=False)
        assert torch.linalg.matrix_norm(full, 2) > (1000 if bias == 0 else 5) * kept.max()


@pytest.mark.parametrize("seed", SEEDS)
def test_50_layers_fade_unless_they_add(seed):
    slopes = []
    for skip in (0.0, 1.0):
        torch.manual_seed(seed)
        layers = [nn.Linear(32, 32) for _ in range(50)]
        bottom = torch.randn(32, requires_grad=True)
        y = bottom
        for layer in layers:
            y = skip * y + torch.tanh(layer(y))
        slopes.append(torch.autograd.grad(y.sum(), bottom)[0].norm().item())
    assert slopes[0] < 1e-7
    assert slopes[1] > 1


def test_over_20_tokens_a_bias_of_3_learns_at_once_and_a_default_lstm_not_at_all():
    for seed in range(3):
        sure = gated.train_recall("LSTM, bias 3", 20, seed=seed)
        assert sure.accuracy > 0.99
        assert sure.updates < 150
        assert gated.train_recall("LSTM", 20, seed=seed, updates=300).accuracy < 0.25


def test_over_50_tokens_chrono_learns_on_every_seed():
    assert all(gated.train_recall("LSTM, chrono", 50, seed=s).accuracy > 0.9 for s in range(3))


def test_the_recorded_study_says_what_the_lesson_says():
    study = gated.load_memory_study()
    assert study["steps"] == [20, 50, 100]
    mean = {start: gated.study_accuracy(study, start).mean(0) for start in study["accuracy"]}
    assert all(len(runs) >= 3 for by_steps in study["accuracy"].values()
               for runs in by_steps.values())  # fmt: skip
    assert (mean["LSTM"] < 0.2).all()
    assert (np.diff([mean[f"LSTM, bias {bias}"][1] for bias in (0, 1, 3, 5)]) > 0.1).all()
    assert mean["LSTM, chrono"].min() > 0.95
    assert mean["LSTM, bias 1"][2] < 0.2
    assert mean["GRU"][0] > 0.95
    assert mean["GRU"][1] < 0.2
    assert mean["LSTM, bias 5"][2] < 0.3  # flat gradients, and yet
    assert mean["LSTM, half chrono"][2] < 0.2
    assert mean["LSTM, bias 5 and -5"].min() > 0.95
    assert mean["GRU, bias 3"].min() > 0.9
    assert mean["LSTM, bias 3"][1] < mean["LSTM, bias 3 and -3"][1] - 0.2
    learned = {
        start: [sum(run > 0.95 for run in runs) for runs in by_steps.values()]
        for start, by_steps in study["accuracy"].items()
    }
    assert learned["RNN"][0] == 3
    assert learned["LSTM"][0] == 0
    assert learned["LSTM, bias 1"][1] == 1


def test_half_open_input_gates_fill_an_untrained_memory():
    tokens, _ = gated.recall_batch(100, 100, torch.Generator().manual_seed(0))
    sizes = []
    for start in ("LSTM, bias 5", "LSTM, half chrono", "LSTM, bias 5 and -5", "LSTM, chrono"):
        torch.manual_seed(0)
        layer = gated.make_cell(start, gated.TOKENS, 64, longest=100)
        with torch.no_grad():
            _, (_, c) = layer(nn.functional.one_hot(tokens, gated.TOKENS).float())
        sizes.append(c.abs().mean().item())
    assert min(sizes[:2]) > 2 > 0.1 > max(sizes[2:])


def test_a_chrono_start_spreads_the_memory_up_to_the_longest_time():
    torch.manual_seed(0)
    lstm = gated.make_cell("LSTM, chrono", 4, 400, longest=100)
    _, _, b_ih, b_hh = gated.gate_rows(lstm, 1)
    steps = torch.exp(b_ih + b_hh)
    assert 1 <= steps.min() < 3
    assert 97 < steps.max() <= 99
    assert steps.mean() == pytest.approx(50, abs=4)
    assert torch.equal(gated.gate_rows(lstm, 0)[2], -b_ih)
    assert not gated.gate_rows(lstm, 2)[2].any()


def test_the_memory_task_asks_for_its_first_token():
    tokens, answer = gated.recall_batch(20, 64, torch.Generator().manual_seed(0))
    assert tokens.shape == (20, 64)
    assert torch.equal(tokens[0], answer)
    assert set(answer.tolist()) == set(range(8))
    assert (tokens[-1] == gated.TOKENS - 1).all()
    assert tokens[1:-1].min() == 8
    assert tokens[1:-1].max() == 11
