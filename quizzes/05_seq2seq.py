"""Lesson 5's exercises: cases, and the mistakes we expect, with their hints.

``step`` arguments are two tables (`course_utils.seq2seq.table_step`): in each of S states a
distribution over V tokens, and where each token leads. Token 0 begins, token 1 ends.
"""

import numpy as np
import torch

from course_utils.exercises.specify import Built, Exercise, Mistake, case

BOS, EOS = 0, 1


def tables(probs, moves):
    """A `Built` step from rows of probabilities (any positive numbers) and a table of moves."""
    probs = np.asarray(probs, dtype=float)
    probs = probs / probs.sum(1, keepdims=True)
    built = {"log_probs": np.log(probs), "moves": np.asarray(moves)}
    return Built("seq2seq.table_step", built)


def random_step(rng, states, words, steps, end=0.15):
    """Random tables, `states` of them for each step, so that no two sentences tie.

    State 0 is the start; `end` is the mean probability of ending.
    """
    size = 1 + states * steps
    probs = rng.dirichlet(np.full(words, 0.7), size=size) + 1e-3
    probs[:, BOS] = rng.uniform(1e-6, 1e-5, size=size)
    probs[:, EOS] = end * rng.uniform(0.5, 1.5, size=size)
    layer = (np.arange(size) - 1) // states + 1  # the layer that a state leads to
    layer = np.minimum(np.where(np.arange(size) == 0, 0, layer), steps - 1)
    moves = 1 + layer[:, None] * states + rng.integers(0, states, size=(size, words))
    return tables(probs, moves)


def chain(rows, words):
    """Tables whose state only counts steps: row t holds the probabilities of step t."""
    states = len(rows) + 1
    probs = np.ones((states, words))
    probs[1:] = rows
    moves = np.repeat(np.minimum(np.arange(states) + 1, states - 1)[:, None], words, axis=1)
    return tables(probs, moves)


# A first word that looks best and leads into a crowd; and a beam that pushes the better one out.
CORNER = tables(
    # bos   eos   a     b     c     d
    [
        [1, 1, 1, 1, 1, 1],
        [1e-6, 1e-6, 0.6, 0.4, 1e-6, 1e-6],
        [1e-6, 1e-6, 0.55, 0.45, 1e-6, 1e-6],
        [1e-6, 1e-6, 1e-6, 1e-6, 0.9, 0.1],
        [1e-6, 0.5, 0.1, 0.1, 0.1, 0.2],
        [1e-6, 0.9, 1e-6, 0.1, 1e-6, 1e-6],
    ],
    [
        [1, 1, 1, 1, 1, 1],
        [1, 1, 2, 3, 4, 4],
        [2, 2, 4, 4, 4, 4],
        [3, 3, 3, 3, 5, 4],
        [4, 4, 4, 4, 4, 4],
        [5, 5, 5, 5, 5, 5],
    ],
)
PUSHED_OUT = tables(
    [
        [1, 1, 1, 1, 1, 1],
        [1e-6, 1e-6, 0.5, 0.3, 0.12, 0.08],
        [1e-6, 1e-6, 0.29, 0.25, 0.24, 0.22],
        [1e-6, 1e-6, 0.52, 0.48, 1e-6, 1e-6],
        [1e-6, 0.95, 0.02, 0.01, 0.01, 0.01],
        [1e-6, 0.3, 0.28, 0.2, 0.12, 0.1],
        [1e-6, 0.6, 0.1, 0.1, 0.1, 0.1],
    ],
    [
        [1, 1, 1, 1, 1, 1],
        [6, 6, 2, 3, 6, 6],
        [6, 6, 4, 4, 4, 4],
        [6, 6, 5, 5, 6, 6],
        [6, 6, 6, 6, 6, 6],
        [6, 6, 6, 6, 6, 6],
        [6, 6, 6, 6, 6, 6],
    ],
)


# greedy_decode


