"""Right solutions of lesson 1's exercises in different styles: each must get full marks."""

import math
from collections import Counter

import numpy as np


def counts_loop(ids, vocab_size):
    table = np.zeros((vocab_size, vocab_size), int)
    for t in range(len(ids) - 1):
        table[ids[t]][ids[t + 1]] += 1
    return table


def counts_counter(ids, vocab_size):
    pairs = Counter(zip(ids.tolist(), ids.tolist()[1:], strict=False))
    return np.array([[pairs[a, b] for b in range(vocab_size)] for a in range(vocab_size)])


def counts_bincount(ids, vocab_size):
    keys = ids[:-1] * vocab_size + ids[1:]
    return np.bincount(keys, minlength=vocab_size**2).reshape(vocab_size, vocab_size)


def counts_one_hot(ids, vocab_size):
    one_hot = np.eye(vocab_size, dtype=np.int32)[ids]
    return one_hot[:-1].T @ one_hot[1:]


def counts_compare(ids, vocab_size):
    table = np.empty((vocab_size, vocab_size), dtype=np.int64)
    for a in range(vocab_size):
        for b in range(vocab_size):
            table[a, b] = np.sum((ids[:-1] == a) & (ids[1:] == b))
    return table


def probs_loop(counts, k):
    size = counts.shape[0]
    probs = np.zeros((size, size))
    for a in range(size):
        total = sum(counts[a]) + k * size
        if total > 0:
            for b in range(size):
                probs[a, b] = (counts[a, b] + k) / total
    return probs


def probs_where(counts, k):
    raised = np.asarray(counts, dtype=float) + k
    totals = raised.sum(1)[:, None]
    return raised / np.where(totals == 0, 1, totals)


def probs_errstate(counts, k):
    with np.errstate(all="ignore"):
        probs = (counts + k) / np.sum(counts + k, axis=-1, keepdims=True)
    probs[np.isnan(probs)] = 0
    return probs


def probs_rows(counts, k):
    rows = [(row + k) / (row + k).sum() if (row + k).any() else row * 0.0 for row in counts]
    return np.stack(rows)


def perplexity_loop(probs, ids):
    total = 0.0
    for t in range(1, len(ids)):
        a, b = ids[t - 1], ids[t]
        if probs[a, b] == 0:
            return float("inf")
        total -= math.log(probs[a, b])
    return math.exp(total / (len(ids) - 1))


def perplexity_base_two(probs, ids):
    with np.errstate(divide="ignore"):
        return 2 ** (-np.mean(np.log2(probs[ids[:-1], ids[1:]])))


def perplexity_product(probs, ids):
    inverse = 1.0
    for t in range(1, len(ids)):
        p = probs[ids[t - 1]][ids[t]]
        inverse *= (1 / p) ** (1 / (len(ids) - 1)) if p else math.inf
    return inverse


def perplexity_take(probs, ids):
    flat = np.take(probs, ids[:-1] * probs.shape[1] + ids[1:])
    if np.any(flat == 0):
        return np.inf
    return np.exp(np.average(np.log(1 / flat)))


def interpolate_loop(counts, weight):
    size = len(counts)
    mixed = np.zeros((size, size))
    for a in range(size):
        for b in range(size):
            share = counts[:, b].sum() / counts.sum()
            row = counts[a].sum()
            mixed[a, b] = weight * counts[a, b] / row + (1 - weight) * share if row else share
    return mixed


def interpolate_effective_weight(counts, weight):
    share = counts.sum(0, keepdims=True) / counts.sum()
    rows = counts.sum(1, keepdims=True)
    own = weight * (rows > 0)
    return own * counts / np.maximum(rows, 1) + (1 - own) * share


def interpolate_fill(counts, weight):
    share = np.mean(counts, axis=0) / np.mean(counts, axis=0).sum()
    bigram = np.array([row / row.sum() if row.sum() else share for row in counts])
    return bigram * weight + np.outer(np.ones(len(counts)), share) * (1 - weight)


def interpolate_einsum(counts, weight):
    pairs = counts.astype(float)
    share = np.einsum("ab->b", pairs) / pairs.sum()
    out = np.tile(share, (len(counts), 1))
    known = pairs.any(axis=1)
    out[known] = (1 - weight) * share + weight * pairs[known] / pairs[known].sum(1)[:, None]
    return out


VARIANTS = {
    "bigram_counts": [
        counts_loop,
        counts_counter,
        counts_bincount,
        counts_one_hot,
        counts_compare,
    ],
    "smoothed_probs": [probs_loop, probs_where, probs_errstate, probs_rows],
    "perplexity": [perplexity_loop, perplexity_base_two, perplexity_product, perplexity_take],
    "interpolate": [
        interpolate_loop,
        interpolate_effective_weight,
        interpolate_fill,
        interpolate_einsum,
    ],
}
