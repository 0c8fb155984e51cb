"""The figures that the course's document prints, to every printed digit, from the same recipes.

Pinned versions only (`constraints.txt`): seeds do not travel across versions of torch or NumPy.
Each lesson has a class here: the recipe run again, and a look at what its notebook printed.
"""

import json
from pathlib import Path

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
