"""Lesson 3's claims about gradients, as orderings and tolerances over seeds."""

import numpy as np
import pytest
import torch
from torch import nn

SEEDS = range(6)
F64 = torch.float64

torch.set_num_threads(1)


def with_radius(radius, H=32):
    W = torch.randn(H, H, dtype=F64)
    return W * radius / torch.linalg.eigvals(W).abs().max()


def orders_lost(start, seed, loudness=1.0, T=50, H=32):
    """log10 of first over last |dL/dx_t| with tanh, and of the same without tanh."""
    torch.manual_seed(seed)
    Wh, Wx = start(H), torch.randn(H, 8, dtype=F64) / 8**0.5
    x = (loudness * torch.randn(T, 8, dtype=F64)).requires_grad_()
    rnn = nn.RNN(8, H, bias=False).double()
    rnn.weight_hh_l0.data, rnn.weight_ih_l0.data = Wh, Wx
    norms = torch.autograd.grad(rnn(x)[0][-1].sum(), x)[0].norm(dim=1)
    ones = torch.ones(H, dtype=F64)
    linear = (Wx.T @ torch.linalg.matrix_power(Wh.T, T - 1) @ ones).norm() / (Wx.T @ ones).norm()
    return (norms[0] / norms[-1]).log10().item(), linear.log10().item()


def over_seeds(start, **options):
    return np.array([orders_lost(start, seed, **options) for seed in SEEDS]).T


def radius(value):
    return over_seeds(lambda H: with_radius(value, H))


def test_without_tanh_the_border_is_at_radius_one():
    assert (radius(0.75)[1] < -4).all()
    assert (radius(1.25)[1] > 3).all()
    assert np.abs(np.median(radius(1.0)[1])) < 0.5


def test_with_tanh_and_ordinary_inputs_gradients_fade_up_to_a_radius_near_two():
    assert (radius(1.0)[0] < -6).all()
    assert (radius(1.5)[0] < -1).all()
    assert abs(np.median(radius(2.0)[0])) < 1
    assert np.median(radius(2.5)[0]) > 1
    assert (radius(3.0)[0] > 0).all()


def test_louder_inputs_saturate_and_fade_more():
    quiet, loud = (over_seeds(lambda H: with_radius(2.0, H), loudness=a)[0] for a in (0.1, 3.0))
    assert (loud < quiet - 3).all()
    assert np.median(over_seeds(lambda H: with_radius(3.0, H), loudness=3.0)[0]) < 0


def orthogonal(H):
    return nn.init.orthogonal_(torch.empty(H, H, dtype=F64))


def default(H):
    return nn.init.uniform_(torch.empty(H, H, dtype=F64), -(H**-0.5), H**-0.5)


def test_an_orthogonal_start_gains_much_on_the_default_and_nothing_on_scale_one():
    by_start = {
        start: np.median(over_seeds(start)[0])
        for start in (orthogonal, default, lambda H: torch.randn(H, H, dtype=F64) / H**0.5)
    }
    turned, standard, random = by_start.values()
    assert turned > standard + 8
    assert abs(turned - random) < 2
    assert turned < -6


def log_norms(same, seed, steps=200, H=32):
    torch.manual_seed(seed)
    draw = lambda: torch.randn(H, H, dtype=F64) / H**0.5  # noqa: E731
    v, total, logs, W = torch.ones(H, dtype=F64) / H**0.5, 0.0, [], draw()
    for _ in range(steps):
        v = W @ v
        total += v.norm().log().item()
        logs.append(total)
        v, W = v / v.norm(), W if same else draw()
    return logs


@pytest.fixture(scope="module")
def logs():
    return {same: np.array([log_norms(same, s) for s in range(40)]) for same in (True, False)}


def test_repetition_changes_the_rate_by_a_few_per_cent_only(logs):
    rates = [logs[same][:, -1].mean() / 200 for same in (True, False)]
    assert np.abs(rates).max() < 0.1


def test_the_spread_grows_as_t_with_one_matrix_and_as_its_root_with_many(logs):
    slopes = {}
    for same, runs in logs.items():
        early, late = runs[:, 19].std(), runs[:, 199].std()
        slopes[same] = np.log(late / early) / np.log(10)
    assert 0.85 < slopes[True] < 1.15
    assert 0.3 < slopes[False] < 0.7
    assert logs[True][:, 199].std() > 3 * logs[False][:, 199].std()


def test_inside_one_product_both_kinds_crush_most_directions():
    for seed in range(5):
        torch.manual_seed(seed)
        W = [torch.randn(32, 32, dtype=F64) / 32**0.5 for _ in range(10)]
        for product in ([W[0]] * 10, W):
            values = torch.linalg.svdvals(torch.linalg.multi_dot(product))
            assert values[0] > 1
            assert (values[16:] < 0.1).all()


def losses(act, radius, target, clip, seed, steps=150):
    torch.manual_seed(seed)
    rnn, out = nn.RNN(1, 32, nonlinearity=act, bias=False), nn.Linear(32, 1)
    rnn.weight_hh_l0.data = with_radius(radius).float()
    weights, seen = [*rnn.parameters(), *out.parameters()], []
    optimizer = torch.optim.SGD(weights, lr=0.02, momentum=0.9)
    while len(seen) < steps and np.isfinite(seen[-1:]).all():
        x = torch.randn(25, 32, 1)
        loss = ((out(rnn(x)[0][-1]) - x[target]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, clip)
        optimizer.step()
        seen.append(loss.item())
    return seen


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_clipping_saves_an_exploding_network(seed):
    free, held = (losses("relu", 2.25, -1, clip, seed) for clip in (float("inf"), 1.0))
    assert len(free) <= 3
    assert not np.isfinite(free[-1])
    assert len(held) == 150
    assert np.mean(held[-10:]) < 0.3


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_clipping_does_nothing_for_a_vanishing_one(seed):
    free, held = (losses("tanh", 0.5, 0, clip, seed, 100) for clip in (float("inf"), 1.0))
    for seen in (free, held):
        assert np.mean(seen[-30:]) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tanh_is_a_brake_where_relu_explodes(seed):
    assert np.isfinite(losses("tanh", 2.25, -1, float("inf"), seed, 50)).all()
