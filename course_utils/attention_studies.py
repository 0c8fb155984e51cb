"""What lessons 6 and 7 measure: alignments, ablations, paths and times; and the dates translator.

The models are those of `course_utils.attention`; nothing here changes them.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_utils import attention, seq2seq
from course_utils.corpora import dates, translation
from course_utils.corpora.translation import Pair
from course_utils.seq2seq import History, Translation, Translator
from course_utils.training import cached

STUDY_FILE = Path(__file__).parent / "studies" / "attention.json"

# Dates

DATE_STEPS = 500
DATE_SETTINGS: dict[str, Any] = {"embed": 32, "hidden": 64, "rate": 8e-3, "two_way": True}


def dates_translator(
    kind: str = "dot", seed: int = 0, retrain: bool = False, steps: int = DATE_STEPS
) -> tuple[Translator, History]:
    """A translator of dates, character by character; kept in the data folder for the next run.

    Args:
        kind: one of the kinds of `course_utils.seq2seq`; those without attention read one way.
        seed: of weights and batches.
        retrain: train again even when a kept model fits.
        steps: training steps.
    """
    corpus = dates.load_dates()
    settings = DATE_SETTINGS | {"two_way": kind in attention.ATTENTION_MODELS}

    def make() -> dict[str, Any]:
        label = "dates" if kind in attention.ATTENTION_MODELS else f"dates, {kind}"
        model, history = seq2seq.train_translator(
            kind, corpus, steps, seed, label=label, **settings
        )
        return {"weights": model.state_dict(), "history": asdict(history)}

    wanted = {"kind": kind, "seed": seed, "steps": steps, **settings}
    code = [seq2seq, attention, dates, sys.modules[__name__]]
    kept = cached(f"dates-{kind}", wanted, make, retrain, code=code)
    sizes = {name: settings[name] for name in ("embed", "hidden", "two_way")}
    model = seq2seq.make_translator(kind, *seq2seq.vocabularies(corpus), **sizes)
    model.load_state_dict(kept["weights"])
    return model.eval(), History(**kept["history"])


def read_date(model: Translator, text: str) -> tuple[Translation, str]:
    """Translate a typed date; returns the translation and a verdict.

    The verdict is one of `dates.judge_date`'s, or ``"strange"`` when the text holds a character
    that the model has never seen, or nothing at all.
    """
    source = tuple(dates.plain_text(text))
    if not source or any(character not in model.source.index for character in source):
        return Translation((), 0.0, False), "strange"
    (found,) = seq2seq.translate_greedy(model, [source])
    return found, dates.judge_date(text, "".join(found.words))


# Alignment

DETERMINERS = {form for one in translation.DETERMINERS for form in one.fr if form} | {"l'", "cet"}
ENGLISH_DETERMINERS = {one.en for one in translation.DETERMINERS} | {"an"}
NOUNS = {form for nouns in translation.NOUNS.values() for noun in nouns for form in noun.fr}
ADJECTIVES = {form for one in translation.ADJECTIVES for form in one.fr}


def word_classes(pair: Pair) -> list[str]:
    """One class per target word: noun, determiner, crossing adjective, other.

    A crossing adjective stands after its noun in French and before it in English.
    """
    classes = []
    for place, (word, origin) in enumerate(zip(pair.target, pair.alignment, strict=True)):
        crosses = any(min(earlier) > max(origin) for earlier in pair.alignment[:place])
        if word in ADJECTIVES and crosses:
            classes.append("crossing adjective")
        elif word in DETERMINERS and pair.source[origin[-1]] in ENGLISH_DETERMINERS:
            classes.append("determiner")
        else:
            classes.append("noun" if word in NOUNS else "other")
    return classes


@torch.no_grad()
def teacher_forced_weights(model: Any, pairs: Sequence[Pair], size: int = 128) -> list[np.ndarray]:
    """Attention (target words, source words) of each pair while the true target is read."""
    found: list[np.ndarray] = [np.empty((0, 0))] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].source))
    model.eval()
    for start in range(0, len(order), size):
        places = order[start : start + size]
        rows = seq2seq.encode_pairs([pairs[p] for p in places], model.source, model.target)
        weights = model.attend(seq2seq.make_batch(rows)).numpy()
        for row, place in enumerate(places):
            pair = pairs[place]
            found[place] = weights[row, : len(pair.target), : len(pair.source)]
    return found


def gold_share(model: Any, pairs: Sequence[Pair]) -> dict[str, float]:
    """Share of target words whose largest weight lies on a true source word, by word class.

    The decoder reads the true target, so that every target word has a true source word. The
    class ``"all"`` holds all words.
    """
    hits: dict[str, list[bool]] = defaultdict(list)
    for pair, weights in zip(pairs, teacher_forced_weights(model, pairs), strict=True):
        best = weights.argmax(1)
        for kind, place, origin in zip(word_classes(pair), best, pair.alignment, strict=True):
            hits[kind].append(int(place) in origin)
            hits["all"].append(int(place) in origin)
    return {kind: float(np.mean(found)) for kind, found in sorted(hits.items())}


def determiner_looks(model: Any, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Where the largest weight lies while a French determiner is written.

    Returns:
        the share on the English determiner that it translates, and the share on the noun.
    """
    own, noun, total = 0, 0, 0
    for pair, weights in zip(pairs, teacher_forced_weights(model, pairs), strict=True):
        classes = word_classes(pair)
        for place, kind in enumerate(classes):
            if kind != "determiner" or "noun" not in classes[place:]:
                continue
            best = int(weights[place].argmax())
            own += best in pair.alignment[place]
            noun += best in pair.alignment[classes.index("noun", place)]
            total += 1
    return own / total, noun / total


