"""The figures that the course's document prints, to every printed digit, from the same recipes.

Pinned versions only (`constraints.txt`): seeds do not travel across versions of torch or NumPy.
Each lesson has a class here: the recipe run again, and a look at what its notebook printed.
"""

import json
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def printed(lesson: str, lang: str) -> str:
    """All text that the built notebook of a lesson holds as output."""
    path = NOTEBOOKS / lang / f"{lesson}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "".join("".join(output.get("text", [])) for output in outputs)


class TestLesson01:
    """Bigram of characters over the toy text: 20 repeats, first 90 % trains."""

    SENTENCES = (
        "the cat sat on the mat. the dog sat on the log. the cat saw the dog. "
        "a dog and a cat sat on a mat. the log was on the mat. "
    )

    @pytest.fixture
    def recipe(self):
        text = self.SENTENCES * 20
        vocab = sorted(set(text))
        ids = np.array([vocab.index(letter) for letter in text])
        cut = int(0.9 * len(ids))
        counts = np.zeros((len(vocab), len(vocab)))
        np.add.at(counts, (ids[: cut - 1], ids[1:cut]), 1)
        return vocab, counts, ids[cut:]

    @staticmethod
    def rows(counts, k):
        return (counts + k) / (counts + k).sum(axis=1, keepdims=True)

    @staticmethod
    def nll(probs, ids):
        with np.errstate(divide="ignore"):
            return -np.log(probs[ids[:-1], ids[1:]]).mean()

    def test_the_text_is_the_course_own(self):
        from course_utils.corpora.texts import split, toy_text

        assert toy_text() == self.SENTENCES * 20
        assert len(split(toy_text())[0]) == int(0.9 * len(toy_text()))

    def test_vocabulary_has_15_characters(self, recipe):
        assert len(recipe[0]) == 15
        assert np.exp(self.nll(np.full((15, 15), 1 / 15), recipe[2])) == pytest.approx(15)

    @pytest.mark.parametrize(
        ("k", "nll", "perplexity"), [(0, "0.970", "2.64"), (1, "1.049", "2.85")]
    )
    def test_test_nll_and_perplexity(self, recipe, k, nll, perplexity):
        _, counts, test = recipe
        value = self.nll(self.rows(counts, k), test)
        assert (f"{value:.3f}", f"{np.exp(value):.2f}") == (nll, perplexity)

    def test_sampled_string(self, recipe):
        vocab, counts, _ = recipe
        probs, rng = self.rows(counts, 1), np.random.default_rng(0)
        ids = [vocab.index("t")]
        for _ in range(40):
            ids.append(rng.choice(len(vocab), p=probs[ids[-1]]))
        written = "".join(vocab[i] for i in ids)
        assert written == "the athe ond t t the a sat.wwathe sasathe"

    @pytest.mark.parametrize(("k", "nll"), [(0, "inf"), (1, "1.684")])
    def test_the_cow_sat(self, recipe, k, nll):
        vocab, counts, _ = recipe
        cow = np.array([vocab.index(letter) for letter in "the cow sat."])
        assert f"{self.nll(self.rows(counts, k), cow):.3f}" == nll
        assert counts[vocab.index("o"), vocab.index("w")] == 0

    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_the_notebook_prints_them(self, lang):
        output = printed("01_language_models", lang)
        for figure in (
            "V = 15",
            "k=0: NLL 0.970, perplexity 2.64",
            "k=1: NLL 1.049, perplexity 2.85",
            "'the athe ond t t the a sat.wwathe sasathe'",
            "k=0: NLL of 'the cow sat.' inf",
            "k=1: NLL of 'the cow sat.' 1.684",
            "n =  3: perplexity 1.39",
            "n = 10: perplexity 1.06",
        ):
            assert figure in output


