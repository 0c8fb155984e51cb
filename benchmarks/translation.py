"""How fast training is: the course's translator against plain step-by-step loops.

    python benchmarks/translation.py            # about 2 CPU minutes

One model (one-way LSTM encoder, LSTM decoder, dot attention; the same weights, the same losses to
rounding), the same pairs, five ways to train it:

- course, 32:  batches of 32 sentences of like length, each LSTM in one call for the whole batch;
- course, 64 and 128: the same with larger batches;
- loop, 32:    batches of 32 sentences as they come, padded, both LSTMs word by word;
- loop, 1:     one sentence at a time, both LSTMs word by word, as the best-known tutorials do.

Prints target tokens per CPU second, CPU seconds until the validation loss first falls below a
bar, and how many times the course's ways beat the loops. CPU seconds, one thread.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from statistics import median

import torch
from torch import Tensor, nn

from course_utils.attention import LuongDot
from course_utils.corpora.translation import Corpus, load_translation
from course_utils.seq2seq import (
    PAD,
    Batch,
    Coded,
    Translator,
    encode_pairs,
    endless_batches,
    make_batch,
    make_batches,
    mean_loss,
    vocabularies,
)
from course_utils.training import set_seed


class StepByStep(LuongDot):
    """The same model, written as a loop over words on both sides."""

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows = source.shape[0]
        h = c = torch.zeros(1, rows, self.encoder.hidden_size)
        states = []
        for place in range(source.shape[1]):
            vectors = self.source_vectors(source[:, place : place + 1])
            state, (new_h, new_c) = self.encoder(vectors, (h, c))
            real = (place < lengths)[None, :, None]
            h, c = torch.where(real, new_h, h), torch.where(real, new_c, c)
            states.append(state[:, 0] * real[0])
        return torch.stack(states, 1), h[0], c[0]

    def loss(self, batch: Batch, reduction: str = "mean") -> Tensor:
        state = self.start(batch.source, batch.lengths)
        total = torch.zeros(())
        for place in range(batch.target_in.shape[1]):
            logits, state = self.step(batch.target_in[:, place], state)
            total = total + nn.functional.cross_entropy(
                logits, batch.target_out[:, place], ignore_index=PAD, reduction="sum"
            )
        return total / (batch.target_out != PAD).sum() if reduction == "mean" else total


def one_by_one(rows: Coded, seed: int) -> Iterator[Batch]:
    """Single sentences for ever, in random order."""
    rng = random.Random(seed)
    while True:
        yield make_batch([rng.choice(rows)])


class Run:
    """One way of training, on its way."""

    def __init__(self, model: Translator, batches: Iterator[Batch], rate: float, every: int):
        self.model, self.batches, self.every = model, batches, every
        self.optimizer = torch.optim.Adam(model.parameters(), rate, fused=True)

    def go_on(self) -> tuple[int, float]:
        """Take `every` steps: (target tokens, CPU seconds)."""
        tokens = 0
        self.model.train()
        begin = time.process_time()
        for _ in range(self.every):
            batch = next(self.batches)
            self.optimizer.zero_grad(set_to_none=True)
            self.model.loss(batch).backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            tokens += int((batch.target_out != PAD).sum())
        return tokens, time.process_time() - begin

    def until(self, bar: float, validation: list[Batch], at_most: float) -> float:
        """CPU seconds of training until the validation loss is below `bar`; inf if never."""
        seconds = 0.0
        while seconds < at_most:
            seconds += self.go_on()[1]
            if mean_loss(self.model, validation) < bar:
                return seconds
        return float("inf")


def make_runs(corpus: Corpus) -> dict[str, Run]:
    """Every way of training, from the same weights."""
    words = vocabularies(corpus)
    rows = encode_pairs(corpus.train, *words)
    ways = {
        "course, 32": (LuongDot, endless_batches(rows, 32, 0), 4e-3, 10),
        "course, 64": (LuongDot, endless_batches(rows, 64, 0), 6e-3, 10),
        "course, 128": (LuongDot, endless_batches(rows, 128, 0), 8e-3, 10),
        "loop, 32": (StepByStep, endless_batches(rows, 32, 0, False), 4e-3, 10),
        "loop, 1": (StepByStep, one_by_one(rows, 0), 1e-3, 200),
    }
    runs = {}
    for name, (kind, batches, rate, every) in ways.items():
        set_seed(0)
        runs[name] = Run(kind(*words, two_way=False), batches, rate, every)
    first = make_batch(rows[:: len(rows) // 8])
    losses = {name: round(run.model.loss(first).item(), 5) for name, run in runs.items()}
    print("loss of one padded batch before training:", losses)
    return runs


def measure_speeds(runs: dict[str, Run], rounds: int) -> dict[str, float]:
    """Tokens per CPU second: the median of rounds in which the ways take turns.

    They take turns because a busy machine slows whoever is measured at that moment.
    """
    speeds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            tokens, seconds = run.go_on()
            speeds[name].append(tokens / seconds)
    return {name: median(values) for name, values in speeds.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bar", type=float, default=1.5, help="validation loss to reach")
    options.add_argument("--at-most", type=float, default=150, help="CPU seconds for each way")
    options.add_argument("--rounds", type=int, default=15, help="in which speed is measured")
    chosen = options.parse_args()
    corpus = load_translation()
    validation = make_batches(encode_pairs(corpus.validation, *vocabularies(corpus)), 64)
    runs = make_runs(corpus)
    times = {name: run.until(chosen.bar, validation, chosen.at_most) for name, run in runs.items()}
    speeds = measure_speeds(runs, chosen.rounds)

    print(f"{'':14}{'tokens/s':>9}{f'seconds to loss {chosen.bar}':>24}")
    for name in runs:
        print(f"{name:14}{speeds[name]:9.0f}{times[name]:24.1f}")
    for loop in ("loop, 32", "loop, 1"):
        for ours in ("course, 32", "course, 64", "course, 128"):
            tokens, seconds = speeds[ours] / speeds[loop], times[loop] / times[ours]
            print(f"{ours} over {loop}: {tokens:.1f}x per token, {seconds:.1f}x to the loss")


if __name__ == "__main__":
    main()