def greedy(step, state, bos, eos, max_len):
    """The known right answer, for making wrong ones."""
    tokens, score, token = [], 0.0, bos
    while len(tokens) < max_len and token != eos:
        logp, state = step(token, state)
        token = int(np.argmax(logp))
        score += float(logp[token])
        tokens.append(token)
    return tokens, score


def hidden_greedy_decode(rng):
    def wordy(words):
        return [BOS, *([2] * (words - 1))]

    ends_at_once = chain([[1e-6, 0.9, *rng.uniform(0.01, 0.05, 3)]] * 3, 5)
    never_ends = chain(rng.uniform(0.2, 1.0, (6, 5)) * np.array([1e-6, 1e-6, 1, 1, 1]), 5)
    ends_third = rng.uniform(0.2, 0.5, (4, 6)) * np.array([1e-6, 0.2, 1, 1, 1, 1])
    ends_third[2, EOS] = 0.9
    return [
        case(chain(ends_third, 6), 0, BOS, EOS, 8, en="it ends at the third step", zh="第三步结束"),
        case(random_step(rng, 6, 7, 12, 0.1), 0, BOS, EOS, 12, en="random tables", zh="随机的表"),
        case(ends_at_once, 0, BOS, EOS, 5, en="it ends at once", zh="一开始就结束"),
        case(never_ends, 0, BOS, EOS, 4, en="max_len cuts it off", zh="到 max_len 被截断"),
        case(random_step(rng, 3, 30, 20, 0.05), 0, BOS, EOS, 20, en="30 words", zh="30 个词"),
    ]


def greedy_forgets_state(step, state, bos, eos, max_len):
    return greedy(lambda token, _: step(token, state), state, bos, eos, max_len)


def greedy_repeats_bos(step, state, bos, eos, max_len):
    return greedy(lambda _, now: step(bos, now), state, bos, eos, max_len)


def greedy_never_stops(step, state, bos, eos, max_len):
    return greedy(step, state, bos, -1, max_len)


def greedy_drops_eos(step, state, bos, eos, max_len):
    tokens, score = greedy(step, state, bos, eos, max_len)
    return [token for token in tokens if token != eos], score


def greedy_unscored_end(step, state, bos, eos, max_len):
    tokens, score, token = [], 0.0, bos
    for _ in range(max_len):
        logp, state = step(token, state)
        token = int(np.argmax(logp))
        tokens.append(token)
        if token == eos:
            break
        score += float(logp[token])
    return tokens, score


def greedy_probability(step, state, bos, eos, max_len):
    tokens, score = greedy(step, state, bos, eos, max_len)
    return tokens, float(np.exp(score))


def greedy_mean(step, state, bos, eos, max_len):
    tokens, score = greedy(step, state, bos, eos, max_len)
    return tokens, score / max(1, len(tokens))


def greedy_keeps_bos(step, state, bos, eos, max_len):
    tokens, score = greedy(step, state, bos, eos, max_len)
    return [bos, *tokens], score


def greedy_one_short(step, state, bos, eos, max_len):
    return greedy(step, state, bos, eos, max_len - 1)