class TestLesson02:
    """Skip-gram on eight sentences, 50 times: window 2, D = 8, full-batch Adam, seed 0."""

    SENTENCES = (
        "the king rules the land",
        "the queen rules the land",
        "a king wears a crown",
        "a queen wears a crown",
        "the dog chases the ball",
        "the puppy chases the ball",
        "a dog eats food",
        "a puppy eats food",
    )
    LOSSES = ("5.543", "1.454", "1.450", "1.449")
    NEIGHBOURS = (
        ("king", "queen 0.82, land 0.73"),
        ("dog", "puppy 0.89, ball 0.64"),
        ("crown", "queen 0.58, wears 0.47"),
    )

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        torch = pytest.importorskip("torch")
        torch.set_num_threads(1)
        texts = [sentence.split() for sentence in cls.SENTENCES] * 50
        words = sorted({word for text in texts for word in text})
        pairs = torch.tensor(
            [
                (words.index(text[i]), words.index(text[j]))
                for text in texts
                for i in range(len(text))
                for j in range(max(0, i - 2), min(len(text), i + 3))
                if j != i
            ]
        )
        torch.manual_seed(0)
        w_in = torch.randn(len(words), 8, requires_grad=True)
        w_out = torch.randn(8, len(words), requires_grad=True)
        optimizer = torch.optim.Adam([w_in, w_out], lr=0.05)
        losses = []
        for _ in range(301):
            loss = torch.nn.functional.cross_entropy(w_in[pairs[:, 0]] @ w_out, pairs[:, 1])
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return words, losses, w_in.detach().numpy()

    def test_the_corpus_is_the_course_own(self):
        from course_utils.corpora.sentences import EIGHT_SENTENCES

        assert self.SENTENCES == EIGHT_SENTENCES

    def test_losses(self, run):
        assert tuple(f"{run[1][step]:.3f}" for step in (0, 100, 200, 300)) == self.LOSSES

    @pytest.mark.parametrize(("word", "expected"), NEIGHBOURS)
    def test_neighbours(self, run, word, expected):
        words, _, vectors = run
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        scores = unit @ unit[words.index(word)]
        best = np.argsort(-scores)[1:3]
        assert ", ".join(f"{words[row]} {scores[row]:.2f}" for row in best) == expected

    def test_the_count_table_gives_the_same_run(self, run):
        from course_utils.word_vectors import corpus_counts, train_skipgram

        counts, words, _ = corpus_counts([sentence.split() for sentence in self.SENTENCES])
        model = train_skipgram(counts, 8)
        assert words == run[0]
        assert model.losses[:, 0] == pytest.approx(run[1], abs=1e-5)
        assert model.vectors[0] == pytest.approx(run[2], abs=0.01)

    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_notebook_prints_them(self, lang):
        text = printed("02_word_vectors", lang)
        for step, loss in zip((0, 100, 200, 300), self.LOSSES, strict=True):
            assert f"step {step:3}  loss {loss}" in text
        for word, expected in self.NEIGHBOURS:
            assert f"{word:6} {expected}" in text
        assert "floor 1.4482 nats, loss reached 1.4491 nats" in text


class TestLesson03:
    """dL/dx_t of a random RNN, 32 units, 50 steps, L = sum of the last state; seed 0."""

    NORMS: ClassVar = {
        0.5: {49: "3.6e+00", 40: "2.9e-04", 25: "1.2e-11", 0: "0.0e+00"},
        1.5: {49: "2.8e+00", 40: "5.4e-01", 25: "4.1e-02", 0: "7.1e-03"},
    }
    RADII: ClassVar = {0.5: ("0.52", "1.01"), 1.5: ("1.69", "2.66")}

    @staticmethod
    def gradients(torch, scales, T=50, dtype=None):
        """The recipe's own loop: {scale: (Wh, (T, 8) gradients)}."""
        torch.set_num_threads(1)
        torch.manual_seed(0)
        found = {}
        for scale in scales:
            Wh = torch.randn(32, 32) * scale / 32**0.5
            Wx = torch.randn(32, 8) / 8**0.5
            xs = torch.randn(T, 8)
            if dtype is not None:
                Wh, Wx, xs = Wh.to(dtype), Wx.to(dtype), xs.to(dtype)
            xs.requires_grad_()
            h = torch.zeros(32, dtype=xs.dtype)
            for t in range(T):
                h = torch.tanh(Wh @ h + Wx @ xs[t])
            h.sum().backward()
            found[scale] = Wh, xs.grad
        return found

    def test_norms(self):
        torch = pytest.importorskip("torch")
        for scale, (_, gradient) in self.gradients(torch, self.NORMS).items():
            norms = gradient.norm(dim=1)
            assert {t: f"{norms[t]:.1e}" for t in self.NORMS[scale]} == self.NORMS[scale]

    def test_radii_and_singular_values(self):
        torch = pytest.importorskip("torch")
        for scale, (Wh, _) in self.gradients(torch, self.NORMS).items():
            radius = torch.linalg.eigvals(Wh).abs().max()
            stretch = torch.linalg.matrix_norm(Wh, 2)
            assert (f"{radius:.2f}", f"{stretch:.2f}") == self.RADII[scale]

    def test_the_printed_zero_is_an_underflow_of_the_norm(self):
        torch = pytest.importorskip("torch")
        first = self.gradients(torch, [0.5])[0.5][1][0]
        assert first.norm().item() == 0
        assert (first != 0).all()
        assert f"{first.abs().max():.0e}" == "4e-24"
        exact = self.gradients(torch, [0.5], dtype=torch.float64)[0.5][1][0]
        assert f"{exact.norm():.1e}" == "5.0e-24"

    def test_the_gradient_itself_runs_out_at_98_steps(self):
        torch = pytest.importorskip("torch")
        left = {T: self.gradients(torch, [0.5], T=T)[0.5][1][0] for T in (96, 98, 100)}
        assert (left[96] != 0).any()
        assert not (left[98] != 0).any()
        assert not (left[100] != 0).any()

    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_notebook_prints_them(self, lang):
        text = printed("03_rnn", lang)
        for scale, norms in self.NORMS.items():
            line = ", ".join(f"t={t}: {norm}" for t, norm in norms.items())
            assert f"scale {scale}:  {line}" in text
            radius, stretch = self.RADII[scale]
            line = f"spectral radius {radius}, largest singular value {stretch}"
            assert f"scale {scale}: {line}" in text
        assert "norm in float64:  5.0e-24" in text
        assert "T =  96: largest entry of the first gradient 2.8e-45" in text
        assert "T =  98: largest entry of the first gradient 0.0e+00" in text


