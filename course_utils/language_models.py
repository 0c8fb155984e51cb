"""n-gram models over any vocabulary, for lesson 1's study on real text.

The notebook builds the bigram model by hand. Longer contexts need sparse tables, which would
distract there: an n-gram is stored as one integer (its tokens are the digits of a number in base
V), and a table is a sorted array of the integers seen with their counts.

Tokens are integers 0..V-1 in a NumPy array; every function scores positions ``start`` onwards of
`test`, so that models of different n are compared on the same predictions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from course_utils.plots import register_labels

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


register_labels(
    {
        "add-k, k = {}": "加 k 平滑，k = {}",
        "add-one": "加一平滑",
        "bigram, k = {}": "二元模型，k = {}",
        "character frequencies": "字符频率",
        "cells in the table": "表中的格子",
        "cells ever filled": "出现过的格子",
        "characters in the training text": "训练文本的字符数",
        "choices": "等效选择数",
        "fair: its sentence left out": "公平：测试句不在训练文本中",
        "held-out text": "留出文本",
        "How long a memory the test rewards": "两种测试各奖励多长的记忆",
        "How many next characters it hesitates between": "每个字符之后，模型在多少个字符间犹豫",
        "interpolation": "插值",
        "Kneser-Ney": "Kneser-Ney 平滑",
        "leaky: the test text was read in training": "泄漏：测试文本在训练时读过",
        "next character": "后一个字符",
        "n, length of the n-gram": "n（n 元组的长度）",
        "number of cells": "格子数",
        "perplexity on the test text": "测试文本上的困惑度",
        "perplexity on held-out text": "留出文本上的困惑度",
        "Possible and seen": "可能的与见过的",
        "surprise (bits)": "意外程度（比特）",
        "Surprise at each character, k = 1": "每个字符带来的意外，k = 1",
        "The same counts, four ways to smooth": "同样的计数，四种平滑",
        "this character": "前一个字符",
        "training text": "训练文本",
        "uniform guess: {}": "均匀猜测：{}",
        "What it read, and what it did not": "读过的文本与没读过的文本",
    }
)


@dataclass(frozen=True)
class Table:
    """How often each n-gram was seen: sorted keys and their counts, both (seen,)."""

    keys: Ints
    counts: Ints

    def __getitem__(self, keys: Ints) -> Ints:
        """Counts of the n-grams `keys`, 0 for those never seen; same shape as `keys`."""
        if not len(self.keys):
            return np.zeros_like(keys)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)

    def contexts(self, vocab_size: int) -> tuple[Table, Table]:
        """For all that comes before a last token: how often, and before how many different ones."""
        before = self.keys // vocab_size  # sorted, as the keys are
        first = np.flatnonzero(np.diff(before, prepend=-1))
        times, kinds = np.add.reduceat(self.counts, first), np.diff(np.append(first, len(before)))
        return Table(before[first], times), Table(before[first], kinds)


def encode(tokens: list[str] | str, vocab: list[str]) -> Ints:
    """Tokens as positions in `vocab`: (T,)."""
    index = {token: number for number, token in enumerate(vocab)}
    return np.array([index[token] for token in tokens], dtype=np.int64)


def ngram_keys(ids: Ints, n: int, vocab_size: int) -> Ints:
    """Every run of n tokens of ids (T,) as one integer below V**n: (T - n + 1,)."""
    if vocab_size**n >= 2**63:
        raise ValueError(f"{vocab_size}**{n} n-grams do not fit into 64-bit integers")
    keys = np.zeros(len(ids) - n + 1, dtype=np.int64)
    for offset in range(n):
        keys = keys * vocab_size + ids[offset : offset + len(keys)]
    return keys


def count(keys: Ints) -> Table:
    """The table of the n-grams `keys`."""
    return Table(*np.unique(keys, return_counts=True))


def targets(test: Ints, n: int, vocab_size: int, start: int) -> Ints:
    """The n-grams that end at the positions start, start + 1, ... of `test`."""
    if start < n - 1:
        raise ValueError(f"position {start} has no {n - 1} tokens before it")
    return ngram_keys(test[start - n + 1 :], n, vocab_size)


def add_k_probs(
    train: Ints, test: Ints, n: int, vocab_size: int, *, k: float = 1.0, start: int | None = None
) -> Floats:
    """P(x_t | the n - 1 tokens before), counts plus k, at test[start:]; 0 if that is 0/0."""
    ends = targets(test, n, vocab_size, n - 1 if start is None else start)
    table = count(ngram_keys(train, n, vocab_size))
    contexts = table.contexts(vocab_size)[0][ends // vocab_size] + k * vocab_size
    return np.divide(table[ends] + k, contexts, out=np.zeros(len(ends)), where=contexts > 0)


def interpolated_probs(
    train: Ints,
    test: Ints,
    n: int,
    vocab_size: int,
    *,
    weight: float = 0.7,
    start: int | None = None,
) -> Floats:
    """Jelinek and Mercer (1980) with one weight for every order, at test[start:].

    P_n = weight * (relative frequency of the n-gram) + (1 - weight) * P_{n-1}, down to 1/V.
    A context never seen has no frequencies and hands over to the shorter one entirely.
    """
    start = n - 1 if start is None else start
    probs = np.full(len(test) - start, 1 / vocab_size)
    for order in range(1, n + 1):
        ends = targets(test, order, vocab_size, start)
        table = count(ngram_keys(train, order, vocab_size))
        context = table.contexts(vocab_size)[0][ends // vocab_size]
        mixed = weight * table[ends] / np.maximum(context, 1) + (1 - weight) * probs
        probs = np.where(context > 0, mixed, probs)
    return probs


def kneser_ney_probs(
    train: Ints, test: Ints, n: int, vocab_size: int, *, start: int | None = None
) -> Floats:
    """Interpolated Kneser-Ney (1995), as in Chen and Goodman (1999), at test[start:].

    Every count gives up a discount D; what a context's counts gave up is spread by the next
    shorter model. That model counts not how often an n-gram came, but after how many different
    tokens: its continuation count. D = n1 / (n1 + 2 n2) for each order, from the number of
    n-grams counted once and twice; the last resort is 1/V.
    """
    start = n - 1 if start is None else start
    probs = np.full(len(test) - start, 1 / vocab_size)
    for order in range(1, n + 1):
        if order == n:
            table = count(ngram_keys(train, order, vocab_size))
        else:  # the longer n-grams, each once, without their first token
            longer = np.unique(ngram_keys(train, order + 1, vocab_size))
            table = count(longer % vocab_size**order)
        once, twice = (table.counts == 1).sum(), (table.counts == 2).sum()
        discount = once / (once + 2 * twice) if once and twice else 0.5
        totals, followers = table.contexts(vocab_size)
        ends = targets(test, order, vocab_size, start)
        total, kinds = totals[ends // vocab_size], followers[ends // vocab_size]
        kept = np.maximum(table[ends] - discount, 0) + discount * kinds * probs
        probs = np.where(total > 0, kept / np.maximum(total, 1), probs)
    return probs


def perplexity_of(probs: Floats) -> float:
    """exp of the mean negative log of the probabilities that a model gave to what came."""
    with np.errstate(divide="ignore"):
        return float(np.exp(-np.log(probs).mean()))
