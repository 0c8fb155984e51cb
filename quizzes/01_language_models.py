"""Lesson 1's exercises: cases, and the mistakes we expect, with their hints."""

from itertools import pairwise

import numpy as np

from course_utils.exercises.specify import Exercise, Mistake, case

# bigram_counts


def hidden_bigram_counts(rng):
    """Fresh texts: random ones, one with repeats, one with a single token, one large."""
    run = np.repeat(rng.integers(0, 4, size=4), rng.integers(2, 5, size=4))
    return [
        case(rng.integers(0, 3, size=9), 5, en="two tokens never occur", zh="有两个词元没有出现"),
        case(run, 4, en="tokens in runs", zh="词元成串重复"),
        case(rng.integers(0, 6, size=1), 6, en="a single token", zh="只有一个词元"),
        case(rng.integers(0, 4, size=40), 4, en="40 tokens", zh="40 个词元"),
        case(rng.integers(0, 12, size=400), 12, en="400 tokens", zh="400 个词元"),
    ]


def _count(pairs, vocab_size):
    counts = np.zeros((vocab_size, vocab_size), dtype=int)
    for a, b in pairs:
        counts[a, b] += 1
    return counts


def counts_transposed(ids, vocab_size):
    return _count(((b, a) for a, b in pairwise(ids)), vocab_size)


def counts_once(ids, vocab_size):
    counts = np.zeros((vocab_size, vocab_size), dtype=int)
    counts[ids[:-1], ids[1:]] += 1
    return counts


def counts_wrapped(ids, vocab_size):
    return _count(zip(ids, np.roll(ids, -1), strict=True), vocab_size)