GREEDY_DECODE = Exercise(
    id="greedy_decode",
    points=2,
    public=[
        case(CORNER, 0, BOS, EOS, 6, en="a small tree", zh="一棵小树"),
        case(
            chain([[1e-6, 0.1, 0.5, 0.4], [1e-6, 0.2, 0.3, 0.5], [1e-6, 0.7, 0.2, 0.1]], 4),
            0, BOS, EOS, 9, en="three steps, then the end", zh="三步之后结束",
        ),
        case(
            chain([[1e-6, 0.8, 0.1, 0.1]], 4), 0, BOS, EOS, 5, en="it ends at once", zh="一开始就结束"
        ),
        case(
            chain([[1e-6, 0.1, 0.2, 0.7], [1e-6, 0.1, 0.6, 0.3]], 4),
            0, BOS, EOS, 3, en="max_len cuts it off", zh="到 max_len 被截断",
        ),
        case(
            random_step(np.random.default_rng(8), 3, 6, 12, 0.1),
            0, BOS, EOS, 12, en="a random decoder", zh="随机的解码器",
        ),
    ],
    hidden=hidden_greedy_decode,
    mistakes=[
        Mistake(
            "forgets_state", greedy_forgets_state,
            en="Each step seems to start again from the first state. `step` returns two things; the second is what the next call needs.",
            zh="每一步好像都从最初的状态重新开始。`step` 返回两样东西，第二样正是下一次调用要用的。",
        ),
        Mistake(
            "repeats_bos", greedy_repeats_bos,
            en="The decoder seems to read `bos` at every step. It should read the word that it has just written.",
            zh="解码器好像每一步读的都是 `bos`。它该读自己刚刚写下的那个词。",
        ),
        Mistake(
            "never_stops", greedy_never_stops,
            en="Writing goes on after `eos`. That token means: the sentence is over.",
            zh="写出 `eos` 之后还在继续。这个记号的意思是：句子结束了。",
        ),
        Mistake(
            "drops_eos", greedy_drops_eos,
            en="The score is right, but `eos` is missing from the tokens. Keep it: without it nobody can tell an ended sentence from one that was cut off.",
            zh="分数对，但词元里少了 `eos`。要留着它：不然分不清句子是写完了，还是被截断了。",
        ),
        Mistake(
            "unscored_end", greedy_unscored_end,
            en="The tokens are right; the score leaves out the last decision. Ending was a choice too, with a probability of its own.",
            zh="词元对，分数却漏了最后一个决定。结束也是一次选择，也有它的概率。",
        ),
        Mistake(
            "probability", greedy_probability,
            en="That is the probability. Return its logarithm: the *sum* of the log-probabilities.",
            zh="这是概率。要返回的是它的对数：各步对数概率之*和*。",
        ),
        Mistake(
            "mean", greedy_mean,
            en="That is the mean per step. Return the sum, without dividing by the length.",
            zh="这是每步的平均。请返回总和，不要除以长度。",
        ),
        Mistake(
            "keeps_bos", greedy_keeps_bos,
            en="`bos` stands in your tokens. The decoder reads it, it does not write it.",
            zh="你的词元里有 `bos`。它是给解码器读的，不是解码器写的。",
        ),
        Mistake(
            "one_short", greedy_one_short,
            en="It stops one step before `max_len`. Count the tokens that are written; `bos` is not one of them.",
            zh="离 `max_len` 还差一步就停了。数的是写出来的词元，`bos` 不算。",
        ),
    ],
)  # fmt: skip


# beam_search


def beam(step, state, bos, eos, width, max_len, rank=None):
    """The known right answer, for making wrong ones."""
    rank = rank or (lambda tokens, score: score)
    kept = [([], 0.0, bos, state)]
    for _ in range(max_len):
        if all(last == eos for _, _, last, _ in kept):
            break
        wider = []
        for tokens, score, last, now in kept:
            if last == eos:
                wider.append((tokens, score, last, now))
                continue
            logp, after = step(last, now)
            wider += [([*tokens, t], score + float(p), t, after) for t, p in enumerate(logp)]
        kept = sorted(wider, key=lambda one: -rank(one[0], one[1]))[:width]
    return [(tokens, score) for tokens, score, _, _ in kept]


def hidden_beam_search(rng):
    ends = chain(rng.uniform(0.2, 0.6, (3, 5)) * np.array([1e-6, 1.2, 1, 1, 1]), 5)
    longer = rng.uniform(0.2, 0.5, (6, 6)) * np.array([1e-6, 0.25, 1, 1, 1, 1])
    return [
        case(random_step(rng, 6, 6, 6, 0.25), 0, BOS, EOS, 3, 6, en="width 3", zh="宽度 3"),
        case(random_step(rng, 6, 7, 8, 0.2), 0, BOS, EOS, 4, 8, en="width 4", zh="宽度 4"),
        case(ends, 0, BOS, EOS, 4, 6, en="some end early", zh="有的早早结束"),
        case(random_step(rng, 6, 6, 8, 0.15), 0, BOS, EOS, 1, 8, en="width 1", zh="宽度 1"),
        case(chain(longer, 6), 0, BOS, EOS, 3, 4, en="cut off at max_len", zh="到 max_len 被截断"),
        case(
            random_step(rng, 3, 4, 3, 0.3),
            0,
            BOS,
            EOS,
            20,
            2,
            en="room for everything",
            zh="装得下一切",
        ),
        case(random_step(rng, 6, 12, 10, 0.2), 0, BOS, EOS, 5, 10, en="12 words", zh="12 个词"),
    ]


