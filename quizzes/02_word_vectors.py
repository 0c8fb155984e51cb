"""Exercises of lesson 2: cases, known mistakes and their hints."""

import numpy as np
import torch
from torch.nn.functional import cross_entropy, logsigmoid

from course_utils.exercises.specify import Exercise, Mistake, case

# skipgram_pairs: all (centre, context) pairs of one sentence


def _pairs(ids, keep):
    """Pairs (ids[i], ids[j]) for which keep(i, j), centre by centre."""
    size = len(ids)
    found = [(ids[i], ids[j]) for i in range(size) for j in range(size) if keep(i, j)]
    return np.array(found, dtype=int).reshape(-1, 2)


def _includes_itself(ids, window):
    return _pairs(ids, lambda i, j: abs(i - j) <= window)


def _right_only(ids, window):
    return _pairs(ids, lambda i, j: 0 < j - i <= window)


def _left_only(ids, window):
    return _pairs(ids, lambda i, j: 0 < i - j <= window)


def _skips_equal_words(ids, window):
    return _pairs(ids, lambda i, j: abs(i - j) <= window and ids[i] != ids[j])


def _short_on_the_right(ids, window):
    return _pairs(ids, lambda i, j: i != j and -window <= j - i < window)


def _context_first(ids, window):
    return _pairs(ids, lambda i, j: i != j and abs(i - j) <= window)[:, ::-1]


def _wraps_around(ids, window):
    steps = [step for step in range(-window, window + 1) if step]
    found = [
        (ids[i], ids[i + step])
        for i in range(len(ids))
        for step in steps
        if i + step < len(ids) and i + step >= -len(ids)
    ]
    return np.array(found, dtype=int).reshape(-1, 2)


def _by_distance(ids, window):
    rows = []
    for distance in range(1, window + 1):
        right = np.stack([ids[:-distance], ids[distance:]], axis=1)
        rows += [right, right[:, ::-1]]
    return np.concatenate([np.zeros((0, 2), dtype=int), *rows])


def _positions(ids, window):
    return _pairs(range(len(ids)), lambda i, j: i != j and abs(i - j) <= window)


def hidden_skipgram_pairs(rng):
    """Fresh sentences of the public kinds: repeats, long windows, a single word."""
    # Ids start at 20, above every position, so that positions never look like ids.
    return [
        case(rng.integers(20, 60, 5), 1, en="five words, window 1", zh="五个词，窗口为 1"),
        case(rng.integers(20, 40, 9), 2, en="nine words, window 2", zh="九个词，窗口为 2"),
        case(
            np.array([7, 7, 8, 7]) + rng.integers(20, 60),
            2,
            en="a word that stands twice in a row",
            zh="同一个词连续出现两次",
        ),
        case(rng.integers(20, 60, 4), 6, en="window longer than the text", zh="窗口比文本还长"),
        case(rng.integers(20, 60, 1), 2, en="a single word", zh="只有一个词"),
        case(rng.integers(20, 60, 6), 3, en="six words, window 3", zh="六个词，窗口为 3"),
    ]


