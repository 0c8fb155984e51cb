"""Lesson 7's comparison: every kind of model of the course as a language model of one text.

Characters of the Python manual (lesson 1), the last tenth held out. Each neural model is trained
for a given number of steps on random stretches of the text, and judged by its perplexity on the
held-out part, where it may use all that stands before a character (as far as it can see).

    text = load_text()
    model = make_model("LSTM", len(text.signs))
    seconds = train_model(model, text, steps=100)
    held_out_perplexity(model, text)
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from course_utils.corpora import texts
from course_utils.plots import register_labels
from course_utils.training import progress, set_seed

Ints = NDArray[np.int64]
STUDY_FILE = Path(__file__).parent / "studies" / "one_text.json"
STRETCH = 64
"""Characters in one training stretch; the windowed models see no further back."""
SKIP = STRETCH // 2
"""Held-out characters at the beginning that nobody is asked for."""

register_labels(
    {
        "1. Counting: longer memory, emptier table": "1. 计数：记忆越长，表格越空",
        "n; below it, the share of cells ever seen": "n；下面是见过的格子的比例",
        "2. What the last output still feels of each input": "2. 最后的输出对每个输入还有多敏感",
        "3. Through a keyhole, or with the sentence on the desk": "3. 挤过钥匙孔，还是原文摊在桌上",
        "time step of the input": "输入所在的时间步",
        "LSTM, forget bias 3": "LSTM，遗忘偏置 3",
        "feed-forward": "前馈网络",
        "self-attention": "自注意力",
        "6-gram, Kneser-Ney": "六元，Kneser-Ney 平滑",
        "Patience: the same models, trained for longer": "耐心：同样的模型，训练得更久",
        "CPU seconds of training": "训练用的 CPU 秒数",
    }
)


class Text(NamedTuple):
    """One text, cut in two."""

    signs: list[str]
    train: Ints  # (T,)
    held_out: Ints


def load_text() -> Text:
    """The manual of Python without repeated paragraphs, its last tenth held out."""
    manual = texts.manual_text()
    signs = texts.vocabulary(manual)
    index = {sign: number for number, sign in enumerate(signs)}
    train, held_out = (np.array([index[sign] for sign in part]) for part in texts.split(manual))
    return Text(signs, train, held_out)


class FeedForward(nn.Module):
    """Bengio and others (2003): vectors of the last few characters, side by side, one hidden layer.

    It has the n-gram's short memory, but similar characters share what is learned.
    """

    def __init__(self, size: int, context: int = 8, embed: int = 16, hidden: int = 192) -> None:
        super().__init__()
        self.context = context
        self.vectors = nn.Embedding(size, embed)
        self.hidden = nn.Linear(context * embed, hidden)
        self.output = nn.Linear(hidden, size)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> logits (B, T, V); what would stand before the beginning is zeros."""
        vectors = F.pad(self.vectors(ids), (0, 0, self.context - 1, 0))  # (B, T + n - 1, E)
        windows = vectors.unfold(1, self.context, 1).flatten(2)  # (B, T, E * n)
        return self.output(torch.tanh(self.hidden(windows)))


class Recurrent(nn.Module):
    """Lessons 3 and 4: a plain RNN, a GRU or an LSTM, and its state read out at each step."""

    def __init__(self, size: int, kind: str, embed: int = 32, hidden: int = 128) -> None:
        super().__init__()
        self.vectors = nn.Embedding(size, embed)
        layers = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}
        self.layer = layers[kind](embed, hidden, batch_first=True)
        self.output = nn.Linear(hidden, size)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> logits (B, T, V)."""
        return self.output(self.layer(self.vectors(ids))[0])


class Looking(nn.Module):
    """Causal self-attention: one block of a small Transformer, with a vector for each position."""

    def __init__(self, size: int, width: int = 96, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.vectors = nn.Embedding(size, width)
        self.positions = nn.Parameter(0.1 * torch.randn(STRETCH, width))
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_all = nn.Linear(width, 3 * width, bias=False)
        self.back = nn.Linear(width, width, bias=False)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.output = nn.Linear(width, size)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> logits (B, T, V), T at most `STRETCH`."""
        length = ids.shape[1]
        x = self.vectors(ids) + self.positions[:length]
        parts = self.to_all(self.first(x)).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.back(seen.transpose(1, 2).flatten(2))
        return self.output(x + self.think(self.second(x)))


KINDS = ("feed-forward", "RNN", "GRU", "LSTM", "self-attention")


def make_model(kind: str, size: int, seed: int = 0) -> nn.Module:
    """An untrained model of one of `KINDS` over `size` characters."""
    set_seed(seed)
    if kind == "feed-forward":
        return FeedForward(size)
    return Looking(size) if kind == "self-attention" else Recurrent(size, kind)


def train_model(
    model: nn.Module, text: Text, steps: int, seed: int = 0, label: str = "training"
) -> float:
    """Adam with warm-up and cosine on 32 random stretches a step; returns the CPU seconds."""
    ids = torch.from_numpy(text.train)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), 4e-3, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, steps, pct_start=0.15)
    begin = time.process_time()
    bar = progress(range(steps), label)
    for _ in bar:
        starts = torch.randint(len(ids) - STRETCH, (32, 1), generator=generator)
        stretch = ids[starts + torch.arange(STRETCH + 1)]  # (32, STRETCH + 1)
        loss = F.cross_entropy(model(stretch[:, :-1]).flatten(0, 1), stretch[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    bar.note(f"loss {loss.item():.2f}")
    return time.process_time() - begin


@torch.no_grad()
def held_out_perplexity(model: nn.Module, text: Text) -> float:
    """exp of the mean -ln P of each held-out character but the first `SKIP`.

    Recurrent models read the part from its beginning to its end. The others slide: windows of
    `STRETCH` characters, the first half of which is only there to be seen.
    """
    ids = torch.from_numpy(text.held_out)
    if isinstance(model, Recurrent):
        logp = torch.log_softmax(model(ids[None, :-1])[0], -1)
        return float(torch.exp(-logp.gather(1, ids[1:, None])[SKIP - 1 :].mean()))
    total, count = 0.0, 0
    for part in ids.unfold(0, STRETCH, SKIP).split(128):  # (N, STRETCH), overlapping by half
        logp = torch.log_softmax(model(part)[:, SKIP - 1 : -1], -1)
        scored = logp.gather(2, part[:, SKIP:, None])
        total, count = total + float(scored.sum()), count + scored.numel()
    return float(np.exp(-total / count))


def parameters(model: nn.Module) -> int:
    """How many numbers were learned."""
    return sum(weights.numel() for weights in model.parameters())


def recorded() -> dict[str, Any]:
    """What `benchmarks/one_text_study.py` wrote: the same models, trained for longer."""
    return json.loads(STUDY_FILE.read_text(encoding="utf-8"))
