"""Lesson 6's exercises: cases, and the mistakes we expect, with their hints."""

import math

import numpy as np
import torch

from course_utils.exercises.specify import Exercise, Mistake, case


def _normal(rng, *shape, size=1.0):
    return torch.tensor(size * rng.standard_normal(shape), dtype=torch.float32)


# additive_scores


def _additive_args(rng, places, units, middle):
    """s, enc, W1, W2, v, with weights of a usual size."""
    scale = units**-0.5
    return (
        _normal(rng, units),
        _normal(rng, places, units),
        _normal(rng, middle, units, size=scale),
        _normal(rng, middle, units, size=scale),
        _normal(rng, middle),
    )


def hidden_additive_scores(rng):
    """Fresh numbers: square and oblong matrices, one place, a long source, gradients."""
    return [
        case(*_additive_args(rng, 5, 3, 3), en="square matrices", zh="方阵"),
        case(*_additive_args(rng, 4, 4, 4), en="T = H = A", zh="T = H = A"),
        case(*_additive_args(rng, 6, 3, 5), en="A is not H", zh="A 与 H 不同"),
        case(*_additive_args(rng, 1, 4, 2), en="a source of one word", zh="源句只有一个词"),
        case(*_additive_args(rng, 40, 8, 6), en="a long source", zh="长源句"),
        case(
            *_additive_args(rng, 4, 3, 3),
            en="gradients for s and enc",
            zh="对 s 和 enc 的梯度",
            gradients=(0, 1),
        ),
    ]


def additive_swapped(s, enc, W1, W2, v):
    return torch.tanh(enc @ W2.T + W1 @ s) @ v


def additive_transposed(s, enc, W1, W2, v):
    return torch.tanh(enc @ W1 + s @ W2) @ v


def additive_softmax(s, enc, W1, W2, v):
    return torch.softmax(torch.tanh(enc @ W1.T + W2 @ s) @ v, 0)


def additive_no_tanh(s, enc, W1, W2, v):
    return (enc @ W1.T + W2 @ s) @ v


def additive_tanh_last(s, enc, W1, W2, v):
    return torch.tanh((enc @ W1.T + W2 @ s) @ v)


def additive_no_state(s, enc, W1, W2, v):
    return torch.tanh(enc @ W1.T) @ v


def additive_state_only(s, enc, W1, W2, v):
    return (torch.tanh(W2 @ s) @ v).expand(len(enc))


def additive_tanh_twice(s, enc, W1, W2, v):
    return (torch.tanh(enc @ W1.T) + torch.tanh(W2 @ s)) @ v


def additive_column(s, enc, W1, W2, v):
    return torch.tanh(enc @ W1.T + W2 @ s) @ v[:, None]


def additive_multiplied(s, enc, W1, W2, v):
    return torch.tanh((enc @ W1.T) * (W2 @ s)) @ v


def additive_detached(s, enc, W1, W2, v):
    scores = [float(v @ torch.tanh(W1 @ h + W2 @ s)) for h in enc]
    return torch.tensor(scores)


def _public_additive():
    rng = np.random.default_rng(6)
    eye = torch.eye(2)
    return [
        case(
            torch.tensor([0.0, 1.0]),
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]]),
            torch.tensor([[1.0, 2.0], [0.0, 1.0]]),
            0.5 * eye,
            torch.tensor([1.0, -1.0]),
            en="three words, H = A = 2",
            zh="三个词，H = A = 2",
        ),
        case(*_additive_args(rng, 4, 3, 5), en="A is not H", zh="A 与 H 不同"),
        case(*_additive_args(rng, 1, 3, 3), en="a source of one word", zh="源句只有一个词"),
        case(
            *_additive_args(rng, 5, 3, 3),
            en="gradients for s and enc",
            zh="对 s 和 enc 的梯度",
            gradients=(0, 1),
        ),
    ]