SKIPGRAM_PAIRS = Exercise(
    id="skipgram_pairs",
    points=2,
    public=[
        case(np.array([12, 7, 3]), 1, en="three words, window 1", zh="三个词，窗口为 1"),
        case(np.array([12, 7, 3, 4, 12]), 2, en="five words, window 2", zh="五个词，窗口为 2"),
        case(
            np.array([9, 9, 2]),
            1,
            en="a word that stands twice in a row",
            zh="同一个词连续出现两次",
        ),
        case(np.array([8, 5]), 4, en="window longer than the text", zh="窗口比文本还长"),
        case(np.array([6]), 2, en="a single word has no company", zh="只有一个词，没有上下文"),
    ],
    hidden=hidden_skipgram_pairs,
    mistakes=[
        Mistake(
            "includes_itself",
            _includes_itself,
            en="A word is paired with itself: the centre position must be left out.",
            zh="中心词和自己配成了一对：要跳过中心位置本身。",
        ),
        Mistake(
            "right_only",
            _right_only,
            en="Only the words after the centre are there. The window reaches to both sides.",
            zh="只有中心词右边的词。窗口要同时伸向左右两边。",
        ),
        Mistake(
            "left_only",
            _left_only,
            en="Only the words before the centre are there. The window reaches to both sides.",
            zh="只有中心词左边的词。窗口要同时伸向左右两边。",
        ),
        Mistake(
            "skips_equal_words",
            _skips_equal_words,
            en="Leave out the centre *position*, not every word equal to the centre: in "
            '"very very good" the two "very" are company for each other.',
            zh="要跳过的是中心*位置*，不是所有和中心词相同的词：“非常非常好”里的两个“非常”互为上下文。",
        ),
        Mistake(
            "short_on_the_right",
            _short_on_the_right,
            en="The last word of the window is missing on the right: Python's range stops one early.",
            zh="右边少了窗口里的最后一个词：Python 的 range 不包含终点。",
        ),
        Mistake(
            "context_first",
            _context_first,
            en="The columns are swapped: the centre comes first, then the context word.",
            zh="两列写反了：第一列是中心词，第二列才是上下文词。",
        ),
        Mistake(
            "wraps_around",
            _wraps_around,
            en="Words from the text's end turned up beside its beginning: a negative index in "
            "Python counts from the end. Stop at position 0.",
            zh="文本末尾的词跑到了开头旁边：Python 的负下标从末尾数起。到位置 0 就该停住。",
        ),
        Mistake(
            "by_distance",
            _by_distance,
            en="The right pairs in another order: go centre by centre, and for each centre from "
            "left to right.",
            zh="词对都对，但顺序不同：请逐个中心词处理，每个中心词的上下文从左到右。",
        ),
        Mistake(
            "positions",
            _positions,
            en="These are positions in the text. The pairs should hold the words' ids.",
            zh="这些是文本中的位置。词对里应该是词的编号。",
        ),
    ],
)


# negative_sampling_loss: mean over the batch of the loss of one true and k noise words


def _scores(v_c, u_pos, u_neg):
    return (u_pos * v_c).sum(-1), (u_neg * v_c[:, None]).sum(-1)


