"""Translators that look back: additive attention, dot and general scores.

Sources: Bahdanau, Cho and Bengio (2015), "Neural machine translation by jointly learning to align
and translate"; Luong, Pham and Manning (2015), "Effective approaches to attention-based neural
machine translation". The models share the interface of `course_utils.seq2seq.Translator`; after
``step`` the state's ``weights`` (B, S) say where it looked, and ``attend(batch)`` gives the weights
of a whole teacher-forced batch (B, T, S).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from course_utils.seq2seq import Batch, State, Translator


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is True, exact zeros elsewhere.

    A row without any True gives zeros, not nan.
    """
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~mask, lowest), -1) * mask


class _AttentionTranslator(Translator):
    """What the attention models share: a memory, a mask, weights to look at."""

    def start(self, source: Tensor, lengths: Tensor) -> State:
        memory, h, c = self.encode(source, lengths)
        mask = torch.arange(source.shape[1]) < lengths[:, None]
        return State(h, c, memory, self.keys_of(memory), mask)

    def keys_of(self, memory: Tensor) -> Tensor:
        """What scores are computed from, once per sentence: (B, S, H) -> (B, S, H)."""
        return memory

    def look(self, tokens: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """Read (B, T) words: outputs (B, T, H), weights (B, T, S), the state after them."""
        raise NotImplementedError

    def read(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        outputs, _, state = self.look(tokens, state)
        return outputs, state

    def attend(self, batch: Batch) -> Tensor:
        """Attention weights (B, T, S) while the true target is read."""
        return self.look(batch.target_in, self.start(batch.source, batch.lengths))[1]


class LuongDot(_AttentionTranslator):
    """score(s_i, h_t) = s_i . h_t, looked up after the recurrent step.

    The decoder never reads its own attention, so a whole target goes through its LSTM in one
    call and all scores are one matrix product. (Luong's "input feeding" is left out for that.)
    """

    def build_decoder(self, embed: int, hidden: int) -> None:
        super().build_decoder(embed, hidden)
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)

    def look(self, tokens: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        _, _, memory, keys, mask, _ = state
        assert memory is not None
        assert keys is not None
        assert mask is not None
        outputs, state = Translator.read(self, tokens, state)
        scores = outputs @ keys.transpose(1, 2)  # (B, T, S)
        weights = masked_softmax(scores, mask[:, None])
        context = weights @ memory  # (B, T, H)
        outputs = torch.tanh(self.combine(torch.cat([context, outputs], -1)))
        return outputs, weights, state._replace(weights=weights[:, -1])


class LuongGeneral(LuongDot):
    """score(s_i, h_t) = s_i . W h_t."""

    def build_decoder(self, embed: int, hidden: int) -> None:
        super().build_decoder(embed, hidden)
        self.W = nn.Linear(hidden, hidden, bias=False)

    def keys_of(self, memory: Tensor) -> Tensor:
        return self.W(memory)


class BahdanauAdditive(_AttentionTranslator):
    """score(s_{i-1}, h_t) = v . tanh(W1 h_t + W2 s_{i-1}); the context feeds the recurrent step.

    Each step needs the last one's state before it can look, so this decoder is a loop. What does
    not depend on the loop is computed before it: W1 h of all places, the gates' share of all words.
    """

    def build_decoder(self, embed: int, hidden: int) -> None:
        self.W1 = nn.Linear(hidden, hidden, bias=False)
        self.W2 = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Parameter(torch.empty(hidden))
        # Small scores are nearly equal weights, from which little is learned: begin larger.
        for weight in (self.W1.weight, self.W2.weight, self.v[None]):
            nn.init.xavier_uniform_(weight)
        self.words_to_gates = nn.Linear(embed, 4 * hidden)
        self.carry_to_gates = nn.Linear(2 * hidden, 4 * hidden, bias=False)
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)

    def keys_of(self, memory: Tensor) -> Tensor:
        return self.W1(memory)

    def look(self, tokens: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        h, c, memory, keys, mask, _ = state
        assert memory is not None
        assert keys is not None
        assert mask is not None
        word_gates = self.words_to_gates(self.target_vectors(tokens)).unbind(1)
        outputs, looks = [], []
        for from_word in word_gates:
            scores = torch.tanh(keys + self.W2(h)[:, None]) @ self.v  # (B, S)
            weights = masked_softmax(scores, mask)
            context = (weights[:, None] @ memory)[:, 0]  # (B, H)
            gates = from_word + self.carry_to_gates(torch.cat([context, h], -1))
            write, keep, new, show = gates.chunk(4, -1)
            c = torch.sigmoid(keep) * c + torch.sigmoid(write) * torch.tanh(new)
            h = torch.sigmoid(show) * torch.tanh(c)
            outputs.append(torch.cat([context, h], -1))
            looks.append(weights)
        mixed = torch.tanh(self.combine(torch.stack(outputs, 1)))
        return mixed, torch.stack(looks, 1), State(h, c, memory, keys, mask, looks[-1])


ATTENTION_MODELS: dict[str, type[_AttentionTranslator]] = {
    "additive": BahdanauAdditive,
    "dot": LuongDot,
    "general": LuongGeneral,
}