ADDITIVE_SCORES = Exercise(
    id="additive_scores",
    points=2,
    public=_public_additive(),
    hidden=hidden_additive_scores,
    mistakes=[
        Mistake(
            "swapped",
            additive_swapped,
            en="W1 and W2 changed places: W1 belongs to the encoder states, W2 to the decoder state.",
            zh="W1 和 W2 用反了：W1 配编码器状态，W2 配解码器状态。",
        ),
        Mistake(
            "transposed",
            additive_transposed,
            en="The matrices are used the wrong way round. W1 h has h on the right; when the states "
            "are the rows of enc, that means enc times W1 transposed.",
            zh="矩阵的方向反了。W1 h 中 h 在右边；状态是 enc 的行时，就要乘 W1 的转置。",
        ),
        Mistake(
            "softmax",
            additive_softmax,
            en="These are weights already. Return the scores, before the softmax.",
            zh="这已经是权重了。请返回 softmax 之前的分数。",
        ),
        Mistake(
            "no_tanh",
            additive_no_tanh,
            en="The tanh is missing. Without it the state adds the same number to every score, and "
            "softmax cannot see it.",
            zh="少了 tanh。没有它，解码器状态给每个分数加的是同一个数，softmax 看不见。",
        ),
        Mistake(
            "tanh_last",
            additive_tanh_last,
            en="tanh comes before the product with v, entry by entry, not after it.",
            zh="tanh 要在与 v 相乘之前逐元素地做，而不是之后。",
        ),
        Mistake(
            "no_state",
            additive_no_state,
            en="The decoder state s has no part in these scores: every step would look at the same "
            "places.",
            zh="分数里没有解码器状态 s：这样每一步看的地方都一样。",
        ),
        Mistake(
            "state_only",
            additive_state_only,
            en="The encoder states have no part in these scores, so all places get the same one. "
            "Such an attention cannot look.",
            zh="分数里没有编码器状态，所有位置的分数都相同。这样的注意力什么也看不见。",
        ),
        Mistake(
            "tanh_twice",
            additive_tanh_twice,
            en="Add first, then one tanh over the sum: tanh(a + b) is not tanh(a) + tanh(b).",
            zh="先相加，再对和做一次 tanh：tanh(a + b) 不等于 tanh(a) + tanh(b)。",
        ),
        Mistake(
            "column",
            additive_column,
            en="The numbers are right, the shape is (T, 1). One score a place: (T,).",
            zh="数值对了，形状却是 (T, 1)。每个位置一个分数：(T,)。",
        ),
        Mistake(
            "multiplied",
            additive_multiplied,
            en="The two parts are multiplied. This score is called additive because they are added.",
            zh="两部分相乘了。这种打分叫加性，因为两部分是相加的。",
        ),
        Mistake(
            "detached",
            additive_detached,
            en="The values are right, but no gradient flows: numbers were taken out of their tensors "
            "on the way (float(), .item(), .detach(), numpy). Stay with tensors.",
            zh="数值对了，但梯度断了：途中把数从张量里取了出来（float()、.item()、.detach()、numpy）。"
            "请一直用张量计算。",
        ),
    ],
    rtol=1e-4,
    atol=1e-5,
)

# dot_attention


def _look_up_args(rng, queries, places, width, values, hide=0.4):
    """q, K, V, mask, scale; every query sees at least one place."""
    mask = torch.tensor(rng.random((queries, places)) > hide)
    mask[torch.arange(queries), torch.tensor(rng.integers(places, size=queries))] = True
    return (
        _normal(rng, queries, width),
        _normal(rng, places, width),
        _normal(rng, places, values),
        mask,
        width**-0.5,
    )


def _blind_row(args, row):
    args[3][row] = False
    return args