def counts_every_other(ids, vocab_size):
    return _count(ids[: len(ids) // 2 * 2].reshape(-1, 2), vocab_size)


def counts_last_missing(ids, vocab_size):
    return _count(pairwise(ids[:-1]), vocab_size)


def counts_both_ways(ids, vocab_size):
    counts = _count(pairwise(ids), vocab_size)
    return counts + counts.T


def counts_own_size(ids, vocab_size):
    return _count(pairwise(ids), int(ids.max()) + 1)


def counts_skip(ids, vocab_size):
    return _count(zip(ids[:-2], ids[2:], strict=True), vocab_size)


BIGRAM_COUNTS = Exercise(
    id="bigram_counts",
    points=2,
    public=[
        case(np.array([0, 1, 0, 0]), 2, en="a tiny text", zh="很短的文本"),
        case(np.array([1, 1, 1, 1, 2]), 4, en="one pair three times", zh="同一对出现三次"),
        case(np.array([2]), 3, en="a single token: no pairs", zh="只有一个词元：没有对"),
        case(
            np.array([0, 3, 1, 4, 1, 0, 2, 4, 3, 3, 1, 4]), 6, en="twelve tokens", zh="十二个词元"
        ),
    ],
    hidden=hidden_bigram_counts,
    mistakes=[
        Mistake(
            "transposed",
            counts_transposed,
            en="Rows and columns are swapped: the row is the token that comes first.",
            zh="行和列反了：行应当是先出现的词元。",
        ),
        Mistake(
            "once",
            counts_once,
            en="A pair that repeats was counted once. With index arrays, += adds once for each "
            "cell, however often the cell is named.",
            zh="重复的对只数了一次。用数组作下标时，+= 对每个格子只加一次，不管它被点到几次。",
        ),
        Mistake(
            "wrapped",
            counts_wrapped,
            en="There is one pair too many: the last token has nothing after it, the text is no "
            "circle.",
            zh="多了一对：最后一个词元后面什么也没有，文本不是一个圈。",
        ),
        Mistake(
            "every_other",
            counts_every_other,
            en="Pairs overlap: in 0, 1, 2 there are two pairs, 0-1 and 1-2. Every second pair is "
            "missing.",
            zh="对与对是重叠的：0, 1, 2 里有两对，0-1 和 1-2。你漏掉了每隔一对的那些。",
        ),
        Mistake(
            "last_missing",
            counts_last_missing,
            en="The last pair is missing: T tokens make T - 1 pairs.",
            zh="漏了最后一对：T 个词元有 T - 1 对。",
        ),
        Mistake(
            "both_ways",
            counts_both_ways,
            en="Each pair was counted in both directions. Order matters: only 'b after a' goes "
            "into cell [a, b].",
            zh="每一对按两个方向都数了。次序很要紧：只有“a 后面是 b”才记入格子 [a, b]。",
        ),
        Mistake(
            "own_size",
            counts_own_size,
            en="The table's size was taken from the text. It must be vocab_size, also when some "
            "tokens never occur.",
            zh="表的大小取自文本本身了。即使有的词元没出现，大小也应当是 vocab_size。",
        ),
        Mistake(
            "skip",
            counts_skip,
            en="These are tokens two apart. Neighbours are one apart.",
            zh="这里数的是隔一个位置的词元。相邻的词元只差一个位置。",
        ),
    ],
)

# smoothed_probs


def hidden_smoothed_probs(rng):
    """Fresh tables, with and without an unseen row, k of 0, 1 and fractions."""
    full = rng.integers(1, 9, size=(4, 4))
    gap = rng.integers(0, 6, size=(5, 5))
    gap[:, 0] += 1
    gap[rng.integers(5)] = 0
    large = rng.integers(0, 3, size=(15, 15)) * rng.integers(0, 40, size=(15, 15))
    return [
        case(full, 0, en="no zeros, k = 0", zh="没有零，k = 0"),
        case(gap, 0, en="a row without counts, k = 0", zh="有一行没有计数，k = 0"),
        case(gap, 1, en="a row without counts, k = 1", zh="有一行没有计数，k = 1"),
        case(full, round(float(rng.uniform(0.1, 0.9)), 2), en="a fractional k", zh="k 是小数"),
        case(large, 0.01, en="15 x 15, small k", zh="15 x 15，k 很小"),
    ]


def _rows(values):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(values / values.sum(axis=1, keepdims=True))


def probs_by_column(counts, k):
    return _rows((counts + k).T).T


def probs_by_total(counts, k):
    return (counts + k) / (counts + k).sum()


# These give (numerators, denominators): learners divide them with a guard against 0, or without.


def parts_old_total(counts, k):
    return counts + k, counts.sum(axis=1, keepdims=True)


def parts_single_k(counts, k):
    return counts + k, counts.sum(axis=1, keepdims=True) + k


def parts_no_k(counts, k):
    return counts, counts.sum(axis=1, keepdims=True)


def parts_zeros_only(counts, k):
    filled = np.where(counts == 0, k, counts)
    return filled, filled.sum(axis=1, keepdims=True)


def parts_flat_totals(counts, k):
    return counts + k, (counts + k).sum(axis=1)


def with_and_without_guard(id, parts, *, en, zh):
    """One slip as two mistakes: where a sum is 0 its entries are 0, or nan and inf."""

    def guarded(counts, k):
        above, below = parts(counts, k)
        return np.divide(above, below, out=np.zeros(counts.shape), where=below > 0)

    def bare(counts, k):
        above, below = parts(counts, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            return above / below

    return [Mistake(id, guarded, en=en, zh=zh), Mistake(f"{id}_bare", bare, en=en, zh=zh)]


def probs_unseen_uniform(counts, k):
    probs = _rows(counts + k)
    probs[probs.sum(axis=1) == 0] = 1 / len(counts)
    return probs


def probs_unseen_nan(counts, k):
    with np.errstate(invalid="ignore"):
        return (counts + k) / (counts + k).sum(axis=1, keepdims=True)


def probs_k_after(counts, k):
    return _rows(counts) + k


SMOOTHED_PROBS = Exercise(
    id="smoothed_probs",
    points=2,
    public=[
        case(np.array([[3, 1], [1, 1]]), 0, en="k = 0", zh="k = 0"),
        case(np.array([[3, 1], [2, 0]]), 1, en="k = 1", zh="k = 1"),
        case(
            np.array([[2, 0, 6], [0, 0, 0], [1, 1, 1]]),
            0,
            en="a row without counts, k = 0: it stays zero",
            zh="有一行没有计数，k = 0：保持为零",
        ),
        case(
            np.array([[2, 0, 6], [0, 0, 0], [1, 1, 1]]),
            0.5,
            en="a row without counts, k = 0.5",
            zh="有一行没有计数，k = 0.5",
        ),
    ],
    hidden=hidden_smoothed_probs,
    mistakes=[
        Mistake(
            "by_column",
            probs_by_column,
            en="The columns sum to 1. It is each row that must: a row holds all that may follow.",
            zh="现在是列的和为 1。应当是每一行：一行里是所有可能跟在后面的词元。",
        ),
        Mistake(
            "by_total",
            probs_by_total,
            en="You divided by the sum of the whole table. That gives P(this and next); we want "
            "P(next | this), row by row.",
            zh="你除以了整张表的和，得到的是两者同时出现的概率；我们要的是逐行的 P(next | this)。",
        ),
        *with_and_without_guard(
            "old_total",
            parts_old_total,
            en="k went into the counts but not into the row sums. Add k first, then sum the row.",
            zh="k 加进了计数，却没有加进行和。先加 k，再对行求和。",
        ),
        *with_and_without_guard(
            "single_k",
            parts_single_k,
            en="The row sum grew by k, but V cells grew by k each: it must grow by k times V.",
            zh="行和只多了一个 k，可是 V 个格子各多了 k：行和应当多 k 乘 V。",
        ),
        *with_and_without_guard(
            "no_k",
            parts_no_k,
            en="k has no effect. Add it to every count before you divide.",
            zh="k 没有起作用。先给每个计数加上它，再做除法。",
        ),
        *with_and_without_guard(
            "zeros_only",
            parts_zeros_only,
            en="k went only to the cells that were zero. Every cell gets it.",
            zh="k 只加给了为零的格子。每个格子都要加。",
        ),
        *with_and_without_guard(
            "flat_totals",
            parts_flat_totals,
            en="The row sums have shape (V,), so NumPy lined them up with the columns. They need "
            "the shape (V, 1).",
            zh="行和的形状是 (V,)，NumPy 把它们对到了列上。形状应当是 (V, 1)。",
        ),
        Mistake(
            "unseen_uniform",
            probs_unseen_uniform,
            en="The row without counts was filled evenly. With k = 0 it shall stay zero.",
            zh="没有计数的行被平均填满了。k = 0 时它应当保持为零。",
        ),
        Mistake(
            "unseen_nan",
            probs_unseen_nan,
            en="0 / 0 gives nan in the row without counts. Divide only where the row sum is above "
            "zero.",
            zh="没有计数的行里，0 / 0 得到了 nan。只在行和大于零的地方做除法。",
        ),
        Mistake(
            "k_after",
            probs_k_after,
            en="k was added to the probabilities. Add it to the counts, then divide, or the rows "
            "no longer sum to 1.",
            zh="k 加到了概率上。应当先加到计数上再除，否则每行的和不再是 1。",
        ),
    ],
)

# perplexity


def _random_probs(rng, size):
    return rng.dirichlet(np.ones(size), size=size)


def hidden_perplexity(rng):
    """Fresh tables: full ones, one with a zero on the way, one with a zero elsewhere."""
    barred = _random_probs(rng, 4)
    barred[1] = [0.5, 0.2, 0.0, 0.3]
    certain = np.roll(np.eye(4), 1, axis=1)
    around = (np.arange(7) + rng.integers(4)) % 4
    return [
        case(_random_probs(rng, 3), rng.integers(0, 3, size=12), en="3 tokens", zh="3 种词元"),
        case(_random_probs(rng, 8), rng.integers(0, 8, size=60), en="8 tokens", zh="8 种词元"),
        case(barred, np.array([0, 1, 2, 3]), en="an impossible pair", zh="有一对是不可能的"),
        case(barred, np.array([0, 1, 3, 2]), en="a zero that is not used", zh="没有用到的零"),
        case(certain, around, en="always sure and right", zh="总有把握，总是对"),
        case(_random_probs(rng, 5), rng.integers(0, 5, size=2), en="a single pair", zh="只有一对"),
    ]


def _chosen(probs, ids):
    return probs[ids[:-1], ids[1:]]


def _surprise(probs, ids):
    with np.errstate(divide="ignore"):
        return -np.log(_chosen(probs, ids))


def perplexity_no_exp(probs, ids):
    return float(_surprise(probs, ids).mean())


def perplexity_base_two(probs, ids):
    return float(2 ** _surprise(probs, ids).mean())


def perplexity_sum(probs, ids):
    return float(np.exp(_surprise(probs, ids).sum()))


def perplexity_sign(probs, ids):
    return float(np.exp(-_surprise(probs, ids).mean()))


def perplexity_arithmetic(probs, ids):
    with np.errstate(divide="ignore"):
        return float((1 / _chosen(probs, ids)).mean())


def perplexity_harmonic(probs, ids):
    mean = _chosen(probs, ids).mean()
    return float(1 / mean) if mean > 0 else float("inf")


def perplexity_by_tokens(probs, ids):
    return float(np.exp(_surprise(probs, ids).sum() / len(ids)))


def perplexity_transposed(probs, ids):
    return float(np.exp(_surprise(probs.T, ids).mean()))


def perplexity_floor(probs, ids):
    return float(np.exp(-np.log(_chosen(probs, ids) + 1e-10).mean()))


def perplexity_skip_zeros(probs, ids):
    surprise = _surprise(probs, ids)
    kept = surprise[np.isfinite(surprise)]
    return float(np.exp(kept.mean())) if len(kept) else 1.0


def perplexity_all_entries(probs, ids):
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(probs * np.log(probs), axis=1)
    return float(np.exp(entropy[ids[:-1]].mean()))


PERPLEXITY = Exercise(
    id="perplexity",
    points=2,
    public=[
        case(
            np.full((4, 4), 0.25),
            np.array([0, 3, 1, 1, 2]),
            en="a uniform guess among 4",
            zh="在 4 个中均匀猜测",
        ),
        case(
            np.array([[0.5, 0.5], [0.25, 0.75]]),
            np.array([0, 1, 0, 0, 1, 1]),
            en="two tokens",
            zh="两种词元",
        ),
        case(
            np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]),
            np.array([0, 1, 2, 1]),
            en="the last pair has probability 0: infinity",
            zh="最后一对的概率是 0：无穷大",
        ),
        case(
            np.array([[0.0, 1.0], [1.0, 0.0]]),
            np.array([0, 1, 0, 1]),
            en="always sure and right: 1",
            zh="总有把握，总是对：1",
        ),
    ],
    hidden=hidden_perplexity,
    mistakes=[
        Mistake(
            "no_exp",
            perplexity_no_exp,
            en="That is the NLL. One step is missing: the exponential.",
            zh="这是 NLL。还差一步：取指数。",
        ),
        Mistake(
            "base_two",
            perplexity_base_two,
            en="Logarithm and power must have the same base: ln goes with e, log2 with 2.",
            zh="对数和乘方要同底：ln 配 e，log2 配 2。",
        ),
        Mistake(
            "sum",
            perplexity_sum,
            en="You took the sum of the surprises. Take their mean, or a long text looks worse "
            "just by being long.",
            zh="你取了意外程度的和。应当取平均，否则文本一长就显得差。",
        ),
        Mistake(
            "sign",
            perplexity_sign,
            en="The sign is lost: this is below 1. Perplexity is e to the power of *minus* the "
            "mean of ln P.",
            zh="丢了负号：结果小于 1。困惑度是 e 的“负的平均 ln P”次方。",
        ),
        Mistake(
            "arithmetic",
            perplexity_arithmetic,
            en="This is the arithmetic mean of 1/P. Take the mean of the logarithms.",
            zh="这是 1/P 的算术平均。应当对对数求平均。",
        ),
        Mistake(
            "harmonic",
            perplexity_harmonic,
            en="This is one over the mean of P. Take the mean of the logarithms.",
            zh="这是平均概率的倒数。应当对对数求平均。",
        ),
        Mistake(
            "by_tokens",
            perplexity_by_tokens,
            en="You divided by T. T tokens make T - 1 pairs; the first token is not predicted.",
            zh="你除以了 T。T 个词元只有 T - 1 对，第一个词元不用预测。",
        ),
        Mistake(
            "transposed",
            perplexity_transposed,
            en="The table was read the wrong way round: the row is the token that comes first.",
            zh="查表的方向反了：行是先出现的词元。",
        ),
        Mistake(
            "floor",
            perplexity_floor,
            en="A small number was added to the probabilities, so a zero no longer gives "
            "infinity. Let it: the model did say 'impossible'.",
            zh="你给概率加了一个很小的数，零就得不到无穷大了。不必躲开：模型确实说过“不可能”。",
        ),
        Mistake(
            "skip_zeros",
            perplexity_skip_zeros,
            en="Pairs of probability zero were left out. They are the model's worst errors and "
            "must count: the answer is infinity.",
            zh="概率为零的对被丢掉了。那正是模型最严重的错误，必须算上：答案是无穷大。",
        ),
        Mistake(
            "all_entries",
            perplexity_all_entries,
            en="This averages over everything the model thought possible. Only the token that "
            "really came counts.",
            zh="你对模型认为可能的一切求了平均。只该看真正出现的那个词元。",
        ),
    ],
)

# interpolate


def hidden_interpolate(rng):
    """Fresh tables, one with an unseen row, weights inside and at the ends."""
    full = rng.integers(1, 9, size=(3, 3))
    gap = rng.integers(0, 6, size=(5, 5))
    gap[0, 1:] += 1
    gap[rng.integers(1, 5)] = 0
    inside = round(float(rng.uniform(0.6, 0.9)), 2)
    return [
        case(full, inside, en="three tokens", zh="三种词元"),
        case(gap, inside, en="a row without counts", zh="有一行没有计数"),
        case(gap, 1.0, en="a row without counts, weight 1", zh="有一行没有计数，权重为 1"),
        case(gap, 0.0, en="weight 0: only frequencies", zh="权重为 0：只看频率"),
        case(rng.integers(0, 30, size=(12, 12)), 0.25, en="twelve tokens", zh="十二种词元"),
    ]


def _unigram(counts):
    return counts.sum(axis=0) / counts.sum()


def _mix(counts, weight, lower):
    seen = counts.sum(axis=1, keepdims=True) > 0
    return np.where(seen, weight * _rows(counts) + (1 - weight) * lower, lower)


def mix_swapped(counts, weight):
    return _mix(counts, 1 - weight, _unigram(counts))


def mix_first_tokens(counts, weight):
    return _mix(counts, weight, counts.sum(axis=1) / counts.sum())


def mix_uniform(counts, weight):
    return _mix(counts, weight, np.full(len(counts), 1 / len(counts)))


def mix_unseen_short(counts, weight):
    return weight * _rows(counts) + (1 - weight) * _unigram(counts)


def mix_unseen_nan(counts, weight):
    with np.errstate(invalid="ignore"):
        bigram = counts / counts.sum(axis=1, keepdims=True)
    return weight * bigram + (1 - weight) * _unigram(counts)


def mix_counts(counts, weight):
    return _rows(weight * counts + (1 - weight) * counts.sum(axis=0))


def mix_down_rows(counts, weight):
    return weight * _rows(counts) + (1 - weight) * _unigram(counts)[:, None]


def mix_zeros_only(counts, weight):
    bigram = _rows(counts)
    return np.where(bigram > 0, weight * bigram, (1 - weight) * _unigram(counts))


INTERPOLATE = Exercise(
    id="interpolate",
    points=1,
    public=[
        case(np.array([[3, 1], [0, 4]]), 0.5, en="half and half", zh="各一半"),
        case(
            np.array([[2, 0, 6], [0, 0, 0], [1, 1, 0]]),
            0.8,
            en="a row without counts",
            zh="有一行没有计数",
        ),
        case(
            np.array([[2, 0, 6], [0, 0, 0], [1, 1, 0]]),
            1.0,
            en="weight 1: the row without counts still sums to 1",
            zh="权重为 1：没有计数的行，和仍为 1",
        ),
        case(
            np.array([[2, 1], [1, 5]]),
            0.0,
            en="weight 0: only frequencies",
            zh="权重为 0：只看频率",
        ),
    ],
    hidden=hidden_interpolate,
    mistakes=[
        Mistake(
            "swapped",
            mix_swapped,
            en="The two shares are swapped: weight belongs to the bigram.",
            zh="两份权重反了：weight 是二元模型的那一份。",
        ),
        Mistake(
            "first_tokens",
            mix_first_tokens,
            en="You took how often each token comes first. P(next) is how often it comes second: "
            "sum over the rows.",
            zh="你用了词元作为前一个出现的次数。P(next) 要看它作为后一个出现的次数：沿着行的方向加起来。",
        ),
        Mistake(
            "uniform",
            mix_uniform,
            en="You mixed with 1/V. Mix with the token's share of all counts.",
            zh="你混入的是 1/V。应当混入词元在全部计数中的比例。",
        ),
        Mistake(
            "unseen_short",
            mix_unseen_short,
            en="The row without counts does not sum to 1: its bigram has nothing to give, so "
            "P(next) takes it over entirely.",
            zh="没有计数的行，和不是 1：它的二元概率一无所有，这一行应当全部交给 P(next)。",
        ),
        Mistake(
            "unseen_nan",
            mix_unseen_nan,
            en="0 / 0 gives nan in the row without counts. That row is P(next) alone.",
            zh="没有计数的行里，0 / 0 得到了 nan。这一行就是 P(next)。",
        ),
        Mistake(
            "counts",
            mix_counts,
            en="You mixed counts and normalised afterwards, so frequent tokens drown the row. "
            "Turn both into probabilities first.",
            zh="你先混计数再归一化，常见的词元会把整行淹没。应当先把两者都变成概率。",
        ),
        Mistake(
            "down_rows",
            mix_down_rows,
            en="P(next) was added down the columns. Each row gets the same P(next), one entry a "
            "column.",
            zh="P(next) 加到了另一个方向上。每一行加的是同一个 P(next)，一列对应一项。",
        ),
        Mistake(
            "zeros_only",
            mix_zeros_only,
            en="P(next) was used only where the bigram is zero. Mixing happens in every cell.",
            zh="只在二元概率为零的地方用了 P(next)。每个格子都要混合。",
        ),
    ],
)

EXERCISES = [BIGRAM_COUNTS, SMOOTHED_PROBS, PERPLEXITY, INTERPOLATE]