def beam_is_greedy(step, state, bos, eos, width, max_len):
    return beam(step, state, bos, eos, 1, max_len)


def beam_goes_on(step, state, bos, eos, width, max_len):
    return beam(step, state, bos, -1, width, max_len)


def beam_loses_ended(step, state, bos, eos, width, max_len):
    """Ended hypotheses fall out of the beam at the next step."""
    kept = [([], 0.0, bos, state)]
    for _ in range(max_len):
        wider = []
        for tokens, score, last, now in kept:
            if last != eos:
                logp, after = step(last, now)
                wider += [([*tokens, t], score + float(p), t, after) for t, p in enumerate(logp)]
        if not wider:
            break
        kept = sorted(wider, key=lambda one: -one[1])[:width]
    return [(tokens, score) for tokens, score, _, _ in kept]


def beam_stops_at_first_end(step, state, bos, eos, width, max_len):
    kept = [([], 0.0, bos, state)]
    for _ in range(max_len):
        if any(last == eos for _, _, last, _ in kept):
            break
        wider = []
        for tokens, score, last, now in kept:
            logp, after = step(last, now)
            wider += [([*tokens, t], score + float(p), t, after) for t, p in enumerate(logp)]
        kept = sorted(wider, key=lambda one: -one[1])[:width]
    return [(tokens, score) for tokens, score, _, _ in kept]


def beam_sets_ended_aside(step, state, bos, eos, width, max_len):
    """Ended ones wait outside; `width` unfinished ones are always kept."""
    kept, ended = [([], 0.0, bos, state)], []
    for _ in range(max_len):
        wider = []
        for tokens, score, last, now in kept:
            logp, after = step(last, now)
            wider += [([*tokens, t], score + float(p), t, after) for t, p in enumerate(logp)]
        ended += [one for one in wider if one[2] == eos]
        kept = sorted((one for one in wider if one[2] != eos), key=lambda one: -one[1])[:width]
        if not kept:
            break
    best = sorted(ended + kept, key=lambda one: -one[1])[:width]
    return [(tokens, score) for tokens, score, _, _ in best]


def beam_shares_state(step, state, bos, eos, width, max_len):
    """One state for all hypotheses: that of the last one expanded."""
    kept = [([], 0.0, bos)]
    for _ in range(max_len):
        if all(last == eos for _, _, last in kept):
            break
        wider, after = [], state
        for tokens, score, last in kept:
            if last == eos:
                wider.append((tokens, score, last))
                continue
            logp, after = step(last, state)
            wider += [([*tokens, t], score + float(p), t) for t, p in enumerate(logp)]
        state = after
        kept = sorted(wider, key=lambda one: -one[1])[:width]
    return [(tokens, score) for tokens, score, _ in kept]


def beam_normalises(step, state, bos, eos, width, max_len):
    return beam(
        step, state, bos, eos, width, max_len, rank=lambda tokens, score: score / len(tokens)
    )


def beam_worst_first(step, state, bos, eos, width, max_len):
    return beam(step, state, bos, eos, width, max_len)[::-1]


