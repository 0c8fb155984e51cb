"""Translators built from two LSTMs: batches, models, training, greedy and beam search.

The notebook builds the same things step by step, in sight; here stands the fast version that
lessons 5 and 6 train, and that the benchmark and the study measure.

    corpus = load_translation()
    model, history = train_translator("reversed", corpus, steps=1500, seed=0)
    model, history = trained_translator("reversed", seed=0)     # the same, kept for the next run
    translate_greedy(model, [pair.source for pair in corpus.test])       # list of Translation
    translate_beam(model, sources, width=4)            # a list of them per source, best first
    score_translations(model, sources, translations)   # their log-probabilities, read again
    exact_match(translations, pairs), bleu(translations, pairs)

Kinds of model: ``plain`` and ``reversed`` here (Sutskever, Vinyals and Le 2014), ``additive``,
``dot`` and ``general`` in `course_utils.attention`. All share one interface:

- ``model(batch)``: teacher-forced logits (B, T, V), for training;
- ``model.start(source, lengths)``: a `State` that stands before the first target word;
- ``model.step(tokens, state)``: logits (B, V) of the next word, and the state after it.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, repeat, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_utils.corpora import translation
from course_utils.corpora.translation import Corpus, Pair, load_translation
from course_utils.training import cached, progress, set_seed

PAD, BOS, EOS, UNK = range(4)
SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
Words = Sequence[str]


class Vocabulary:
    """Words and their numbers; 0 to 3 are padding, begin, end and unknown."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = (*SPECIAL, *words)
        self.index = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, sentences: Iterable[Words]) -> Vocabulary:
        """The vocabulary of all words in `sentences` (give it training sentences only)."""
        return cls(sorted({word for sentence in sentences for word in sentence}))

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, words: Words) -> list[int]:
        """Numbers of `words`; unknown ones become `UNK`."""
        return [self.index.get(word, UNK) for word in words]

    def decode(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Words of `numbers` up to the first `EOS`, without padding."""
        words = []
        for number in numbers:
            if number == EOS:
                break
            if number not in (PAD, BOS):
                words.append(self.words[number])
        return tuple(words)


# Batches


class Batch(NamedTuple):
    """Padded sentences: ``target_in`` begins with `BOS`, ``target_out`` ends with `EOS`."""

    source: Tensor  # (B, S)
    lengths: Tensor  # (B,) real words of each source
    target_in: Tensor  # (B, T)
    target_out: Tensor  # (B, T)


def pad_rows(rows: Sequence[Sequence[int]], extra: int = 0) -> Tensor:
    """Stack rows of numbers into one (B, longest + extra) tensor, padded on the right."""
    columns = chain(zip_longest(*rows, fillvalue=PAD), repeat((PAD,) * len(rows), extra))
    numbers = np.fromiter(chain.from_iterable(columns), np.int64)  # quicker than from nested lists
    return torch.from_numpy(numbers.reshape(-1, len(rows)).T.copy())


Coded = list[tuple[list[int], list[int]]]


def encode_pairs(pairs: Iterable[Pair], source: Vocabulary, target: Vocabulary) -> Coded:
    """(source numbers, target numbers) of each pair."""
    return [(source.encode(pair.source), target.encode(pair.target)) for pair in pairs]


def make_batch(rows: Coded, extra: int = 0) -> Batch:
    """One batch of coded pairs; `extra` columns of padding change nothing but the time."""
    source = pad_rows([row[0] for row in rows], extra)
    lengths = torch.tensor([len(row[0]) for row in rows])
    target_in = pad_rows([[BOS, *row[1]] for row in rows], extra)
    return Batch(source, lengths, target_in, pad_rows([[*row[1], EOS] for row in rows], extra))


def cut_rows(
    rows: Coded, size: int, rng: random.Random | None = None, bucketed: bool = True
) -> list[Coded]:
    """Cut `rows` into groups of `size`, one for each batch.

    Bucketed groups hold sentences of (nearly) one length, so little is padded: rows are ordered
    by source length, then target length, ties at random, and the groups are shuffled.
    Without `rng` nothing is shuffled.
    """
    order = list(rows)
    if rng is not None:
        rng.shuffle(order)
    if bucketed:
        order.sort(key=lambda row: (len(row[0]), len(row[1])))
    groups = [order[start : start + size] for start in range(0, len(order), size)]
    if rng is not None:
        rng.shuffle(groups)
    return groups


def make_batches(
    rows: Coded, size: int, rng: random.Random | None = None, bucketed: bool = True
) -> list[Batch]:
    """All batches of one pass over `rows`; arguments as in `cut_rows`."""
    return [make_batch(group) for group in cut_rows(rows, size, rng, bucketed)]


def endless_batches(rows: Coded, size: int, seed: int, bucketed: bool = True) -> Iterator[Batch]:
    """Batches for ever, epoch after epoch, shuffled anew each time."""
    rng = random.Random(seed)
    while True:
        yield from map(make_batch, cut_rows(rows, size, rng, bucketed))


def reverse_rows(source: Tensor, lengths: Tensor) -> Tensor:
    """Each row's words in reverse order; padding stays on the right. (B, S) -> (B, S)."""
    places = lengths[:, None] - 1 - torch.arange(source.shape[1])
    return source.gather(1, places.clamp(min=0)).masked_fill(places < 0, PAD)


# Models


class State(NamedTuple):
    """What a decoder carries from word to word; every tensor has one row per sentence."""

    h: Tensor  # (B, H)
    c: Tensor  # (B, H)
    memory: Tensor | None = None  # (B, S, H) encoder states, for attention
    keys: Tensor | None = None  # (B, S, H) what scores are computed from
    mask: Tensor | None = None  # (B, S) True at real words
    weights: Tensor | None = None  # (B, S) attention of the step just made

    def rows(self, index: Tensor) -> State:
        """The state of the chosen rows (they may repeat)."""
        kept = {name: part[index] for name, part in self._asdict().items() if part is not None}
        return State(**kept)


class Translator(nn.Module):
    """Encoder LSTM, and a decoder LSTM that starts from the encoder's last state.

    Args:
        source, target: the vocabularies.
        embed, hidden: sizes E of word vectors and H of states.
        reverse: read the source backwards.
        two_way: read it in both directions, H/2 units each (for attention models).
    """

    def __init__(
        self,
        source: Vocabulary,
        target: Vocabulary,
        embed: int = 64,
        hidden: int = 128,
        reverse: bool = False,
        two_way: bool = False,
    ) -> None:
        super().__init__()
        self.source, self.target = source, target
        self.reverse = reverse
        self.source_vectors = nn.Embedding(len(source), embed, padding_idx=PAD)
        self.target_vectors = nn.Embedding(len(target), embed, padding_idx=PAD)
        units = hidden // 2 if two_way else hidden
        self.encoder = nn.LSTM(embed, units, batch_first=True, bidirectional=two_way)
        self.build_decoder(embed, hidden)
        self.output = nn.Linear(hidden, len(target))

    def build_decoder(self, embed: int, hidden: int) -> None:
        """Make what reads the target; attention models make more."""
        self.decoder = nn.LSTM(embed, hidden, batch_first=True)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Encoder states (B, S, H), zero at padding, and the last real h and c (B, H)."""
        if self.reverse:
            source = reverse_rows(source, lengths)
        vectors = self.source_vectors(source)
        if bool((lengths == source.shape[1]).all()):
            states, (h, c) = self.encoder(vectors)
        else:
            packed = pack_padded_sequence(vectors, lengths, True, enforce_sorted=False)
            states, (h, c) = self.encoder(packed)
            states, _ = pad_packed_sequence(states, True, total_length=source.shape[1])
        return states, h.transpose(0, 1).flatten(1), c.transpose(0, 1).flatten(1)

    def start(self, source: Tensor, lengths: Tensor) -> State:
        """The decoder's state before the first target word."""
        _, h, c = self.encode(source, lengths)
        return State(h, c)

    def read(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Let the decoder read `tokens` (B, T): its outputs (B, T, H) and the state after them."""
        outputs, (h, c) = self.decoder(self.target_vectors(tokens), (state.h[None], state.c[None]))
        return outputs, state._replace(h=h[0], c=c[0])

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one word (B,): logits (B, V) of the next one, and the new state."""
        outputs, state = self.read(tokens[:, None], state)
        return self.output(outputs[:, 0]), state

    def forward(self, batch: Batch) -> Tensor:
        """Teacher-forced logits (B, T, V)."""
        outputs, _ = self.read(batch.target_in, self.start(batch.source, batch.lengths))
        return self.output(outputs)

    def loss(self, batch: Batch, reduction: str = "mean") -> Tensor:
        """Cross-entropy over the real target words, in nats; padding never counts."""
        outputs, _ = self.read(batch.target_in, self.start(batch.source, batch.lengths))
        real = batch.target_out != PAD
        return functional.cross_entropy(
            self.output(outputs[real]), batch.target_out[real], reduction=reduction
        )


KINDS = ("plain", "reversed", "additive", "dot", "general")


def make_translator(
    kind: str,
    source: Vocabulary,
    target: Vocabulary,
    embed: int = 64,
    hidden: int = 128,
    two_way: bool | None = None,
) -> Translator:
    """A fresh model of one of `KINDS`; attention models read the source in both directions
    unless `two_way` says otherwise, the others in one."""
    if kind in ("plain", "reversed"):
        return Translator(source, target, embed, hidden, kind == "reversed", bool(two_way))
    from course_utils.attention import ATTENTION_MODELS

    return ATTENTION_MODELS[kind](source, target, embed, hidden, two_way=two_way is not False)


# Training


@dataclass
class History:
    """What a training run left behind; all plain numbers."""

    losses: list[float] = field(default_factory=list)
    """Training loss of every step."""
    validation: list[tuple[int, float]] = field(default_factory=list)
    """(step, teacher-forced loss on the validation pairs)."""
    seconds: float = 0.0
    """CPU seconds of the training steps alone."""


def vocabularies(corpus: Corpus) -> tuple[Vocabulary, Vocabulary]:
    """English and French words of the training pairs, and of no others."""
    return (
        Vocabulary.of(pair.source for pair in corpus.train),
        Vocabulary.of(pair.target for pair in corpus.train),
    )


def rate_at(step: int, steps: int, warm: int) -> float:
    """Share of the full learning rate: a linear warm-up, then half a cosine down to 0."""
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + np.cos(np.pi * (step - warm) / max(1, steps - warm)))


def mean_loss(model: Translator, batches: Iterable[Batch]) -> float:
    """Teacher-forced loss per target word over all of `batches`, in nats."""
    model.eval()
    with torch.no_grad():
        sums = [(float(model.loss(b, "sum")), int((b.target_out != PAD).sum())) for b in batches]
    return sum(loss for loss, _ in sums) / sum(words for _, words in sums)


def train_translator(
    kind: str,
    corpus: Corpus,
    steps: int,
    seed: int = 0,
    *,
    embed: int = 64,
    hidden: int = 128,
    two_way: bool | None = None,
    size: int = 32,
    rate: float = 6e-3,
    warm: int = 50,
    checks: int = 5,
    label: str | None = None,
) -> tuple[Translator, History]:
    """Train one model on bucketed batches with Adam, warm-up and cosine, gradients clipped at 1.

    Args:
        kind: one of `KINDS`.
        steps, size, rate, warm: training steps, batch size, peak learning rate, warm-up steps.
        checks: how often the validation loss is measured (outside the reported seconds).
        label: stands before the progress bar; `kind` by default.
    """
    set_seed(seed)
    source, target = vocabularies(corpus)
    model = make_translator(kind, source, target, embed, hidden, two_way)
    validation = make_batches(encode_pairs(corpus.validation, source, target), 64)
    batches = endless_batches(encode_pairs(corpus.train, source, target), size, seed)
    optimizer = torch.optim.Adam(model.parameters(), rate, fused=True)
    history = History()
    bar = progress(range(steps), label or kind)
    every = max(1, steps // checks)
    for step in bar:
        begin = time.process_time()
        model.train()
        for group in optimizer.param_groups:
            group["lr"] = rate * rate_at(step, steps, warm)
        loss = model.loss(next(batches))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        history.losses.append(loss.item())
        history.seconds += time.process_time() - begin
        if (step + 1) % every == 0:
            history.validation.append((step + 1, mean_loss(model, validation)))
            bar.note(f"validation loss {history.validation[-1][1]:.3f}")
    model.eval()
    return model, history


STEPS = {"plain": 1500, "reversed": 1500, "additive": 550, "dot": 800, "general": 800}
"""Steps of the course's own runs: the models without attention get the most CPU seconds."""


def trained_translator(
    kind: str, seed: int = 0, retrain: bool = False, steps: int | None = None, **settings: Any
) -> tuple[Translator, History]:
    """A model trained on the course's corpus; kept in the data folder for the next run.

    Args:
        kind: one of `KINDS`.
        retrain: train again even when a kept model fits.
        steps: `STEPS` of the kind by default.
        settings: more of what `train_translator` takes (``hidden``, ``two_way``, ``rate`` ...).
    """
    from course_utils import attention

    corpus = load_translation()
    steps = steps or STEPS[kind]

    def make() -> dict[str, Any]:
        model, history = train_translator(kind, corpus, steps, seed, **settings)
        return {"weights": model.state_dict(), "history": asdict(history)}

    here = [sys.modules[__name__], attention, translation]
    wanted = {"kind": kind, "seed": seed, "steps": steps, **settings}
    kept = cached(f"translator-{kind}", wanted, make, retrain, code=here)
    sizes = {name: settings[name] for name in ("embed", "hidden", "two_way") if name in settings}
    model = make_translator(kind, *vocabularies(corpus), **sizes)
    model.load_state_dict(kept["weights"])
    return model.eval(), History(**kept["history"])


# Translating


class Translation(NamedTuple):
    """One decoded sentence.

    ``score`` is the sum of the log-probabilities of its words, `EOS` included when it ``ended``
    by itself. ``weights`` (target words, source words) is None without attention; its last row
    belongs to `EOS` when it ended.
    """

    words: tuple[str, ...]
    score: float
    ended: bool
    weights: np.ndarray | None = None

    @property
    def steps(self) -> int:
        """Decoding steps taken: the words, and `EOS`."""
        return len(self.words) + self.ended


def word_limit(length: int) -> int:
    """Most words a translation of `length` source words may have; no true one comes near it."""
    return 2 * length + 4


def choice_log_probs(logits: Tensor) -> Tensor:
    """Log-probabilities; what is never a word of a sentence (padding, begin, unknown) is -inf."""
    logp = torch.log_softmax(logits, -1)
    logp[..., [PAD, BOS, UNK]] = -torch.inf
    return logp


def source_groups(
    model: Translator, sources: Sequence[Words], size: int
) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """(places in `sources`, padded source, lengths), like lengths together."""
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        rows = [model.source.encode(sources[place]) for place in places]
        yield places, pad_rows(rows), torch.tensor([len(row) for row in rows])


@torch.no_grad()
def translate_greedy(
    model: Translator, sources: Sequence[Words], size: int = 128
) -> list[Translation]:
    """Take the likeliest word at each step; free-running: it reads what it wrote itself."""
    model.eval()
    found: list[Translation | None] = [None] * len(sources)
    for places, source, lengths in source_groups(model, sources, size):
        state = model.start(source, lengths)
        tokens = torch.full((len(places),), BOS)
        ended = torch.zeros(len(places), dtype=torch.bool)
        scores = torch.zeros(len(places), dtype=torch.float64)
        written, looks = [], []
        for _ in range(word_limit(int(lengths.max()))):
            logits, state = model.step(tokens, state)
            best, tokens = choice_log_probs(logits).max(-1)
            scores += best.double().masked_fill(ended, 0.0)
            written.append(tokens.masked_fill(ended, PAD))
            if state.weights is not None:
                looks.append(state.weights)
            ended = ended | (tokens == EOS)
            if bool(ended.all()):
                break
        table = torch.stack(written, 1).tolist()
        weights = torch.stack(looks, 1).numpy() if looks else None
        for row, place in enumerate(places):
            words, end = model.target.decode(table[row]), bool(ended[row])
            look = None
            if weights is not None:
                look = weights[row, : len(words) + end, : int(lengths[row])]
            found[place] = Translation(words, float(scores[row]), end, look)
    return [one for one in found if one is not None]


@torch.no_grad()
def translate_beam(
    model: Translator,
    sources: Sequence[Words],
    width: int = 4,
    *,
    normalise: float = 0.0,
    limit: int | None = None,
    size: int = 64,
) -> list[list[Translation]]:
    """Keep the `width` likeliest prefixes of each sentence; best first, all that were kept.

    An ended sentence stays in the beam with the score it has and competes with longer ones. With
    width 1 this is greedy search; with a beam that holds everything it is exhaustive.

    Args:
        normalise: the final order divides each score by (steps) to this power. Scores are
            negative, so dividing by the length *favours longer* sentences. 0 leaves them alone.
        limit: most steps; from the source's length by default.
    """
    model.eval()
    found: list[list[Translation]] = [[] for _ in sources]
    for places, source, lengths in source_groups(model, sources, max(1, size // width)):
        rows = len(places)
        first = torch.arange(rows)[:, None] * width  # first row of each sentence's beam
        state = model.start(source, lengths).rows(torch.arange(rows).repeat_interleave(width))
        tokens = torch.full((rows * width,), BOS)
        scores = torch.full((rows, width), -torch.inf, dtype=torch.float64)
        scores[:, 0] = 0.0
        ended = torch.zeros((rows, width), dtype=torch.bool)
        written = torch.empty((rows, width, 0), dtype=torch.long)
        for _ in range(limit or word_limit(int(lengths.max()))):
            logits, state = model.step(tokens, state)
            logp = choice_log_probs(logits).double().view(rows, width, -1)
            logp[ended] = -torch.inf
            logp[..., PAD].masked_fill_(ended, 0.0)  # an ended one has one way on: nothing
            totals = (scores[..., None] + logp).flatten(1)
            scores, choice = totals.topk(width, -1)
            beam, word = choice // logp.shape[-1], choice % logp.shape[-1]
            chosen = (first + beam).flatten()
            state = state.rows(chosen)
            tokens = word.flatten()
            written = written.flatten(0, 1)[chosen].view(rows, width, -1)
            written = torch.cat([written, word[..., None]], -1)
            ended = ended.flatten()[chosen].view(rows, width) | (word == EOS)
            if bool((ended | scores.isinf()).all()):
                break
        for row, place in enumerate(places):
            for score, end, numbers in zip(
                scores[row].tolist(), ended[row].tolist(), written[row].tolist(), strict=True
            ):
                if score > -np.inf:
                    found[place].append(Translation(model.target.decode(numbers), score, end))
            found[place].sort(
                key=lambda one: one.score / max(1, one.steps) ** normalise, reverse=True
            )
    return found


@torch.no_grad()
def score_translations(
    model: Translator,
    sources: Sequence[Words],
    translations: Sequence[Translation],
    size: int = 128,
) -> list[float]:
    """The log-probability of each translation, read through the model in one call per batch."""
    model.eval()
    scores = [0.0] * len(sources)
    for places, source, lengths in source_groups(model, sources, size):
        rows = [model.target.encode(translations[place].words) for place in places]
        ends = [[EOS] if translations[place].ended else [] for place in places]
        outs = pad_rows([[*row, *end] for row, end in zip(rows, ends, strict=True)])
        ins = pad_rows([[BOS, *row] for row in rows])[:, : outs.shape[1]]
        logp = torch.log_softmax(model(Batch(source, lengths, ins, outs)), -1)
        picked = logp.gather(2, outs[..., None])[..., 0].double().masked_fill(outs == PAD, 0.0)
        for place, total in zip(places, picked.sum(1).tolist(), strict=True):
            scores[place] = total
    return scores


def table_step(
    log_probs: np.ndarray, moves: np.ndarray
) -> Callable[[int, int], tuple[np.ndarray, int]]:
    """A tiny decoder made of two tables, for exercises and drawings.

    Args:
        log_probs: (S, V) log-probabilities of the next token in each of S states.
        moves: (S, V) the state that reading a token leads to.

    Returns:
        ``step(token, state) -> (log_probs (V,), state)``: reads one token.
    """

    def step(token: int, state: int) -> tuple[np.ndarray, int]:
        after = int(moves[state, token])
        return log_probs[after].copy(), after

    return step


# Judging


def exact_match(translations: Sequence[Translation], pairs: Sequence[Pair]) -> float:
    """Share of translations that equal the reference word for word."""
    same = [one.words == pair.target for one, pair in zip(translations, pairs, strict=True)]
    return float(np.mean(same)) if same else float("nan")


def bleu(translations: Sequence[Translation], pairs: Sequence[Pair]) -> float:
    """Corpus BLEU by sacrebleu, 0 to 100; words are given, nothing is tokenised again."""
    from sacrebleu.metrics import BLEU

    said = [" ".join(one.words) for one in translations]
    wanted = [" ".join(pair.target) for pair in pairs]
    return float(BLEU(tokenize="none", force=True).corpus_score(said, [wanted]).score)


def teacher_forced_accuracy(model: Translator, pairs: Sequence[Pair]) -> tuple[float, float]:
    """(share of words, share of whole sentences) right when the true target is read so far."""
    model.eval()
    words: list[bool] = []
    sentences: list[bool] = []
    with torch.no_grad():
        for batch in make_batches(encode_pairs(pairs, model.source, model.target), 128):
            real = batch.target_out != PAD
            right = model(batch).argmax(-1) == batch.target_out
            words += right[real].tolist()
            sentences += (right | ~real).all(1).tolist()
    return float(np.mean(words)), float(np.mean(sentences))


# Quality by length, and the recorded study

LENGTH_GROUPS = (
    range(3, 9), range(9, 13), range(13, 17), range(17, 21),
    range(21, 26), range(26, 31), range(31, 41),
)  # fmt: skip
"""Source lengths that are measured together; the last three are longer than any in training."""

STUDY_FILE = Path(__file__).parent / "studies" / "translation.json"


def group_pairs(corpus: Corpus | None = None) -> dict[str, list[Pair]]:
    """The test pairs by source length: ``{"3-8": [...], ...}``, those beyond training included."""
    corpus = corpus or load_translation()
    pairs = (*corpus.test, *corpus.beyond)
    return {
        f"{group[0]}-{group[-1]}": [pair for pair in pairs if len(pair.source) in group]
        for group in LENGTH_GROUPS
    }


def quality_by_length(model: Translator) -> dict[str, list[float]]:
    """Greedy ``{"exact": [...], "bleu": [...]}`` in percent, one value per `LENGTH_GROUPS`."""
    groups = list(group_pairs().values())
    said = [translate_greedy(model, [pair.source for pair in pairs]) for pairs in groups]
    return {
        "exact": [100 * exact_match(*both) for both in zip(said, groups, strict=True)],
        "bleu": [bleu(*both) for both in zip(said, groups, strict=True)],
    }


def load_study() -> dict[str, Any]:
    """The recorded study (`benchmarks/translation_study.py` makes it again).

    ``study["models"]["dot"]["runs"]`` is a list of ``{"seed", "seconds", "exact", "bleu",
    "validation", "parameters"}``, one per seed; ``exact`` and ``bleu`` follow ``study["groups"]``.
    """
    return json.loads(STUDY_FILE.read_text(encoding="utf-8"))


def study_values(study: dict[str, Any], model: str, what: str = "exact") -> np.ndarray:
    """(seeds, groups) table of one model of the study."""
    return np.array([run[what] for run in study["models"][model]["runs"]])
