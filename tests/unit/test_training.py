"""Seeds, device, progress bar and the plain training loop."""

import random

import numpy as np
import pytest
import torch
from torch import nn

from course_utils.training import fit, pick_device, progress, set_seed


def draws():
    return random.random(), np.random.rand(), torch.rand(1).item()


def test_the_same_seed_gives_the_same_numbers_everywhere():
    set_seed(3)
    first = draws()
    set_seed(3)
    assert draws() == first
    set_seed(4)
    assert all(a != b for a, b in zip(draws(), first, strict=True))


def test_importing_the_helpers_leaves_torch_on_one_thread():
    assert torch.get_num_threads() == 1


def test_the_device_can_hold_a_tensor():
    assert torch.ones(2, device=pick_device()).sum().item() == 2


def last_line(text):
    return text.replace("\r", "\n").strip().splitlines()[-1]


def test_progress_hands_on_every_item_and_leaves_one_line(capsys):
    assert list(progress("abc", "letters")) == ["a", "b", "c"]
    out, err = capsys.readouterr()
    assert last_line(out).startswith("letters: 3 steps, ")
    assert last_line(out).endswith(" s")
    assert err == ""


def test_progress_works_without_a_length(capsys):
    assert list(progress((n for n in range(4)), "numbers")) == [0, 1, 2, 3]
    assert "numbers: 4 steps" in capsys.readouterr().out


def test_progress_keeps_the_last_note(capsys):
    bar = progress(range(2), "work")
    for step in bar:
        bar.note(f"loss {step}")
    assert last_line(capsys.readouterr().out).endswith("s, loss 1")


def test_progress_says_when_the_loop_was_left_early(capsys):
    def interrupted():
        for step in progress(range(5), "work"):
            if step == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "stopped after 2 steps" in capsys.readouterr().out


def line_model():
    set_seed(0)
    return nn.Linear(1, 1)


def test_fit_lowers_the_loss_and_returns_one_loss_per_batch():
    model, x = line_model(), torch.linspace(-1, 1, 16)[:, None]
    losses = fit(
        model,
        [(x, 3 * x + 1)] * 200,
        lambda batch: ((model(batch[0]) - batch[1]) ** 2).mean(),
        torch.optim.Adam(model.parameters(), lr=0.1),
    )
    assert len(losses) == 200
    assert losses[-1] < 1e-3 < losses[0]


def test_fit_clips_the_global_norm():
    model = line_model()
    before = torch.cat([p.detach().flatten() for p in model.parameters()])
    fit(
        model,
        [1e6],
        lambda size: size * sum(p.sum() for p in model.parameters()),
        torch.optim.SGD(model.parameters(), lr=1.0),
        clip=0.5,
    )
    after = torch.cat([p.detach().flatten() for p in model.parameters()])
    assert (after - before).norm().item() == pytest.approx(0.5, rel=1e-4)


def test_fit_steps_the_schedule_once_per_batch():
    model = line_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    fit(model, [1, 1], lambda _: model.weight.sum(), optimizer, schedule=schedule)
    assert optimizer.param_groups[0]["lr"] == 0.25