def beam_last_step_only(step, state, bos, eos, width, max_len):
    """Ranks by the last word's log-probability alone."""
    kept = [([], 0.0, 0.0, bos, state)]
    for _ in range(max_len):
        if all(one[3] == eos for one in kept):
            break
        wider = []
        for tokens, score, last_p, last, now in kept:
            if last == eos:
                wider.append((tokens, score, last_p, last, now))
                continue
            logp, after = step(last, now)
            wider += [
                ([*tokens, t], score + float(p), float(p), t, after) for t, p in enumerate(logp)
            ]
        kept = sorted(wider, key=lambda one: -one[2])[:width]
    return [(one[0], one[1]) for one in sorted(kept, key=lambda one: -one[1])]


def beam_best_of_each(step, state, bos, eos, width, max_len):
    """The first step opens `width` branches; after that each goes its own greedy way."""
    first, after = step(bos, state)
    order = np.argsort(-first, kind="stable")[:width]
    found = []
    for token in order.tolist():
        tokens, score, now, last = [token], float(first[token]), after, token
        while last != eos and len(tokens) < max_len:
            logp, now = step(last, now)
            last = int(np.argmax(logp))
            tokens, score = [*tokens, last], score + float(logp[last])
        found.append((tokens, score))
    return sorted(found, key=lambda one: -one[1])


BEAM_SEARCH = Exercise(
    id="beam_search",
    points=3,
    public=[
        case(CORNER, 0, BOS, EOS, 2, 5, en="greedy is cornered, width 2 is not", zh="贪心走进死角，宽度 2 不会"),
        case(CORNER, 0, BOS, EOS, 1, 5, en="width 1: greedy", zh="宽度 1：就是贪心"),
        case(PUSHED_OUT, 0, BOS, EOS, 2, 5, en="a better prefix is pushed out", zh="更好的前缀被挤出去"),
        case(
            random_step(np.random.default_rng(291), 6, 6, 6, 0.3),
            0, BOS, EOS, 4, 6, en="width 4, some end early", zh="宽度 4，有的早早结束",
        ),
        case(
            random_step(np.random.default_rng(6), 3, 4, 3, 0.2),
            0, BOS, EOS, 20, 2, en="room for everything", zh="装得下一切",
        ),
    ],
    hidden=hidden_beam_search,
    mistakes=[
        Mistake(
            "is_greedy", beam_is_greedy,
            en="Only one prefix is kept, whatever `width` is. Expand all kept prefixes, then cut the list to `width`.",
            zh="不管 `width` 是多少，只留下了一个前缀。把留下的前缀全部扩展，再把列表截到 `width` 个。",
        ),
        Mistake(
            "goes_on", beam_goes_on,
            en="Sentences go on after `eos`. An ended one stays in the beam as it is, with the score it has.",
            zh="句子在 `eos` 之后还在增长。已结束的句子原样留在束里，分数不变。",
        ),
        Mistake(
            "loses_ended", beam_loses_ended,
            en="Ended sentences get lost at the next step. They have nothing to expand, but they still compete for their place.",
            zh="已结束的句子到下一步就不见了。它们不必再扩展，但仍要参加排名。",
        ),
        Mistake(
            "stops_at_first_end", beam_stops_at_first_end,
            en="The search stops as soon as one sentence has ended. Others may still overtake: go on until all have ended.",
            zh="一有句子结束，搜索就停了。别的句子还可能赶上来：要等全部结束。",
        ),
        Mistake(
            "sets_ended_aside", beam_sets_ended_aside,
            en="Ended sentences are put aside, so that `width` unfinished ones are always kept. A known variant, but here an ended sentence takes one of the `width` places.",
            zh="已结束的句子被放到一边，未完成的始终留 `width` 个。这是一种已知的做法，但在这里，已结束的句子也占 `width` 个位置中的一个。",
        ),
        Mistake(
            "shares_state", beam_shares_state,
            en="All prefixes seem to share one state. Each prefix must carry the state that its own words led to.",
            zh="所有前缀好像共用一个状态。每个前缀要带着自己那些词走到的状态。",
        ),
        Mistake(
            "normalises", beam_normalises,
            en="You rank by score per word. Rank by the plain sum of the log-probabilities.",
            zh="你按每个词的平均分排名。请按对数概率的总和排名。",
        ),
        Mistake(
            "worst_first", beam_worst_first,
            en="The right sentences in the wrong order: the best comes first. Log-probabilities are negative; the best is the one nearest 0.",
            zh="句子都对，顺序反了：最好的放在最前面。对数概率是负数，越接近 0 越好。",
        ),
        Mistake(
            "last_step_only", beam_last_step_only,
            en="Prefixes are ranked by their last word alone. What counts is the sum over all of their words.",
            zh="前缀只按最后一个词排名了。要看的是所有词的总和。",
        ),
        Mistake(
            "best_of_each", beam_best_of_each,
            en="After the first step each prefix goes its own greedy way. At every step all continuations of all prefixes compete with each other.",
            zh="第一步之后，每个前缀各自贪心地走下去了。每一步都应让所有前缀的所有续写一起竞争。",
        ),
    ],
)  # fmt: skip


