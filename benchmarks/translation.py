"""How fast training is: the course's translator against plain step-by-step loops.

    python benchmarks/translation.py            # about 1 CPU minute

One model (one-way LSTM encoder, LSTM decoder, dot attention; the same weights, the same losses to
rounding), the same pairs, four ways to train it:

- course, 32:  batches of 32 sentences of like length, each LSTM in one call for the whole batch;
- course, 64:  the same with batches of 64;
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

import torch
from torch import Tensor, nn

from course_utils.attention import LuongDot
from course_utils.corpora.translation import load_translation
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


def train_until(
    model: Translator,
    batches: Iterator[Batch],
    validation: list[Batch],
    bar: float,
    rate: float,
    every: int,
    at_most: float,
) -> tuple[float, float, float]:
    """(tokens per second, seconds to the bar or inf, last validation loss), in CPU seconds."""
    optimizer = torch.optim.Adam(model.parameters(), rate, fused=True)
    seconds, tokens, loss = 0.0, 0, float("inf")
    while seconds < at_most:
        model.train()
        begin = time.process_time()
        for _ in range(every):
            batch = next(batches)
            optimizer.zero_grad(set_to_none=True)
            model.loss(batch).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            tokens += int((batch.target_out != PAD).sum())
        seconds += time.process_time() - begin
        loss = mean_loss(model, validation)
        if loss < bar:
            return tokens / seconds, seconds, loss
    return tokens / seconds, float("inf"), loss


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bar", type=float, default=1.5, help="validation loss to reach")
    options.add_argument("--at-most", type=float, default=150, help="CPU seconds for each way")
    chosen = options.parse_args()
    corpus = load_translation()
    words = vocabularies(corpus)
    rows = encode_pairs(corpus.train, *words)
    validation = make_batches(encode_pairs(corpus.validation, *words), 64)
    ways = {
        "course, 32": (LuongDot, endless_batches(rows, 32, 0), 4e-3, 10),
        "course, 64": (LuongDot, endless_batches(rows, 64, 0), 6e-3, 10),
        "loop, 32": (StepByStep, endless_batches(rows, 32, 0, False), 4e-3, 10),
        "loop, 1": (StepByStep, one_by_one(rows, 0), 1e-3, 200),
    }  # fmt: skip
    models: dict[str, Translator] = {}
    for name, (kind, _, _, _) in ways.items():
        set_seed(0)
        models[name] = kind(*words, two_way=False)
    first = make_batch(rows[:: len(rows) // 8])
    losses = {name: round(model.loss(first).item(), 5) for name, model in models.items()}
    print("loss of one padded batch before training:", losses)

    print(f"{'':14}{'tokens/s':>9}{f'seconds to loss {chosen.bar}':>24}")
    speeds, times = {}, {}
    for name, (_, batches, rate, every) in ways.items():
        speeds[name], times[name], loss = train_until(
            models[name], batches, validation, chosen.bar, rate, every, chosen.at_most
        )
        never = f"not in {chosen.at_most:.0f} (loss {loss:.2f})"
        reached = never if times[name] == float("inf") else f"{times[name]:.1f}"
        print(f"{name:14}{speeds[name]:9.0f}{reached:>24}")
    for ours in ("course, 32", "course, 64"):
        for loop in ("loop, 32", "loop, 1"):
            tokens, seconds = speeds[ours] / speeds[loop], times[loop] / times[ours]
            print(f"{ours} over {loop}: {tokens:.1f}x per token, {seconds:.1f}x to the loss")


if __name__ == "__main__":
    main()
