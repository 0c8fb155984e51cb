"""Lesson 4's helpers: starts of the forget gate, the memory task and its recorded study.

The cells themselves are written out in the lesson. Here is what would distract there: which rows
of PyTorch's stacked weights belong to the forget gate, the batches of the memory task, its loop.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from course_utils.plots import register_labels, show
from course_utils.training import set_seed

STUDY_FILE = Path(__file__).parent / "studies" / "memory.json"
KINDS: dict[str, Any] = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}
WEIGHTS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")

register_labels(
    {
        "offered": "送来的内容",
        "memory c": "记忆 c",
        "output h": "输出 h",
        "write": "写入",
        "speak": "开口",
        "forget": "忘掉",
        "One cell with gates set by hand\n": "门由人设定的一个单元\n",
        "RNN, scale {}": "RNN，尺度 {}",
        "GRU, bias {}": "GRU，偏置 {}",
        "LSTM, bias {} and {}": "LSTM，偏置 {} 和 {}",
        "LSTM, bias {}": "LSTM，偏置 {}",
        "LSTM, chrono": "LSTM，chrono",
        "LSTM, half chrono": "LSTM，半个 chrono",
        "time step of the input": "输入所在的时间步",
        "gradient, share of the last step's": "梯度（与最后一步之比）",
        "smallest number of float32": "float32 的最小正数",
        "tokens, T": "记号数 T",
        "guessing: {}": "瞎猜：{}",
        "Recalling the first token": "回忆第一个记号",
        "steps, T": "步数 T",
        "LSTM: one step after the other": "LSTM：一步接一步",
        "same multiplications, all steps at once": "同样多的乘法，所有步一起算",
        "A thousand steps are a thousand waits": "一千步，就要等一千次",
    }
)


# Starts: how a cell's forget gate stands before it has learned anything


@torch.no_grad()
def set_forget_bias(layer: nn.RNNBase, bias: float | Tensor) -> None:
    """Start the gate that keeps near sigmoid(bias) in a one-layer LSTM or GRU.

    PyTorch stacks an LSTM's rows as i, f, g, o and a GRU's as r, z, n, so f and z both stand
    second. It adds two bias vectors: one is set, the other cleared.
    """
    _, _, b_ih, b_hh = gate_rows(layer, 1)
    b_ih.copy_(torch.as_tensor(bias))
    b_hh.zero_()


@torch.no_grad()
def set_input_bias(lstm: nn.LSTM, bias: float | Tensor) -> None:
    """Start the input gates of a one-layer LSTM near sigmoid(bias)."""
    _, _, b_ih, b_hh = gate_rows(lstm, 0)
    b_ih.copy_(torch.as_tensor(bias))
    b_hh.zero_()


@torch.no_grad()
def set_chrono_bias(lstm: nn.LSTM, longest: int, inputs: bool = True) -> None:
    """Spread the cells' memory over 1 to `longest` steps (Tallec and Ollivier 2018, section 2).

    A forget gate of u / (1 + u) keeps a cell for about u steps. u is drawn evenly from
    1 .. longest - 1, which makes the bias ln u; the input gate gets -ln u, all others 0.
    Without `inputs` only the forget gates are set: half of the rule, to see what it does alone.
    """
    bias = torch.empty(lstm.hidden_size).uniform_(1, longest - 1).log()
    if inputs:
        for name in WEIGHTS[2:]:
            nn.init.zeros_(getattr(lstm, name))
        set_input_bias(lstm, -bias)
    set_forget_bias(lstm, bias)


@torch.no_grad()
def set_scale(rnn: nn.RNN, scale: float) -> None:
    """Lesson 3's start of an RNN: W_h from scale * N(0, 1) / sqrt(H), W_x alike, no bias."""
    for name, std in zip(WEIGHTS, (rnn.input_size**-0.5, scale * rnn.hidden_size**-0.5, 0, 0),
                         strict=True):  # fmt: skip
        nn.init.normal_(getattr(rnn, name), std=std)


def make_cell(start: str, input_size: int, hidden: int, longest: int = 100) -> nn.RNNBase:
    """A recurrent layer by the name of its start, as PyTorch makes it but for the forget bias.

    Args:
        start: "RNN", "GRU" or "LSTM", alone or with how it starts: "LSTM, bias 3" (any number, a
            GRU too), "LSTM, bias 5 and -5" (forget and input gate), "LSTM, chrono", "LSTM, half
            chrono" (forget gates only), "RNN, scale 1.5".
        input_size, hidden: sizes of the layer.
        longest: for chrono, the longest memory in steps.
    """
    kind, _, how = start.partition(", ")
    layer: nn.RNNBase = KINDS[kind](input_size, hidden)
    if how in ("chrono", "half chrono"):
        assert isinstance(layer, nn.LSTM)
        set_chrono_bias(layer, longest, inputs=how == "chrono")
    elif how.startswith("bias "):
        keep, _, write = how.removeprefix("bias ").partition(" and ")
        set_forget_bias(layer, float(keep))
        if write:
            assert isinstance(layer, nn.LSTM)
            set_input_bias(layer, float(write))
    elif how.startswith("scale "):
        assert isinstance(layer, nn.RNN)
        set_scale(layer, float(how.removeprefix("scale ")))
    elif how:
        raise ValueError(f"unknown start {start!r}")
    return layer