class TestLesson04:
    """`nn.LSTM(8, 32)` over 50 steps, batch 1: shapes and parameters; a GRU's parameters."""

    H = 32

    def test_shapes(self):
        from torch import nn, randn

        out, (h_n, c_n) = nn.LSTM(8, self.H)(randn(50, 1, 8))
        assert tuple(out.shape) == (50, 1, 32)
        assert tuple(h_n.shape) == tuple(c_n.shape) == (1, 1, 32)

    def test_parameters(self):
        from torch import nn

        lstm, gru = (
            sum(weight.numel() for weight in kind(8, self.H).parameters())
            for kind in (nn.LSTM, nn.GRU)
        )
        assert lstm == 4 * (self.H * (8 + self.H) + 2 * self.H) == 5376
        assert gru == 4032 == lstm * 3 // 4

    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_notebook_prints_them(self, lang):
        text = printed("04_lstm", lang)
        assert "out (50, 1, 32)  h_n (1, 1, 32)  c_n (1, 1, 32)" in text
        assert "LSTM  5376" in text
        assert "GRU   4032" in text


class TestLesson06:
    """Additive and dot attention over six random states; the query was made from position 3."""

    ADDITIVE = "0.112 0.265 0.109 0.253 0.111 0.151"
    DOT = "0.003 0.292 0.026 0.231 0.41 0.038"

    @pytest.fixture
    def recipe(self):
        import torch

        torch.manual_seed(0)
        enc = torch.randn(6, 4)
        s = 2 * enc[3] + 0.1 * torch.randn(4)
        return enc, s, torch.randn(4, 4), torch.randn(4, 4), torch.randn(4)

    @staticmethod
    def digits(weights):
        return " ".join(f"{round(weight, 3):g}" for weight in weights.tolist())

    def test_additive_weights(self, recipe):
        enc, s, w1, w2, v = recipe
        scores = (enc @ w1.T + w2 @ s).tanh() @ v
        weights = scores.softmax(0)
        assert self.digits(weights) == self.ADDITIVE
        assert round(weights.sum().item(), 4) == 1.0
        assert tuple((weights @ enc).shape) == (4,)

    def test_dot_weights(self, recipe):
        enc, s, *_ = recipe
        weights = (enc @ s).softmax(0)
        assert self.digits(weights) == self.DOT
        assert round(weights.sum().item(), 4) == 1.0
        assert tuple((weights @ enc).shape) == (4,)

    def test_dot_misses_the_planted_position_and_cosine_finds_it(self, recipe):
        from torch.nn import functional

        enc, s, *_ = recipe
        assert (enc @ s).argmax() == 4
        assert functional.cosine_similarity(enc, s[None]).argmax() == 3

    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_the_notebook_prints_them(self, lang):
        text = printed("06_attention", lang)
        assert f"additive [{self.ADDITIVE}]  sum 1.0" in text
        assert f"dot      [{self.DOT.replace('0.41 ', '0.41  ')}]  sum 1.0" in text
        assert "context  (4,)" in text
        assert "dot product  misses the planted position in 21.0% of the seeds" in text
        assert "cosine       misses the planted position in 0.2% of the seeds" in text