def _same_sign(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return (-logsigmoid(true) - logsigmoid(noise).sum(1)).mean()


def _mean_over_noise(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return (-logsigmoid(true) - logsigmoid(-noise).sum(1) / max(noise.shape[1], 1)).mean()


def _sum_over_batch(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return (-logsigmoid(true) - logsigmoid(-noise).sum(1)).sum()


def _mean_over_all(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return torch.cat([-logsigmoid(true)[:, None], -logsigmoid(-noise)], 1).mean()


def _not_negated(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return (logsigmoid(true) + logsigmoid(-noise).sum(1)).mean()


def _without_log(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return (-torch.sigmoid(true) - torch.sigmoid(-noise).sum(1)).mean()


def _log_of_sigmoid(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    return (-torch.sigmoid(true).log() - torch.sigmoid(-noise).log().sum(1)).mean()


def _softmax_over_all(v_c, u_pos, u_neg):
    true, noise = _scores(v_c, u_pos, u_neg)
    scores = torch.cat([true[:, None], noise], 1)
    return cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long))


def _true_only(v_c, u_pos, u_neg):
    true, _ = _scores(v_c, u_pos, u_neg)
    return -logsigmoid(true).mean()


def _draw(rng, batch, k, dim, scale=1.0):
    shapes = (batch, dim), (batch, dim), (batch, k, dim)
    return [
        torch.tensor(scale * rng.standard_normal(shape), dtype=torch.float32) for shape in shapes
    ]


def _hopeless(sign=1.0):
    """One pair whose scores are -200 (true) and 200 (noise): the model is sure, and wrong."""
    row = sign * torch.full((1, 2), 10.0)
    return [row, -row, row[:, None].clone()]


def hidden_negative_sampling_loss(rng):
    """Fresh vectors of the public kinds, gradients and huge scores included."""
    return [
        case(*_draw(rng, 1, 3, 4), en="one pair, three noise words", zh="一个词对，三个噪声词"),
        case(*_draw(rng, 4, 5, 6), en="a batch of 4, five noise words", zh="4 对一批，五个噪声词"),
        case(
            *_draw(rng, 3, 2, 5),
            en="gradients of all three inputs",
            zh="对三个输入的梯度",
            gradients=(0, 1, 2),
        ),
        case(*_draw(rng, 2, 0, 3), en="no noise words", zh="没有噪声词"),
        case(*_hopeless(rng.choice([-1.0, 1.0])), en="very large scores", zh="分数非常大"),
    ]


_PUBLIC = np.random.default_rng(2)

NEGATIVE_SAMPLING_LOSS = Exercise(
    id="negative_sampling_loss",
    points=3,
    public=[
        case(
            torch.tensor([[1.0, 0.0]]),
            torch.tensor([[2.0, 5.0]]),
            torch.tensor([[[-1.0, 3.0], [0.5, 0.0]]]),
            en="one pair: scores 2 (true), -1 and 0.5 (noise)",
            zh="一个词对：真实词得 2 分，噪声词得 -1 和 0.5 分",
        ),
        case(*_draw(_PUBLIC, 3, 2, 4), en="a batch of 3", zh="3 对一批"),
        case(
            *_draw(_PUBLIC, 2, 3, 4),
            en="gradients of all three inputs",
            zh="对三个输入的梯度",
            gradients=(0, 1, 2),
        ),
        case(*_draw(_PUBLIC, 2, 0, 3), en="no noise words", zh="没有噪声词"),
        case(*_hopeless(), en="very large scores: -200 and 200", zh="分数非常大：-200 和 200"),
    ],
    hidden=hidden_negative_sampling_loss,
    rtol=1e-4,
    atol=1e-5,
    mistakes=[
        Mistake(
            "same_sign",
            _same_sign,
            en="Noise words are scored as if they were true. They should be pushed away: their "
            "score enters with a minus sign.",
            zh="噪声词被当成了真实词。要把它们推开：它们的分数前面要有负号。",
        ),
        Mistake(
            "mean_over_noise",
            _mean_over_noise,
            en="The k noise terms are added up, not averaged. Only over the batch is there a mean.",
            zh="k 个噪声项要相加，而不是取平均。只对批次取平均。",
        ),
        Mistake(
            "sum_over_batch",
            _sum_over_batch,
            en="The loss grows with the batch: take the mean over its pairs.",
            zh="损失随批次变大而变大：要对批次中的词对取平均。",
        ),
        Mistake(
            "mean_over_all",
            _mean_over_all,
            en="This is the mean over all terms. Add up the 1 + k terms of a pair first, then take "
            "the mean over the pairs.",
            zh="这里对所有项取了平均。先把每个词对的 1 + k 项加起来，再对词对取平均。",
        ),
        Mistake(
            "not_negated",
            _not_negated,
            en="This is the log-likelihood. A loss is to be made small: turn the sign around.",
            zh="这是对数似然。损失是要变小的：把符号反过来。",
        ),
        Mistake(
            "without_log",
            _without_log,
            en="The logarithm is missing: the loss is the negative log of each probability.",
            zh="少了对数：损失是每个概率取对数再取负。",
        ),
        Mistake(
            "log_of_sigmoid",
            _log_of_sigmoid,
            en="For a score of -200 the sigmoid rounds to 0 and its log is minus infinity. Torch has "
            "one function for the log of the sigmoid that does not round in between.",
            zh="分数为 -200 时，sigmoid 会舍入成 0，取对数就是负无穷。torch 有一个直接算 sigmoid 的对数的函数，中间不会舍入。",
        ),
        Mistake(
            "softmax_over_all",
            _softmax_over_all,
            en="This is a softmax over the true and the noise words. Negative sampling asks a "
            "yes-or-no question of each word by itself: a sigmoid each.",
            zh="这是对真实词和噪声词一起做的 softmax。负采样对每个词单独问“是不是”：每个词一个 sigmoid。",
        ),
        Mistake(
            "true_only",
            _true_only,
            en="The noise words are missing. Without them all vectors could simply point the same "
            "way.",
            zh="少了噪声词。没有它们，所有向量都朝同一个方向就行了。",
        ),
    ],
)


# analogy: the k rows with the largest cosine to E[b] - E[a] + E[c], queries left out


def _ranking(E, target, cosine=True):
    scores = E @ target
    if cosine:
        scores = scores / (np.linalg.norm(E, axis=1) * np.linalg.norm(target))
    return np.argsort(-scores, kind="stable")


def _without(order, queries, k):
    return np.array([row for row in order if row not in queries][:k], dtype=int)


def _queries_kept(E, a, b, c, k):
    return _ranking(E, E[b] - E[a] + E[c])[:k]


def _dot_product(E, a, b, c, k):
    return _without(_ranking(E, E[b] - E[a] + E[c], cosine=False), {a, b, c}, k)


def _distance(E, a, b, c, k):
    target = E[b] - E[a] + E[c]
    order = np.argsort(np.linalg.norm(E - target, axis=1), kind="stable")
    return _without(order, {a, b, c}, k)


def _backwards(E, a, b, c, k):
    return _without(_ranking(E, E[a] - E[b] + E[c]), {a, b, c}, k)


def _worst_first(E, a, b, c, k):
    return _without(_ranking(E, E[b] - E[a] + E[c])[::-1], {a, b, c}, k)


def _best_last(E, a, b, c, k):
    return _without(_ranking(E, E[b] - E[a] + E[c]), {a, b, c}, k)[::-1]


def _only_c_left_out(E, a, b, c, k):
    return _without(_ranking(E, E[b] - E[a] + E[c]), {c}, k)


def _cut_first(E, a, b, c, k):
    return _without(_ranking(E, E[b] - E[a] + E[c])[:k], {a, b, c}, k)


def _normalised_first(E, a, b, c, k):
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    return _without(_ranking(unit, unit[b] - unit[a] + unit[c]), {a, b, c}, k)


def _zeroed(E, a, b, c, k):
    target = E[b] - E[a] + E[c]
    scores = E @ target / (np.linalg.norm(E, axis=1) * np.linalg.norm(target))
    scores[[a, b, c]] = 0
    order = np.argsort(-scores, kind="stable")
    return order[: min(k, len(E) - len({a, b, c}))]


def _vectors(rng, size, dim):
    """Rows of very different lengths, so that cosine, dot product and distance disagree."""
    rows = rng.standard_normal((size, dim))
    return np.round(rows * rng.uniform(0.3, 3.0, (size, 1)), 3)


def hidden_analogy(rng):
    """Fresh vectors and query words of the public kinds."""

    def some(count, size):
        return [int(row) for row in rng.choice(size, count, replace=False)]

    a, b, c = some(3, 30)
    d, e, f = some(3, 12)
    g, h = some(2, 20)
    return [
        case(_vectors(rng, 30, 4), a, b, c, 8, en="30 words, the best 8", zh="30 个词，取前 8 个"),
        case(_vectors(rng, 12, 3), d, e, f, 9, en="all that are left", zh="剩下的全部"),
        case(
            _vectors(rng, 9, 3),
            *some(3, 9),
            40,
            en="more asked for than there are",
            zh="要的比有的还多",
        ),
        case(
            _vectors(rng, 20, 4), g, h, g, 6, en="a and c are the same word", zh="a 和 c 是同一个词"
        ),
        case(_vectors(rng, 50, 8), *some(3, 50), 12, en="50 words, 8 numbers", zh="50 个词，8 维"),
    ]


_SMALL = np.array(
    [
        [1.0, 0.0, 0.2],  # 0 man
        [1.0, 1.0, 0.2],  # 1 woman
        [4.0, 0.0, 2.5],  # 2 king
        [2.0, 1.4, 1.0],  # 3 queen
        [2.0, -1.0, 1.2],  # 4 prince
        [0.0, -1.0, 3.0],  # 5 mountain
        [9.0, 1.0, -4.0],  # 6 river
    ]
)

ANALOGY = Exercise(
    id="analogy",
    points=3,
    public=[
        case(
            _SMALL,
            0,
            2,
            1,
            1,
            en="man is to king as woman is to ?",
            zh="man 之于 king，正如 woman 之于什么",
        ),
        case(_SMALL, 0, 2, 1, 4, en="all four that are left", zh="剩下的全部四个"),
        case(
            _vectors(_PUBLIC, 20, 4),
            3,
            11,
            7,
            6,
            en="20 words, the best 6",
            zh="20 个词，取前 6 个",
        ),
        case(
            _vectors(_PUBLIC, 8, 3),
            0,
            5,
            2,
            40,
            en="more asked for than there are",
            zh="要的比有的还多",
        ),
        case(
            _vectors(_PUBLIC, 15, 4),
            4,
            9,
            4,
            5,
            en="a and c are the same word",
            zh="a 和 c 是同一个词",
        ),
    ],
    hidden=hidden_analogy,
    mistakes=[
        Mistake(
            "queries_kept",
            _queries_kept,
            en="The words a, b and c may not be answers; with them in, the answer is often b itself.",
            zh="a、b、c 三个词不能作为答案；不排除的话，答案往往就是 b 自己。",
        ),
        Mistake(
            "dot_product",
            _dot_product,
            en="These are ranked by dot product, which favours long vectors. Divide by the lengths.",
            zh="这是按点积排的，点积偏爱长的向量。要除以长度。",
        ),
        Mistake(
            "distance",
            _distance,
            en="These are ranked by distance. The cosine looks at direction only.",
            zh="这是按距离排的。余弦只看方向。",
        ),
        Mistake(
            "backwards",
            _backwards,
            en='The offset runs the wrong way: "a is to b" is the step from a to b.',
            zh="位移方向反了：“a 之于 b”是从 a 走到 b 的那一步。",
        ),
        Mistake(
            "worst_first",
            _worst_first,
            en="These are the words with the smallest cosine: argsort sorts upwards.",
            zh="这些是余弦最小的词：argsort 是从小到大排的。",
        ),
        Mistake(
            "best_last",
            _best_last,
            en="The right words, but the best should come first.",
            zh="词是对的，但最好的应该排在最前面。",
        ),
        Mistake(
            "only_c_left_out",
            _only_c_left_out,
            en="Only c is left out. a and b may not be answers either.",
            zh="只排除了 c。a 和 b 也不能作为答案。",
        ),
        Mistake(
            "cut_first",
            _cut_first,
            en="Leave the query words out first, then take the best k; the other way round some are "
            "missing.",
            zh="先排除查询词，再取前 k 个；反过来就会缺几个。",
        ),
        Mistake(
            "normalised_first",
            _normalised_first,
            en="The rows were scaled to length 1 before the arithmetic. That is a common variant; "
            "here b - a + c is taken of the rows as they are.",
            zh="先把各行缩放成长度 1 再做加减。这也是常见的做法；但这里的 b - a + c 用的是原来的行。",
        ),
        Mistake(
            "zeroed",
            _zeroed,
            en="Setting the query words' cosine to 0 still beats every negative one. Leave them out "
            "for good.",
            zh="把查询词的余弦设成 0，仍然排在所有负数前面。要彻底排除它们。",
        ),
    ],
)

EXERCISES = [SKIPGRAM_PAIRS, NEGATIVE_SAMPLING_LOSS, ANALOGY]
