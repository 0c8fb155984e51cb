"""Small English corpora for the lesson on word vectors, made by rule so that nothing is hidden.

A sentence is a list of words. Each maker is a pure function of its arguments and its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np

Sentence = list[str]

EIGHT_SENTENCES = (
    "the king rules the land",
    "the queen rules the land",
    "a king wears a crown",
    "a queen wears a crown",
    "the dog chases the ball",
    "the puppy chases the ball",
    "a dog eats food",
    "a puppy eats food",
)

# Eight people: (gender, rank, age), 0 or 1 each.
PEOPLE: dict[str, tuple[int, ...]] = {
    "man": (0, 0, 0),
    "woman": (1, 0, 0),
    "king": (0, 1, 0),
    "queen": (1, 1, 0),
    "boy": (0, 0, 1),
    "girl": (1, 0, 1),
    "prince": (0, 1, 1),
    "princess": (1, 1, 1),
}

# Words that are used exactly as another one is.
TWINS = {
    "gentleman": "man",
    "lady": "woman",
    "emperor": "king",
    "empress": "queen",
    "lad": "boy",
    "lass": "girl",
}

# What the corpus says of people, by the attribute that decides it.
_ADJECTIVE = (("old", "grey", "wise", "stern"), ("young", "little", "small", "cheerful"))
_AGE_VERB = (("rests", "remembers", "worries", "retires"), ("plays", "giggles", "climbs", "grows"))
_RANK_VERB = (("farms", "bakes", "trades", "weaves"), ("rules", "reigns", "commands", "decrees"))
_PLACE = (("cottage", "field", "shop", "village"), ("palace", "castle", "court", "throne"))
_BELONGING = (("beard", "moustache", "waistcoat", "razor"), ("gown", "necklace", "braid", "bonnet"))
_HIS = ("his", "her")
_HIMSELF = ("himself", "herself")


def people_sentences(number: int = 2000, seed: int = 0, twins: bool = False) -> list[Sentence]:
    """Sentences about eight people, whose neighbours tell gender, rank and age separately.

    Args:
        number: how many sentences.
        seed: of the random draws.
        twins: six of the people get a second name (`TWINS`), used in the same way.
    """
    rng = np.random.default_rng(seed)
    people = dict(PEOPLE)
    if twins:
        people |= {name: PEOPLE[same] for name, same in TWINS.items()}
    names = list(people)

    def one(words: Sequence[str]) -> str:
        return words[int(rng.integers(len(words)))]

    sentences = []
    for _ in range(number):
        name = one(names)
        gender, rank, age = people[name]
        his, himself = _HIS[gender], _HIMSELF[gender]
        verb, place = one(_RANK_VERB[rank]), one(_PLACE[rank])
        adjective, does = one(_ADJECTIVE[age]), one(_AGE_VERB[age])
        sentences.append(
            (
                f"the {adjective} {name} {verb} in {his} {place}",
                f"the {name} with {his} {one(_BELONGING[gender])} {does}",
                f"near the {place} the {name} {does} by {himself}",
                f"the {adjective} {name} shows {his} {one(_BELONGING[gender])}",
            )[int(rng.integers(4))].split()
        )
    return sentences


def people_analogies() -> list[tuple[str, str, str, str]]:
    """The 36 questions "a is to b as c is to d" among `PEOPLE`: one attribute changes each time."""
    named = {attributes: name for name, attributes in PEOPLE.items()}
    questions = []
    for attribute in range(3):
        for first, second in permutations(product((0, 1), repeat=2), 2):
            a, b, c, d = (
                named[(*rest[:attribute], value, *rest[attribute:])]
                for rest in (first, second)
                for value in (0, 1)
            )
            questions.append((a, b, c, d))
    return questions


_MONEY = (
    "the {place} lends money to the {who}",
    "the {who} asks the {place} for a {what}",
    "the {who} pays the {place} a {what}",
    "the {place} keeps the {what} of the {who}",
)
_RIVER = (
    "the {who} walks along the {place} of the {what}",
    "the {who} rests on the {place}",
    "the {place} is green after the {what}",
    "water floods the {place} near the {what}",
)
_MONEY_WORDS = {
    "place": ("lender", "broker", "treasury"),
    "who": ("merchant", "baker", "client"),
    "what": ("loan", "fee", "deposit"),
}
_RIVER_WORDS = {
    "place": ("shore", "meadow", "cliff"),
    "who": ("angler", "heron", "swimmer"),
    "what": ("river", "stream", "lake"),
}


def bank_sentences(
    number: int = 2000, money_share: float = 0.5, told_apart: float = 0.0, seed: int = 0
) -> list[Sentence]:
    """Sentences about money and about rivers; "bank" stands in both.

    Args:
        number: how many sentences; about 40 % of them are about a bank.
        money_share: of the sentences with "bank", how many mean the one with money.
        told_apart: of the sentences with "bank", how many say which one they mean, by writing
            "bank(money)" or "bank(river)".
        seed: of the random draws.
    """
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(number):
        about_bank = rng.random() < 0.4
        money = rng.random() < (money_share if about_bank else 0.5)
        words = _MONEY_WORDS if money else _RIVER_WORDS
        pattern = (_MONEY if money else _RIVER)[int(rng.integers(4))]
        drawn = {kind: choices[int(rng.integers(3))] for kind, choices in words.items()}
        if about_bank:
            drawn["place"] = "bank"
            if rng.random() < told_apart:
                drawn["place"] = "bank(money)" if money else "bank(river)"
        sentences.append(pattern.format(**drawn).split())
    return sentences