def hidden_dot_attention(rng):
    """Fresh look-ups: square, oblong, padded at the end, a blind row, large scores, gradients."""
    padded = torch.arange(7) < torch.tensor(rng.integers(2, 7, size=4))[:, None]
    q, K, V, _, scale = _look_up_args(rng, 4, 7, 6, 3)
    large = _look_up_args(rng, 3, 5, 4, 4)
    return [
        case(*_look_up_args(rng, 4, 4, 4, 4), en="all sizes 4", zh="各个大小都是 4"),
        case(*_look_up_args(rng, 2, 6, 3, 5), en="all sizes differ", zh="各个大小都不同"),
        case(q, K, V, padded, scale, en="padding at the end", zh="末尾是填充"),
        case(
            *_blind_row(_look_up_args(rng, 3, 5, 4, 2), int(rng.integers(3))),
            en="a query that may look nowhere",
            zh="有一个查询哪里都不许看",
        ),
        case(
            30 * large[0],
            10 * large[1],
            *large[2:],
            en="scores in the hundreds",
            zh="分数有好几百",
        ),
        case(
            *_look_up_args(rng, 3, 4, 3, 3),
            en="gradients for q, K and V",
            zh="对 q、K、V 的梯度",
            gradients=(0, 1, 2),
        ),
    ]