def gate_rows(layer: nn.RNNBase, number: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """One block of a layer's stacked weights: W_ih (H, D), W_hh (H, H), b_ih (H,), b_hh (H,).

    In an `nn.LSTM` blocks 0 to 3 are i, f, g, o; in an `nn.GRU` blocks 0 to 2 are r, z, n.
    """
    size = layer.hidden_size
    rows = slice(number * size, (number + 1) * size)
    w_ih, w_hh, b_ih, b_hh = (getattr(layer, name).detach()[rows] for name in WEIGHTS)
    return w_ih, w_hh, b_ih, b_hh


# The memory task: recall the first token after many others


SYMBOLS, FILLERS = 8, 4  # one of 8 is to be remembered; 4 others chatter in between
TOKENS = SYMBOLS + FILLERS + 1  # and one that asks
HIDDEN, UPDATES = 64, 600


def recall_batch(steps: int, batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Sequences of the memory task: tokens (steps, batch) and the symbol to recall (batch,).

    The first token is the symbol, the last one asks for it, all between are random fillers.
    """
    answer = torch.randint(SYMBOLS, (batch,), generator=generator)
    tokens = SYMBOLS + torch.randint(FILLERS, (steps, batch), generator=generator)
    tokens[0], tokens[-1] = answer, TOKENS - 1
    return tokens, answer


@dataclass(frozen=True)
class Recall:
    """What a run of the memory task ended with."""

    accuracy: float  # on 512 fresh sequences; guessing gives 1/8
    updates: int
    seconds: float
    losses: list[float]
    layer: nn.RNNBase


def train_recall(
    start: str, steps: int, *, seed: int = 0, updates: int = UPDATES, batch: int = 32
) -> Recall:
    """Train a cell on the memory task over `steps` steps; stops once it makes no more mistakes.

    Adam at 3e-3, gradients clipped at norm 1, fresh sequences in every update. It stops early
    after 10 batches in a row without a mistake.

    Args:
        start: the cell, as in `make_cell`; chrono is told `steps`.
        steps: length of the sequences; the symbol must be kept over steps - 1 tokens.
        seed: of the weights and of the sequences.
        updates: the most it may train.
        batch: sequences per update.
    """
    set_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    cell, out = make_cell(start, TOKENS, HIDDEN, steps), nn.Linear(HIDDEN, SYMBOLS)
    weights = [*cell.parameters(), *out.parameters()]
    optimizer = torch.optim.Adam(weights, lr=3e-3)

    def scores_of(tokens: Tensor) -> Tensor:
        hidden, _ = cell(functional.one_hot(tokens, TOKENS).float())
        return out(hidden[-1])

    losses: list[float] = []
    begin, faultless = time.process_time(), 0
    while len(losses) < updates and faultless < 10:
        tokens, answer = recall_batch(steps, batch, generator)
        scores = scores_of(tokens)
        loss = functional.cross_entropy(scores, answer)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        losses.append(loss.item())
        faultless = faultless + 1 if bool((scores.argmax(1) == answer).all()) else 0
    seconds = time.process_time() - begin
    tokens, answer = recall_batch(steps, 512, generator)
    with torch.no_grad():
        accuracy = (scores_of(tokens).argmax(1) == answer).float().mean().item()
    return Recall(accuracy, len(losses), seconds, losses, cell)


def load_memory_study() -> dict[str, Any]:
    """The recorded study (`benchmarks/memory_study.py` makes it again).

    ``study["accuracy"][start][str(steps)]`` is a list with one accuracy per seed.
    """
    return json.loads(STUDY_FILE.read_text(encoding="utf-8"))


def study_accuracy(study: dict[str, Any], start: str) -> NDArray[np.float64]:
    """(seeds, lengths) table of one start of the study."""
    return np.array([study["accuracy"][start][str(steps)] for steps in study["steps"]]).T


def finish_memory_plot(steps: Sequence[int]) -> None:
    """Axes, title and legend of the plot of accuracy against length, then show it."""
    import matplotlib.pyplot as plt

    plt.xticks(range(len(steps)), [str(number) for number in steps])
    plt.ylim(0, 1.05)
    plt.grid(axis="x", visible=False)
    plt.xlabel("tokens, T")
    plt.ylabel("accuracy")
    plt.title("Recalling the first token")
    plt.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    show()


def least_seconds(call: Callable[[], object], repeats: int = 20) -> float:
    """The shortest of several timings of a call, in seconds: other programs only ever slow it."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)