# masked_cross_entropy


def per_word(logits, targets):
    """Cross-entropy at every place, (B, T)."""
    logp = torch.log_softmax(logits, -1)
    return -logp.gather(-1, targets[..., None])[..., 0]


def cross_entropy_all(logits, targets, pad):
    return per_word(logits, targets).mean()


def cross_entropy_sum(logits, targets, pad):
    return (per_word(logits, targets) * (targets != pad)).sum()


def cross_entropy_all_places(logits, targets, pad):
    return (per_word(logits, targets) * (targets != pad)).sum() / targets.numel()


def cross_entropy_per_sentence(logits, targets, pad):
    real = (targets != pad).to(logits.dtype)
    rows = (per_word(logits, targets) * real).sum(1) / real.sum(1).clamp(min=1)
    return rows.mean()


def cross_entropy_per_batch(logits, targets, pad):
    return (per_word(logits, targets) * (targets != pad)).sum() / targets.shape[0]


def cross_entropy_nan(logits, targets, pad):
    return per_word(logits, targets)[targets != pad].mean()


def cross_entropy_zero_logits(logits, targets, pad):
    logits = logits.masked_fill((targets == pad)[..., None], 0.0)
    return per_word(logits, targets).mean()


def cross_entropy_no_softmax(logits, targets, pad):
    picked = -logits.gather(-1, targets[..., None])[..., 0]
    real = targets != pad
    return (picked * real).sum() / real.sum().clamp(min=1)


def cross_entropy_wrong_axis(logits, targets, pad):
    logp = torch.log_softmax(logits, 1)
    real = targets != pad
    return (-logp.gather(-1, targets[..., None])[..., 0] * real).sum() / real.sum().clamp(min=1)


def cross_entropy_pad_is_zero(logits, targets, pad):
    real = targets != 0
    return (per_word(logits, targets) * real).sum() / real.sum().clamp(min=1)


def padded(rng, rows, width, words, pad, lengths):
    """Random logits and targets; row b has `lengths[b]` real places."""
    logits = torch.tensor(rng.normal(0, 2, (rows, width, words)))
    targets = rng.integers(0, words - 1, (rows, width))
    targets = targets + (targets >= pad)  # any word but the padding
    for row, length in enumerate(lengths):
        targets[row, length:] = pad
    return logits, torch.tensor(targets), pad


def hidden_masked_cross_entropy(rng):
    def lengths(rows, width):
        return [width, *rng.integers(1, width, rows - 1).tolist()]

    return [
        case(
            *padded(rng, 3, 6, 5, 0, lengths(3, 6)), en="padding 0", zh="填充符是 0", gradients=(0,)
        ),
        case(
            *padded(rng, 4, 5, 6, 4, lengths(4, 5)), en="padding 4", zh="填充符是 4", gradients=(0,)
        ),
        case(*padded(rng, 2, 4, 5, 0, [4, 0]), en="one row is all padding", zh="有一行全是填充"),
        case(
            *padded(rng, 2, 3, 4, 0, [0, 0]),
            en="nothing but padding",
            zh="除了填充什么都没有",
            gradients=(0,),
        ),
        case(*padded(rng, 5, 9, 30, 2, lengths(5, 9)), en="30 words", zh="30 个词"),
    ]


