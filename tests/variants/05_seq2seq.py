"""Right solutions of lesson 5's exercises in different styles: each must get full marks."""

import heapq
import math

import numpy as np
import torch

# masked_cross_entropy


def cross_entropy_functional(logits, targets, pad):
    total = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad, reduction="sum"
    )
    return total / max(1, int((targets != pad).sum()))


def cross_entropy_loop(logits, targets, pad):
    losses = []
    for sentence, wanted in zip(logits, targets, strict=True):
        for scores, word in zip(sentence, wanted.tolist(), strict=True):
            if word != pad:
                losses.append(torch.logsumexp(scores, 0) - scores[word])
    return torch.stack(losses).mean() if losses else (logits * 0).sum()


def cross_entropy_select(logits, targets, pad):
    real = targets != pad
    if not real.any():
        return logits.sum() * 0.0
    logp = torch.log_softmax(logits[real], dim=-1)
    return -logp[torch.arange(len(logp)), targets[real]].mean()


def cross_entropy_one_hot(logits, targets, pad):
    words = torch.nn.functional.one_hot(targets, logits.shape[-1]).to(logits.dtype)
    probs = torch.softmax(logits, 2)
    losses = -(words * torch.log(probs)).sum(2)
    mask = targets.ne(pad).to(logits.dtype)
    return (losses * mask).sum() / torch.clamp(mask.sum(), min=1.0)


# greedy_decode


def greedy_for(step, state, bos, eos, max_len):
    tokens, total, token = [], 0.0, bos
    for _ in range(max_len):
        log_probs, state = step(token, state)
        token = int(log_probs.argmax())
        total += log_probs[token]
        tokens.append(token)
        if token == eos:
            break
    return tokens, float(total)


def greedy_while(step, state, bos, eos, max_len):
    written = [bos]
    scores = []
    while len(written) <= max_len and (len(written) == 1 or written[-1] != eos):
        log_probs, state = step(written[-1], state)
        scores.append(max(log_probs))
        written.append(list(log_probs).index(scores[-1]))
    return written[1:], math.fsum(scores)


def greedy_recursive(step, state, bos, eos, max_len):
    if max_len == 0:
        return [], 0.0
    log_probs, state = step(bos, state)
    best = max(range(len(log_probs)), key=log_probs.__getitem__)
    if best == eos:
        return [best], float(log_probs[best])
    tokens, score = greedy_recursive(step, state, best, eos, max_len - 1)
    return [best, *tokens], float(log_probs[best]) + score


def greedy_generator(step, state, bos, eos, max_len):
    def walk():
        token, now = bos, state
        for _ in range(max_len):
            log_probs, now = step(token, now)
            token = np.argmax(log_probs).item()
            yield token, log_probs[token].item()
            if token == eos:
                return

    pairs = list(walk())
    return [token for token, _ in pairs], sum(score for _, score in pairs)


# beam_search


def beam_tuples(step, state, bos, eos, width, max_len):
    beam = [(0.0, [], state)]
    for _ in range(max_len):
        candidates = []
        for score, tokens, now in beam:
            if tokens and tokens[-1] == eos:
                candidates.append((score, tokens, now))
            else:
                log_probs, after = step(tokens[-1] if tokens else bos, now)
                for token in range(len(log_probs)):
                    candidates.append((score + log_probs[token], [*tokens, token], after))
        beam = sorted(candidates, key=lambda one: one[0], reverse=True)[:width]
    return [(tokens, float(score)) for score, tokens, _ in beam]


def beam_heap(step, state, bos, eos, width, max_len):
    alive, ended = [(0.0, (), state)], []
    for _ in range(max_len):
        if not alive:
            break
        wider = [(score, tokens, None) for score, tokens in ended]
        for score, tokens, now in alive:
            log_probs, after = step(tokens[-1] if tokens else bos, now)
            wider += [(score + p, (*tokens, t), after) for t, p in enumerate(log_probs.tolist())]
        best = heapq.nlargest(width, wider, key=lambda one: one[0])
        ended = [(score, tokens) for score, tokens, _ in best if tokens[-1] == eos]
        alive = [one for one in best if one[1][-1] != eos]
    found = ended + [(score, tokens) for score, tokens, _ in alive]
    return [(list(tokens), score) for score, tokens in sorted(found, reverse=True)]


def beam_arrays(step, state, bos, eos, width, max_len):
    tokens, scores, states = [[]], np.zeros(1), [state]
    for _ in range(max_len):
        rows = []
        for place, written in enumerate(tokens):
            if written and written[-1] == eos:
                rows.append((np.array([scores[place]]), None))
            else:
                log_probs, after = step(written[-1] if written else bos, states[place])
                rows.append((scores[place] + log_probs, after))
        owners = np.concatenate([np.full(len(r[0]), p) for p, r in enumerate(rows)])
        words = np.concatenate([np.arange(len(r[0])) for r in rows])
        totals = np.concatenate([r[0] for r in rows])
        order = np.argsort(-totals)[:width]
        tokens = [
            tokens[owners[i]] + ([] if rows[owners[i]][1] is None else [int(words[i])])
            for i in order
        ]
        states = [rows[owners[i]][1] for i in order]
        scores = totals[order]
        if all(written[-1] == eos for written in tokens):
            break
    return list(zip(tokens, scores.tolist(), strict=True))


def beam_dictionary(step, state, bos, eos, width, max_len):
    beam = {(): (0.0, state)}
    for _ in range(max_len):
        wider = {}
        for tokens, (score, now) in beam.items():
            if tokens[-1:] == (eos,):
                wider[tokens] = (score, now)
                continue
            log_probs, after = step((bos, *tokens)[-1], now)
            wider.update({(*tokens, t): (score + p, after) for t, p in enumerate(log_probs)})
        keep = sorted(wider, key=lambda tokens: wider[tokens][0])[-width:][::-1]
        beam = {tokens: wider[tokens] for tokens in keep}
    return [(list(tokens), float(score)) for tokens, (score, _) in beam.items()]


VARIANTS = {
    "masked_cross_entropy": [
        cross_entropy_functional,
        cross_entropy_loop,
        cross_entropy_select,
        cross_entropy_one_hot,
    ],
    "greedy_decode": [greedy_for, greedy_while, greedy_recursive, greedy_generator],
    "beam_search": [beam_tuples, beam_heap, beam_arrays, beam_dictionary],
}
