"""Right answers to lesson 2's exercises, in styles that differ: every check must accept them."""

from itertools import chain

import numpy as np
import torch
from torch.nn import functional


def pairs_by_loop(ids, window):
    pairs = []
    for i in range(len(ids)):
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if j != i:
                pairs.append([ids[i], ids[j]])
    return np.array(pairs, dtype=int).reshape(-1, 2)


def pairs_by_mask(ids, window):
    position = np.arange(len(ids))
    apart = np.abs(position[:, None] - position)
    centre, context = np.nonzero((apart > 0) & (apart <= window))
    return np.stack([ids[centre], ids[context]], axis=1)


def pairs_by_slices(ids, window):
    words = list(ids)
    company = [
        words[max(0, i - window) : i] + words[i + 1 : i + 1 + window] for i in range(len(ids))
    ]
    pairs = chain.from_iterable(
        ((word, other) for other in others) for word, others in zip(words, company, strict=True)
    )
    return np.fromiter(chain.from_iterable(pairs), dtype=np.int64).reshape(-1, 2)


def pairs_by_padding(ids, window):
    hole = -1
    padded = np.concatenate([np.full(window, hole), ids, np.full(window, hole)])
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1)
    others = np.delete(around, window, axis=1)
    pairs = np.stack([np.broadcast_to(np.asarray(ids)[:, None], others.shape), others], axis=-1)
    return pairs[others != hole]


def pairs_as_int32(ids, window):
    rows = [
        (centre, context)
        for i, centre in enumerate(ids)
        for j, context in enumerate(ids)
        if 1 <= abs(i - j) <= window
    ]
    return np.asarray(rows, dtype=np.int32).reshape(len(rows), 2)


def loss_by_logsigmoid(v_c, u_pos, u_neg):
    true = (v_c * u_pos).sum(dim=1)
    noise = torch.einsum("bd,bkd->bk", v_c, u_neg)
    return -(functional.logsigmoid(true) + functional.logsigmoid(-noise).sum(dim=1)).mean()


def loss_by_softplus(v_c, u_pos, u_neg):
    noise = torch.bmm(u_neg, v_c.unsqueeze(2)).squeeze(2)
    terms = functional.softplus(-(v_c * u_pos).sum(1)) + functional.softplus(noise).sum(1)
    return terms.sum() / len(v_c)


def loss_by_cross_entropy(v_c, u_pos, u_neg):
    scores = (torch.cat([u_pos[:, None], u_neg], dim=1) @ v_c[:, :, None]).squeeze(-1)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1
    return functional.binary_cross_entropy_with_logits(scores, labels, reduction="sum") / len(
        scores
    )


def loss_by_loop(v_c, u_pos, u_neg):
    total = torch.zeros(())
    for v, positive, negatives in zip(v_c, u_pos, u_neg, strict=True):
        total = total - functional.logsigmoid(v @ positive)
        for negative in negatives:
            total = total - functional.logsigmoid(-(v @ negative))
    return total / len(v_c)


def loss_by_logaddexp(v_c, u_pos, u_neg):
    zero = torch.zeros(())
    true = torch.logaddexp(zero, -torch.einsum("bd,bd->b", v_c, u_pos))
    noise = torch.logaddexp(zero, (u_neg * v_c[:, None, :]).sum(-1))
    return true.mean() + noise.sum() / v_c.shape[0]


def analogy_by_minus_infinity(E, a, b, c, k):
    target = E[b] - E[a] + E[c]
    scores = E @ target / np.linalg.norm(E, axis=1) / np.linalg.norm(target)
    scores[[a, b, c]] = -np.inf
    return np.argsort(-scores)[: min(k, np.isfinite(scores).sum())]


def analogy_by_list(E, a, b, c, k):
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    order = (unit @ (E[b] - E[a] + E[c])).argsort()[::-1]
    return np.array([i for i in order if i not in (a, b, c)], dtype=int)[:k]


def analogy_by_sorted(E, a, b, c, k):
    target = E[b] + E[c] - E[a]

    def cosine(row):
        return (E[row] * target).sum() / np.sqrt((E[row] ** 2).sum() * (target**2).sum())

    rows = sorted(set(range(len(E))) - {a, b, c}, key=cosine, reverse=True)
    return np.asarray(rows[:k])


def analogy_by_torch(E, a, b, c, k):
    vectors = torch.as_tensor(E)
    scores = functional.cosine_similarity(vectors, vectors[b] - vectors[a] + vectors[c], dim=1)
    allowed = torch.ones(len(E), dtype=torch.bool)
    allowed[[a, b, c]] = False
    rows = torch.nonzero(allowed).squeeze(1)
    return rows[scores[rows].argsort(descending=True)][:k].numpy()


def analogy_by_deletion(E, a, b, c, k):
    rows = np.delete(np.arange(len(E)), [a, b, c])
    target = E[b] - E[a] + E[c]
    lengths = np.sqrt(np.einsum("ij,ij->i", E[rows], E[rows]))
    return rows[np.argsort(E[rows] @ target / lengths)[::-1][:k]]


VARIANTS = {
    "skipgram_pairs": [
        pairs_by_loop,
        pairs_by_mask,
        pairs_by_slices,
        pairs_by_padding,
        pairs_as_int32,
    ],
    "negative_sampling_loss": [
        loss_by_logsigmoid,
        loss_by_softplus,
        loss_by_cross_entropy,
        loss_by_loop,
        loss_by_logaddexp,
    ],
    "analogy": [
        analogy_by_minus_infinity,
        analogy_by_list,
        analogy_by_sorted,
        analogy_by_torch,
        analogy_by_deletion,
    ],
}