_rng = np.random.default_rng(3)

MASKED_CROSS_ENTROPY = Exercise(
    id="masked_cross_entropy",
    points=2,
    public=[
        case(
            torch.tensor([[[0.0, 2.0, 1.0], [0.0, 1.0, 3.0]], [[0.0, 1.0, -1.0], [5.0, 0.0, 0.0]]]),
            torch.tensor([[1, 2], [1, 0]]), 0,
            en="two sentences, one padded", zh="两句话，一句有填充", gradients=(0,),
        ),
        case(*padded(_rng, 3, 5, 6, 3, [5, 2, 1]), en="the padding is 3", zh="填充符是 3", gradients=(0,)),
        case(*padded(_rng, 2, 4, 5, 0, [4, 0]), en="one row is all padding", zh="有一行全是填充"),
        case(*padded(_rng, 2, 3, 4, 0, [0, 0]), en="nothing but padding: 0", zh="除了填充什么都没有：0", gradients=(0,)),
    ],
    hidden=hidden_masked_cross_entropy,
    mistakes=[
        Mistake(
            "counts_padding", cross_entropy_all,
            en="Padding is counted. The model would learn to predict padding, which is easy, and the loss would look better than it is.",
            zh="填充也算进去了。模型会去学预测填充，那很容易，损失就显得比实际好。",
        ),
        Mistake(
            "sum", cross_entropy_sum,
            en="That is the sum over the real words. Divide it by their number.",
            zh="这是所有真实词的总和。还要除以它们的个数。",
        ),
        Mistake(
            "divides_by_all", cross_entropy_all_places,
            en="The sum leaves padding out, but you divide by all places. Divide by the number of real words.",
            zh="求和时去掉了填充，做除数的却是全部位置。应除以真实词的个数。",
        ),
        Mistake(
            "per_sentence", cross_entropy_per_sentence,
            en="That is the mean of the sentences' means: a word of a short sentence weighs more than one of a long sentence. Every word shall weigh the same.",
            zh="这是各句平均值的平均：短句里的词比长句里的词分量重。应让每个词分量相同。",
        ),
        Mistake(
            "per_batch", cross_entropy_per_batch,
            en="You divide by the number of sentences. Divide by the number of real words.",
            zh="除数是句子数。应除以真实词的个数。",
        ),
        Mistake(
            "nan", cross_entropy_nan,
            en="Right wherever there is a real word. Where there is none the mean of nothing is nan: return 0 there.",
            zh="有真实词时都对。一个真实词也没有时，空集的平均是 nan：这时应返回 0。",
        ),
        Mistake(
            "zeroed_logits", cross_entropy_zero_logits,
            en="Setting the logits at padding to 0 does not remove it: the loss there becomes ln V. Leave those places out of the mean.",
            zh="把填充处的 logits 设为 0 并没有去掉它：那里的损失变成 ln V。求平均时要把这些位置排除在外。",
        ),
        Mistake(
            "no_softmax", cross_entropy_no_softmax,
            en="Logits are not log-probabilities yet. A log-softmax over the vocabulary is missing.",
            zh="logits 还不是对数概率。少了一步：对词表做 log-softmax。",
        ),
        Mistake(
            "wrong_axis", cross_entropy_wrong_axis,
            en="The softmax runs over the places in the sentence. It must run over the vocabulary, the last axis.",
            zh="softmax 沿着句中的位置做了。应沿着词表，也就是最后一个轴。",
        ),
        Mistake(
            "pad_is_zero", cross_entropy_pad_is_zero,
            en="The number 0 is taken as padding, whatever `pad` says.",
            zh="不管 `pad` 是什么，都把 0 当成了填充。",
        ),
    ],
)  # fmt: skip

EXERCISES = [MASKED_CROSS_ENTROPY, GREEDY_DECODE, BEAM_SEARCH]