GENDERED = {"le", "la", "un", "une", "ce", "cette", "mon", "ma"}


@torch.no_grad()
def articles_right(model: Any, pairs: Sequence[Pair], size: int = 128) -> float:
    """Share of determiners with a gender that are predicted right, the true words before read."""
    model.eval()
    right: list[bool] = []
    numbers = [model.target.index[word] for word in sorted(GENDERED)]
    order = sorted(pairs, key=lambda pair: len(pair.source))
    for start in range(0, len(order), size):
        part = order[start : start + size]
        batch = seq2seq.make_batch(seq2seq.encode_pairs(part, model.source, model.target))
        best = model(batch).argmax(-1)
        for row, pair in enumerate(part):
            for place, kind in enumerate(word_classes(pair)):
                number = int(batch.target_out[row, place])
                if kind == "determiner" and number in numbers:
                    right.append(int(best[row, place]) == number)
    return float(np.mean(right))


def recorded() -> dict[str, Any]:
    """What `benchmarks/attention_study.py` wrote: gold shares, dates with and without attention."""
    return json.loads(STUDY_FILE.read_text(encoding="utf-8"))


# Paths and times


def best_seconds(
    action: Callable[..., object], *arguments: Any, budget: float = 0.2, most: int = 30
) -> float:
    """The shortest of several timed calls, after one to warm up: other work can only add time."""
    action(*arguments)
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < most and time.perf_counter() - begin < budget):
        before = time.perf_counter()
        action(*arguments)
        times.append(time.perf_counter() - before)
    return min(times)


def longest_chain(output: Tensor) -> int:
    """How many operations of the graph behind `output` must wait for one another.

    This is what parallel hardware cannot shorten: the longest path of autograd's graph.
    """
    depth: dict[Any, int] = {None: 0}
    stack: list[Any] = [output.grad_fn]
    while stack:
        node = stack[-1]
        below = [next_node for next_node, _ in node.next_functions]
        waiting = [next_node for next_node in below if next_node not in depth]
        if waiting:
            stack += waiting
        else:
            depth[stack.pop()] = 1 + max((depth[next_node] for next_node in below), default=0)
    return depth[output.grad_fn]


def first_to_last_gradient(
    layer: Callable[[Tensor], Tensor], length: int, width: int, seed: int = 0
) -> float:
    """Norm of d(sum of the last output)/d(first input) for `layer`: (1, T, D) -> (1, T, D')."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(1, length, width, generator=generator, dtype=torch.float64)
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(layer(x)[0, -1].sum(), x)
    return float(gradient[0, 0].norm())


class SelfAttention(nn.Module):
    """One head of self-attention: (B, T, E) -> (B, T, D), every place looks at all."""

    def __init__(self, embed: int, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(embed, width, bias=False)
        self.key = nn.Linear(embed, width, bias=False)
        self.value = nn.Linear(embed, width, bias=False)
        for layer in (self.query, self.key, self.value):
            nn.init.normal_(layer.weight, std=embed**-0.5)

    def forward(self, x: Tensor, causal: bool = False) -> Tensor:
        """Weighted values; with `causal` no place looks at later ones."""
        return nn.functional.scaled_dot_product_attention(
            self.query(x), self.key(x), self.value(x), is_causal=causal
        )