def _weights(scores, mask, dim=-1):
    """Right masked softmax: zeros where nothing may be seen."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim)
    return torch.nan_to_num(weights)


def look_no_scale(q, K, V, mask, scale):
    weights = _weights(q @ K.T, mask)
    return weights @ V, weights


def look_divided(q, K, V, mask, scale):
    weights = _weights(q @ K.T / scale, mask)
    return weights @ V, weights


def look_scale_late(q, K, V, mask, scale):
    weights = _weights(q @ K.T, mask) * scale
    return weights @ V, weights


def look_no_mask(q, K, V, mask, scale):
    weights = torch.softmax(q @ K.T * scale, -1)
    return weights @ V, weights


def look_mask_inverted(q, K, V, mask, scale):
    weights = _weights(q @ K.T * scale, ~mask)
    return weights @ V, weights


def look_mask_zero(q, K, V, mask, scale):
    weights = torch.softmax((q @ K.T * scale).masked_fill(~mask, 0.0), -1)
    return weights @ V, weights


def look_mask_late(q, K, V, mask, scale):
    weights = torch.softmax(q @ K.T * scale, -1) * mask
    return weights @ V, weights


def look_nan(q, K, V, mask, scale):
    weights = torch.softmax((q @ K.T * scale).masked_fill(~mask, float("-inf")), -1)
    return weights @ V, weights


def look_blind_even(q, K, V, mask, scale):
    weights = torch.softmax((q @ K.T * scale).masked_fill(~mask, -1e9), -1)
    return weights @ V, weights


def look_axis(q, K, V, mask, scale):
    weights = _weights(q @ K.T * scale, mask, 0)
    return weights @ V, weights


def look_keys_mixed(q, K, V, mask, scale):
    weights = _weights(q @ K.T * scale, mask)
    return weights @ K, weights


def look_order(q, K, V, mask, scale):
    weights = _weights(q @ K.T * scale, mask)
    return weights, weights @ V


def look_overflow(q, K, V, mask, scale):
    powers = torch.exp(q @ K.T * scale) * mask
    totals = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(totals > 0, totals, torch.ones_like(totals))
    return weights @ V, weights


def _public_dot():
    rng = np.random.default_rng(66)
    large = _look_up_args(rng, 2, 3, 4, 2, hide=0.0)
    return [
        case(
            torch.tensor([[1.0, 0.0]]),
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]),
            torch.tensor([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]]),
            torch.tensor([[True, True, False]]),
            1.0,
            en="one query, three places, the last one hidden",
            zh="一个查询，三个位置，最后一个不许看",
        ),
        case(*_look_up_args(rng, 3, 3, 3, 3), en="all sizes 3", zh="各个大小都是 3"),
        case(*_look_up_args(rng, 2, 5, 4, 3), en="all sizes differ", zh="各个大小都不同"),
        case(
            *_blind_row(_look_up_args(rng, 2, 4, 4, 3), 1),
            en="the second query may look nowhere: zeros",
            zh="第二个查询哪里都不许看：全零",
        ),
        case(
            30 * large[0],
            10 * large[1],
            *large[2:],
            en="scores in the hundreds: still no nan",
            zh="分数有好几百：也不能出现 nan",
        ),
    ]


DOT_ATTENTION = Exercise(
    id="dot_attention",
    points=3,
    public=_public_dot(),
    hidden=hidden_dot_attention,
    mistakes=[
        Mistake(
            "no_scale",
            look_no_scale,
            en="scale has no effect. The scores are multiplied by it before the softmax.",
            zh="scale 没有起作用。分数要先乘以它，再做 softmax。",
        ),
        Mistake(
            "divided",
            look_divided,
            en="You divided by scale. Here scale is a factor (1/√d, say): multiply.",
            zh="你除以了 scale。这里 scale 是乘数（例如 1/√d）：要乘。",
        ),
        Mistake(
            "scale_late",
            look_scale_late,
            en="The weights were scaled, after the softmax, so they no longer sum to 1. Scale the "
            "scores.",
            zh="缩放的是 softmax 之后的权重，它们的和不再是 1。应当缩放分数。",
        ),
        Mistake(
            "no_mask",
            look_no_mask,
            en="Hidden places still get weight. Where mask is False the weight must be exactly 0.",
            zh="不许看的位置仍然分到了权重。mask 为 False 处，权重必须正好是 0。",
        ),
        Mistake(
            "mask_inverted",
            look_mask_inverted,
            en="The mask is taken the wrong way round: True means a query MAY look there.",
            zh="掩码理解反了：True 表示可以看。",
        ),
        Mistake(
            "mask_zero",
            look_mask_zero,
            en="Hidden scores were set to 0, but the exponential of 0 is 1: such a place still gets "
            "weight. A score must be minus infinity to get none.",
            zh="不许看的分数设成了 0，可 0 的指数是 1，仍然会分到权重。要得零权重，分数得是负无穷。",
        ),
        Mistake(
            "mask_late",
            look_mask_late,
            en="The mask came after the softmax, so the weights that are left do not sum to 1. Mask "
            "the scores, then take the softmax.",
            zh="掩码用在了 softmax 之后，剩下的权重和不是 1。先掩码分数，再做 softmax。",
        ),
        Mistake(
            "nan",
            look_nan,
            en="A query that may look nowhere gives nan: its softmax is 0/0. Its weights and its "
            "context shall be zeros.",
            zh="哪里都不许看的查询得到了 nan：它的 softmax 是 0/0。它的权重和上下文都应当是零。",
        ),
        Mistake(
            "blind_even",
            look_blind_even,
            en="A query that may look nowhere looks everywhere evenly: with one large negative "
            "number in all places the softmax is uniform. Its weights shall be zeros.",
            zh="哪里都不许看的查询变成了处处平均地看：所有分数都是同一个很大的负数，softmax 就是均匀的。"
            "它的权重应当是零。",
        ),
        Mistake(
            "axis",
            look_axis,
            en="The softmax runs over the queries: columns sum to 1. Each query shares out its own "
            "weight over the places: rows sum to 1.",
            zh="softmax 沿着查询做了：列的和为 1。应当是每个查询在各位置上分配自己的权重：行的和为 1。",
        ),
        Mistake(
            "keys_mixed",
            look_keys_mixed,
            en="The weighted sum is taken over the keys. Keys are compared, values are handed out.",
            zh="加权求和用了键。键用来比较，给出去的是值。",
        ),
        Mistake(
            "order",
            look_order,
            en="Right parts, wrong order: return the context first, then the weights.",
            zh="内容对了，次序反了：先返回上下文，再返回权重。",
        ),
        Mistake(
            "overflow",
            look_overflow,
            en="The exponential of a large score is infinite, and inf/inf is nan. torch.softmax "
            "takes the largest score away first.",
            zh="大分数的指数是无穷大，inf/inf 就是 nan。torch.softmax 会先减去最大的分数。",
        ),
    ],
    rtol=1e-4,
    atol=1e-5,
)

# self_attention


def _self_args(rng, length, embed, width, values, causal):
    return (
        _normal(rng, length, embed),
        _normal(rng, embed, width),
        _normal(rng, embed, width),
        _normal(rng, embed, values),
        causal,
    )


def hidden_self_attention(rng):
    """Fresh sequences: square and oblong, causal and not, one place, gradients."""
    return [
        case(*_self_args(rng, 4, 4, 4, 4, False), en="all sizes 4", zh="各个大小都是 4"),
        case(*_self_args(rng, 5, 6, 3, 2, False), en="all sizes differ", zh="各个大小都不同"),
        case(*_self_args(rng, 5, 4, 4, 4, True), en="causal", zh="因果"),
        case(*_self_args(rng, 6, 3, 7, 2, True), en="causal, oblong", zh="因果，大小各异"),
        case(*_self_args(rng, 1, 4, 2, 3, True), en="one place", zh="只有一个位置"),
        case(
            *_self_args(rng, 4, 3, 3, 3, True),
            en="gradients for X and the matrices",
            zh="对 X 和各矩阵的梯度",
            gradients=(0, 1, 2, 3),
        ),
    ]


def _self_parts(X, Wq, Wk, Wv):
    return X @ Wq, X @ Wk, X @ Wv


def _allowed(length, causal, shift=0):
    full = torch.ones(length, length, dtype=torch.bool)
    return full.tril(shift) if causal else full


def self_no_root(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(Q @ K.T, _allowed(len(X), causal)) @ V


def self_by_d(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(Q @ K.T / K.shape[1], _allowed(len(X), causal)) @ V


def self_by_embed(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(Q @ K.T / math.sqrt(X.shape[1]), _allowed(len(X), causal)) @ V


def self_by_length(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(Q @ K.T / math.sqrt(len(X)), _allowed(len(X), causal)) @ V


def _root(Q, K):
    return Q @ K.T / math.sqrt(K.shape[1])


def self_not_causal(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return torch.softmax(_root(Q, K), -1) @ V


def self_always_causal(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(_root(Q, K), _allowed(len(X), True)) @ V


def self_future(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(_root(Q, K), _allowed(len(X), causal).T) @ V


def self_strict(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(_root(Q, K), _allowed(len(X), causal, -1)) @ V


def self_mask_late(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return (torch.softmax(_root(Q, K), -1) * _allowed(len(X), causal)) @ V


def self_mask_zero(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    scores = _root(Q, K).masked_fill(~_allowed(len(X), causal), 0.0)
    return torch.softmax(scores, -1) @ V


def self_swapped(X, Wq, Wk, Wv, causal):
    return self_right(X, Wk, Wq, Wv, causal)


def self_axis(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(_root(Q, K), _allowed(len(X), causal), 0) @ V


def self_raw_values(X, Wq, Wk, Wv, causal):
    Q, K, _ = _self_parts(X, Wq, Wk, Wv)
    return _weights(_root(Q, K), _allowed(len(X), causal)) @ X


def self_right(X, Wq, Wk, Wv, causal):
    Q, K, V = _self_parts(X, Wq, Wk, Wv)
    return _weights(_root(Q, K), _allowed(len(X), causal)) @ V


def _public_self():
    rng = np.random.default_rng(666)
    return [
        case(
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            torch.tensor([[2.0, 0.0], [1.0, 1.0]]),
            torch.tensor([[0.0, 1.0], [2.0, 0.0]]),
            torch.tensor([[1.0], [10.0]]),
            False,
            en="three places, d = 2",
            zh="三个位置，d = 2",
        ),
        case(
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            torch.tensor([[2.0, 0.0], [1.0, 1.0]]),
            torch.tensor([[0.0, 1.0], [2.0, 0.0]]),
            torch.tensor([[1.0], [10.0]]),
            True,
            en="the same, causal",
            zh="同上，因果",
        ),
        case(*_self_args(rng, 4, 4, 4, 4, True), en="all sizes 4, causal", zh="大小都是 4，因果"),
        case(*_self_args(rng, 5, 6, 3, 2, False), en="all sizes differ", zh="各个大小都不同"),
        case(*_self_args(rng, 1, 3, 2, 2, True), en="one place, causal", zh="只有一个位置，因果"),
    ]


SELF_ATTENTION = Exercise(
    id="self_attention",
    points=3,
    public=_public_self(),
    hidden=hidden_self_attention,
    mistakes=[
        Mistake(
            "no_root",
            self_no_root,
            en="The scores are not scaled. Divide them by the square root of the key dimension.",
            zh="分数没有缩放。要除以键的维数的平方根。",
        ),
        Mistake(
            "by_d",
            self_by_d,
            en="You divided by d, not by its square root. The weights become nearly even.",
            zh="你除以了 d，而不是 d 的平方根。权重会变得几乎均匀。",
        ),
        Mistake(
            "by_embed",
            self_by_embed,
            en="d is the length of a key, the columns of Wk, not the length of a row of X.",
            zh="d 是键的长度，即 Wk 的列数，不是 X 一行的长度。",
        ),
        Mistake(
            "by_length",
            self_by_length,
            en="You divided by the root of the number of places. d is the length of a key.",
            zh="你除以了位置个数的平方根。d 是键的长度。",
        ),
        Mistake(
            "not_causal",
            self_not_causal,
            en="causal has no effect: a place still looks at later ones.",
            zh="causal 没有起作用：前面的位置仍然看得到后面的。",
        ),
        Mistake(
            "always_causal",
            self_always_causal,
            en="The mask is always on. With causal False every place sees all the others.",
            zh="掩码一直开着。causal 为 False 时，每个位置都看得到所有位置。",
        ),
        Mistake(
            "future",
            self_future,
            en="The mask is upside down: each place sees itself and the later ones. It may see itself "
            "and the earlier ones.",
            zh="掩码上下颠倒了：每个位置看到的是自己和后面的。应当是自己和前面的。",
        ),
        Mistake(
            "strict",
            self_strict,
            en="A place may look at itself too. You cut off the diagonal.",
            zh="每个位置也可以看自己。你把对角线去掉了。",
        ),
        Mistake(
            "mask_late",
            self_mask_late,
            en="The mask came after the softmax, so the weights that are left do not sum to 1.",
            zh="掩码用在了 softmax 之后，剩下的权重和不是 1。",
        ),
        Mistake(
            "mask_zero",
            self_mask_zero,
            en="Hidden scores were set to 0, and the exponential of 0 is 1: the future still gets "
            "weight. Use minus infinity.",
            zh="被挡住的分数设成了 0，而 0 的指数是 1：未来仍然分到权重。应当用负无穷。",
        ),
        Mistake(
            "swapped",
            self_swapped,
            en="Queries and keys changed places. Row i of the scores belongs to the query of place i.",
            zh="查询和键用反了。分数的第 i 行属于位置 i 的查询。",
        ),
        Mistake(
            "axis",
            self_axis,
            en="The softmax runs down the columns. Each place shares out its own weight: every row of "
            "the weights sums to 1.",
            zh="softmax 沿列做了。每个位置分配自己的权重：权重的每一行和为 1。",
        ),
        Mistake(
            "raw_values",
            self_raw_values,
            en="The weighted sum is taken over X itself. The values are X times Wv.",
            zh="加权求和用的是 X 本身。值应当是 X 乘 Wv。",
        ),
    ],
    rtol=1e-4,
    atol=1e-5,
)

EXERCISES = [ADDITIVE_SCORES, DOT_ATTENTION, SELF_ATTENTION]
