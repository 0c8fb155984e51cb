"""A small English to French corpus with the true word alignment of every pair.

A grammar draws an English sentence of exactly the length asked for and its French translation
together, so each French word knows which English words it came from. The French is real:
articles, adjectives and verbs agree in gender and number, most adjectives follow their noun
(``the small black cat`` is ``le petit chat noir``), ``le``, ``la``, ``de``, ``ne`` and ``que``
lose their vowel before another one (``l' école``), ``de`` and ``le`` melt into ``du``.

    corpus = load_translation()
    pair = corpus.train[0]
    pair.source       # ("the", "small", "black", "cat", "sleeps")
    pair.target       # ("le", "petit", "chat", "noir", "dort")
    pair.alignment    # ((0,), (1,), (3,), (2,), (4,)): for each French word, its English places
    show_text(pair.target)                          # "le petit chat noir dort"

Alignments are mostly one to one. The exceptions are in `ONE_TO_MANY` (``near`` gives ``près de``,
``never`` gives ``ne ... jamais``) and the contractions (``of the`` gives ``du``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

PERSON, ANIMAL, THING, PLACE = "person", "animal", "thing", "place"
MASCULINE, FEMININE = "m", "f"


class Noun(NamedTuple):
    """English and French forms, gender, and what kind of thing it names."""

    en: tuple[str, str]
    fr: tuple[str, str]
    gender: str
    kind: str


class Verb(NamedTuple):
    """Third person of the present, singular and plural."""

    en: tuple[str, str]
    fr: tuple[str, str]


class Adjective(NamedTuple):
    """French forms are masculine singular and plural, feminine singular and plural."""

    en: str
    fr: tuple[str, str, str, str]
    kinds: frozenset[str]
    before: bool = False


class Determiner(NamedTuple):
    """French forms are masculine singular, feminine singular, plural; None where it has none."""

    en: str
    fr: tuple[str | None, str | None, str | None]


def _noun(line: str, kind: str) -> Noun:
    en, en_plural, fr, fr_plural, gender = line.split()
    return Noun((en, en_plural), (fr, fr_plural), gender, kind)


def _nouns(text: str, kind: str) -> list[Noun]:
    return [_noun(line, kind) for line in text.strip().splitlines()]


NOUNS: dict[str, list[Noun]] = {
    PERSON: _nouns(
        """man men homme hommes m
        woman women femme femmes f
        child children enfant enfants m
        friend friends ami amis m
        neighbour neighbours voisin voisins m
        girl girls fille filles f
        boy boys garçon garçons m
        queen queens reine reines f""",
        PERSON,
    ),
    ANIMAL: _nouns(
        """cat cats chat chats m
        dog dogs chien chiens m
        horse horses cheval chevaux m
        bird birds oiseau oiseaux m
        mouse mice souris souris f
        cow cows vache vaches f""",
        ANIMAL,
    ),
    THING: _nouns(
        """letter letters lettre lettres f
        book books livre livres m
        apple apples pomme pommes f
        key keys clé clés f
        hat hats chapeau chapeaux m
        picture pictures image images f""",
        THING,
    ),
    PLACE: _nouns(
        """house houses maison maisons f
        garden gardens jardin jardins m
        school schools école écoles f
        river rivers rivière rivières f
        church churches église églises f
        castle castles château châteaux m""",
        PLACE,
    ),
}


def _verbs(text: str) -> list[Verb]:
    rows = [line.split() for line in text.strip().splitlines()]
    return [Verb((row[0], row[1]), (row[2], row[3])) for row in rows]


TRANSITIVE = _verbs(
    """sees see voit voient
    watches watch regarde regardent
    likes like aime aiment
    finds find trouve trouvent
    follows follow suit suivent
    knows know connaît connaissent
    hears hear entend entendent
    hides hide cache cachent
    forgets forget oublie oublient"""
)
INTRANSITIVE = _verbs(
    """sleeps sleep dort dorment
    runs run court courent
    sings sing chante chantent
    waits wait attend attendent
    falls fall tombe tombent
    works work travaille travaillent
    laughs laugh rit rient
    arrives arrive arrive arrivent"""
)
SAYING = _verbs(
    """says say dit disent
    thinks think pense pensent"""
)
BEING = Verb(("is", "are"), ("est", "sont"))

_ALIVE = frozenset({PERSON, ANIMAL})
_COLOURED = frozenset({ANIMAL, THING})
_BUILT = frozenset({THING, PLACE})
_CALM = frozenset({PERSON, ANIMAL, PLACE})
_ANY = frozenset({PERSON, ANIMAL, THING, PLACE})

ADJECTIVES = [
    Adjective("small", ("petit", "petits", "petite", "petites"), _ANY, before=True),
    Adjective("big", ("grand", "grands", "grande", "grandes"), _ANY, before=True),
    Adjective("young", ("jeune", "jeunes", "jeune", "jeunes"), _ALIVE, before=True),
    Adjective("black", ("noir", "noirs", "noire", "noires"), _COLOURED),
    Adjective("white", ("blanc", "blancs", "blanche", "blanches"), _COLOURED),
    Adjective("red", ("rouge", "rouges", "rouge", "rouges"), _COLOURED),
    Adjective("grey", ("gris", "gris", "grise", "grises"), _COLOURED),
    Adjective("tired", ("fatigué", "fatigués", "fatiguée", "fatiguées"), _ALIVE),
    Adjective("happy", ("heureux", "heureux", "heureuse", "heureuses"), _ALIVE),
    Adjective("sad", ("triste", "tristes", "triste", "tristes"), _ALIVE),
    Adjective("clever", ("intelligent", "intelligents", "intelligente", "intelligentes"), _ALIVE),
    Adjective("strange", ("étrange", "étranges", "étrange", "étranges"), _BUILT),
    Adjective("famous", ("célèbre", "célèbres", "célèbre", "célèbres"), _BUILT),
    Adjective("quiet", ("tranquille", "tranquilles", "tranquille", "tranquilles"), _CALM),
    Adjective("pretty", ("charmant", "charmants", "charmante", "charmantes"), _BUILT),
]
COLOURS = frozenset({"black", "white", "red", "grey"})

DETERMINERS = [
    Determiner("the", ("le", "la", "les")),
    Determiner("a", ("un", "une", None)),
    Determiner("this", ("ce", "cette", None)),
    Determiner("these", (None, None, "ces")),
    Determiner("my", ("mon", "ma", "mes")),
    Determiner("our", ("notre", "notre", "nos")),
    Determiner("two", (None, None, "deux")),
    Determiner("three", (None, None, "trois")),
    Determiner("many", (None, None, "beaucoup")),
]

PLACE_PREPOSITIONS = {"in": ["dans"], "near": ["près", "de"], "behind": ["derrière"]}
COMPANY_PREPOSITIONS = {"with": ["avec"], "without": ["sans"]}
ADVERBS = {"often": "souvent", "always": "toujours", "sometimes": "parfois"}
LAST_ADVERBS = {"here": "ici", "today": "aujourd'hui"}
JOINERS = {"and": ["et"], "but": ["mais"], "because": ["parce", "que"], "when": ["quand"]}
SUBJECTS = {"he": ("il", MASCULINE), "she": ("elle", FEMININE)}
OBJECTS = {"him": "le", "her": "la", "them": "les"}

ONE_TO_MANY = {"near": 2, "never": 2, "because": 2, "many": 2, "not": 2}
"""English words that may give two French words (``not`` only after ``is`` and ``are``)."""

_VOWELS = "aeiouéèêîâœ"
_ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'"}
_BEFORE_VOWEL = {"ce": "cet", "ma": "mon"} | _ELIDED

French = list[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Pair:
    """One sentence in both languages.

    ``alignment[j]`` holds the places in ``source`` that ``target[j]`` comes from.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[tuple[int, ...], ...]

    @property
    def one_to_one(self) -> bool:
        """Whether each word of either side has exactly one partner."""
        partners = [place for places in self.alignment for place in places]
        return sorted(partners) == list(range(len(self.source))) and all(
            len(places) == 1 for places in self.alignment
        )


@dataclass(frozen=True)
class Corpus:
    """Pairs for training, choosing and testing; no English and no French sentence is shared.

    ``train``, ``validation`` and ``test`` hold lengths `TRAIN_LENGTHS`, ``beyond`` holds
    `BEYOND_LENGTHS`: sentences longer than any seen in training.
    """

    train: tuple[Pair, ...]
    validation: tuple[Pair, ...]
    test: tuple[Pair, ...]
    beyond: tuple[Pair, ...]


TRAIN_LENGTHS = range(3, 21)
BEYOND_LENGTHS = range(21, 41)


class _Nominal(NamedTuple):
    """A noun phrase in French with what agreement needs to know of it."""

    french: French
    gender: str
    plural: bool
    kind: str


def starts_with_vowel(word: str) -> bool:
    """Whether `word` makes ``le`` into ``l'``; every ``h`` of this vocabulary is mute."""
    return word[0] in _VOWELS or word[0] == "h"


def agree(adjective: Adjective, gender: str, plural: bool) -> str:
    """The French form of `adjective`."""
    return adjective.fr[2 * (gender == FEMININE) + plural]


def _smooth_french(words: French) -> French:
    """Apply elision (``le ami`` to ``l' ami``) and contraction (``de le`` to ``du``)."""
    smooth: French = []
    for place, (word, origin) in enumerate(words):
        following = words[place + 1][0] if place + 1 < len(words) else "."
        if word in _BEFORE_VOWEL and starts_with_vowel(following):
            word = _BEFORE_VOWEL[word]
        if smooth and smooth[-1][0] == "de" and word in ("le", "les"):
            origin = tuple(sorted({*smooth[-1][1], *origin}))
            smooth[-1] = ("du" if word == "le" else "des", origin)
        else:
            smooth.append((word, origin))
    return smooth


class _Writer:
    """Draws one pair: English words are written from left to right, French ones are returned."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.english: list[str] = []

    def word(self, english: str) -> tuple[int]:
        """Write one English word; returns its place, ready to be an origin."""
        self.english.append(english)
        return (len(self.english) - 1,)

    def words(self, english: str, french: Iterable[str]) -> French:
        """Write one English word that gives all of `french`."""
        place = self.word(english)
        return [(word, place) for word in french]

    def pick(self, options: Iterable[tuple[float, Callable[[], French]]]) -> French:
        """Follow one of `options` (weight, rule), drawn by weight."""
        weights, rules = zip(*options, strict=True)
        return self.rng.choices(rules, weights)[0]()

    # Noun phrases

    def noun_phrase(self, size: int, kinds: tuple[str, ...], depth: int = 0) -> _Nominal:
        """A noun phrase of exactly `size` English words, at least two."""
        rng, start = self.rng, len(self.english)
        kind = rng.choice(kinds)
        relative = kind in (PERSON, ANIMAL) and depth < 2
        shortest_tail = 2 if relative else 3
        heads = [n for n in (2, 3, 4) if size - n >= shortest_tail]
        if size <= 4 and (not heads or rng.random() < 0.7):
            heads = [size]
        head = self.core(rng.choice(heads), kind)
        rest = size - (len(self.english) - start)
        if not rest:
            return head
        if rest >= 3 and depth == 0 and rng.random() < 0.2:
            return self.joined(head, rest)
        if rest < 3 or (relative and rest <= 7 and rng.random() < 0.5):
            tail = self.relative(rest, head, depth + 1)
        else:
            tail = self.noun_tail(rest, kind, depth + 1)
        return head._replace(french=head.french + tail)

    def joined(self, head: _Nominal, rest: int) -> _Nominal:
        """``the man and the woman``: plural, feminine only if both are."""
        joiner = self.words("and", ["et"])
        other = self.noun_phrase(rest - 1, (head.kind,), depth=2)
        gender = FEMININE if head.gender == other.gender == FEMININE else MASCULINE
        return _Nominal(head.french + joiner + other.french, gender, True, head.kind)

    def core(self, size: int, kind: str) -> _Nominal:
        """Determiner, up to two adjectives (or ``very`` and one), noun: 2 to 4 words."""
        rng = self.rng
        noun = rng.choice(NOUNS[kind])
        plural = rng.random() < 0.4
        start = self.determiner(noun, plural)
        very = size == 4 and rng.random() < 0.25
        count = 1 if very else size - 2
        before: French = []
        after: French = []
        for adjective in self.adjectives(noun, count, very):
            group = self.words("very", ["très"]) if very else []
            group += self.words(adjective.en, [agree(adjective, noun.gender, plural)])
            if adjective.before:
                before += group
            else:
                after = group + after
        middle = self.words(noun.en[plural], [noun.fr[plural]])
        return _Nominal(start + before + middle + after, noun.gender, plural, noun.kind)

    def determiner(self, noun: Noun, plural: bool) -> French:
        form = 2 if plural else int(noun.gender == FEMININE)
        options = [one for one in DETERMINERS if one.fr[form]]
        weights = [3 if one.en in ("the", "a") else 1 for one in options]
        chosen = self.rng.choices(options, weights)[0]
        french = chosen.fr[form]
        assert french is not None
        return self.words(chosen.en, ["beaucoup", "de"] if chosen.en == "many" else [french])

    def adjectives(self, noun: Noun, count: int, very: bool) -> list[Adjective]:
        """`count` adjectives in English order: size, quality, colour; never two of one sort."""
        fitting = [one for one in ADJECTIVES if noun.kind in one.kinds]
        if very:
            fitting = [one for one in fitting if not one.before and one.en not in COLOURS]

        def sort(one: Adjective) -> int:
            return 0 if one.before else 2 if one.en in COLOURS else 1

        chosen: dict[int, Adjective] = {}
        while len(chosen) < count:
            one = self.rng.choice(fitting)
            chosen.setdefault(sort(one), one)
        return [chosen[place] for place in sorted(chosen)]

    def noun_tail(self, size: int, kind: str, depth: int) -> French:
        """``of the queen``, ``near the garden``: exactly `size` words, at least three."""
        if kind in (THING, ANIMAL, PLACE) and self.rng.random() < 0.5:
            owners = (PERSON, PLACE) if kind == PLACE else (PERSON,)
            start = self.words("of", ["de"])
            return start + self.noun_phrase(size - 1, owners, depth).french
        return self.prepositional(size, depth)

    def prepositional(self, size: int, depth: int) -> French:
        """``in the small house``: exactly `size` words, at least three."""
        if self.rng.random() < 0.75:
            options, kinds = PLACE_PREPOSITIONS, (PLACE,)
        else:
            options, kinds = COMPANY_PREPOSITIONS, (PERSON, ANIMAL)  # type: ignore[assignment]
        english = self.rng.choice(list(options))
        start = self.words(english, options[english])
        return start + self.noun_phrase(size - 1, kinds, depth).french

    def relative(self, size: int, head: _Nominal, depth: int) -> French:
        """``who sees the dog``, ``that the dog sees``: exactly `size` words, at least two."""
        if size >= 4 and self.rng.random() < 0.4:
            start = self.words("that", ["que"])
            subject = self.noun_phrase(min(size - 2, 4), (PERSON, ANIMAL), depth=2)
            verb = self.rng.choice(TRANSITIVE)
            french = start + subject.french
            french += self.words(verb.en[subject.plural], [verb.fr[subject.plural]])
            rest = size - 2 - min(size - 2, 4)
            if rest >= 3:
                return french + self.prepositional(rest, 2)
            return french + self.filler(rest)
        start = self.words("who" if head.kind == PERSON else "that", ["qui"])
        return start + self.verb_phrase(size - 1, head, depth)

    def filler(self, size: int) -> French:
        """No, one or two adverbs that may end a clause."""
        names = list(LAST_ADVERBS)[:size]
        return [pair for name in names for pair in self.words(name, [LAST_ADVERBS[name]])]

    # Verb phrases

    def verb_phrase(self, size: int, subject: _Nominal, depth: int = 0) -> French:
        """A verb phrase of exactly `size` words that agrees with `subject`."""
        alive = subject.kind in (PERSON, ANIMAL)
        options: list[tuple[float, Callable[[], French]]] = []
        if size in (2, 3, 4):
            options.append((1, lambda: self.being(size, subject)))
        if alive and size <= 3:
            options.append((3 if size == 1 else 1, lambda: self.intransitive(size, subject)))
        if alive and size >= 2:
            options.append((4, lambda: self.transitive(size, subject, depth)))
        if size >= 4:
            options.append((1.5, lambda: self.with_tail(size, subject, depth)))
        if subject.kind == PERSON and depth == 0 and size >= 5:
            options.append((0.8, lambda: self.saying(size, subject)))
        return self.pick(options)

    def being(self, size: int, subject: _Nominal) -> French:
        """``is tired``, ``is never tired``, ``is not very tired``: 2 to 4 words."""
        fitting = [one for one in ADJECTIVES if subject.kind in one.kinds and not one.before]
        extras = {2: [""], 3: ["not", "never", "very", "adverb"], 4: ["not very", "never very"]}
        extra = self.rng.choice(extras[size])
        verb = self.words(BEING.en[subject.plural], [BEING.fr[subject.plural]])
        if extra == "adverb":
            adverb = self.rng.choice(list(ADVERBS))
            verb += self.words(adverb, [ADVERBS[adverb]])
        elif extra.startswith("n"):
            english = extra.split()[0]
            first, last = self.words(english, ["ne", "pas" if english == "not" else "jamais"])
            verb = [first, *verb, last]
        if extra.endswith("very"):
            verb += self.words("very", ["très"])
            fitting = [one for one in fitting if one.en not in COLOURS]
        adjective = self.rng.choice(fitting)
        return verb + self.words(adjective.en, [agree(adjective, subject.gender, subject.plural)])

    def verb(
        self, verbs: list[Verb], subject: _Nominal, extra: int
    ) -> tuple[French, French, French]:
        """A verb with `extra` more words: French before it, itself, after it (``ne``, ``pas``)."""
        verb = self.rng.choice(verbs)
        form = subject.plural
        if extra == 2:
            before = self.words("do" if form else "does", ["ne"])
            after = self.words("not", ["pas"])
            return before, self.words(verb.en[1], [verb.fr[form]]), after
        if extra == 0:
            return [], self.words(verb.en[form], [verb.fr[form]]), []
        if self.rng.random() < 0.3:
            first, last = self.words("never", ["ne", "jamais"])
            return [first], self.words(verb.en[form], [verb.fr[form]]), [last]
        adverb = self.rng.choice(list(ADVERBS))
        after = self.words(adverb, [ADVERBS[adverb]])
        return [], self.words(verb.en[form], [verb.fr[form]]), after

    def intransitive(self, size: int, subject: _Nominal) -> French:
        before, verb, after = self.verb(INTRANSITIVE, subject, size - 1)
        return before + verb + after

    def transitive(self, size: int, subject: _Nominal, depth: int) -> French:
        """``sees him``, ``does not see the cat``.

        A French pronoun moves before its verb; ``un`` becomes ``de`` when the verb is denied.
        """
        pronoun = size <= 4 and self.rng.random() < (0.6 if size == 2 else 0.25)
        pronoun = pronoun or size == 2
        room = size - (2 if pronoun else 3)
        extra = room if pronoun else self.rng.choice([0, 0, *range(min(room, 2) + 1)])
        before, verb, after = self.verb(TRANSITIVE, subject, extra)
        if pronoun:
            english = self.rng.choice(list(OBJECTS))
            return before + self.words(english, [OBJECTS[english]]) + verb + after
        kinds = (PERSON, ANIMAL, THING, PLACE)
        wanted = self.noun_phrase(size - 1 - extra, kinds, depth + 1).french
        if before and wanted[0][0] in ("un", "une"):
            wanted[0] = ("de", wanted[0][1])
        return before + verb + after + wanted

    def with_tail(self, size: int, subject: _Nominal, depth: int) -> French:
        """A shorter verb phrase and where it happens, or ``here``, ``today``."""
        least = 1 if subject.kind in (PERSON, ANIMAL) else 2
        if size - 3 < least or self.rng.random() < 0.2:
            return self.verb_phrase(size - 1, subject, depth + 1) + self.last_adverb()
        tail = self.rng.randint(3, min(size - least, 6))
        start = self.verb_phrase(size - tail, subject, depth + 1)
        return start + self.prepositional(tail, depth + 1)

    def last_adverb(self) -> French:
        name = self.rng.choice([one for one in LAST_ADVERBS if one != self.english[-1]])
        return self.words(name, [LAST_ADVERBS[name]])

    def saying(self, size: int, subject: _Nominal) -> French:
        """``says that the cat sleeps``."""
        verb = self.rng.choice(SAYING)
        start = self.words(verb.en[subject.plural], [verb.fr[subject.plural]])
        return start + self.words("that", ["que"]) + self.clause(size - 2)

    # Sentences

    def clause(self, size: int) -> French:
        """One or more clauses of exactly `size` words together, at least three."""
        if size >= 7 and (size > 14 or self.rng.random() < (size - 6) / 16):
            first = self.rng.randint(3, size - 4)
            start = self.simple(first) if first <= 14 else self.clause(first)
            english = self.rng.choice(list(JOINERS))
            start += self.words(english, JOINERS[english])
            return start + self.clause(size - 1 - first)
        return self.simple(size)

    def simple(self, size: int) -> French:
        """Subject and verb phrase, 3 to 14 words."""
        if self.rng.random() < 0.15:
            english = self.rng.choice(list(SUBJECTS))
            french, gender = SUBJECTS[english]
            subject = _Nominal(self.words(english, [french]), gender, False, PERSON)
            return subject.french + self.verb_phrase(size - 1, subject)
        kinds: tuple[str, ...] = (PERSON, PERSON, ANIMAL)
        if 4 <= size <= 8 and self.rng.random() < 0.2:
            kinds = (THING, PLACE)
        least = 1 if kinds[0] == PERSON else 2
        most = size - least
        words = self.rng.randint(max(2, most - 4 if least == 2 else 2), min(most, 9))
        subject = self.noun_phrase(words, kinds)
        return subject.french + self.verb_phrase(size - words, subject)


def draw_pair(size: int, rng: random.Random) -> Pair:
    """Draw one pair whose English side has exactly `size` words (3 or more)."""
    writer = _Writer(rng)
    french = _smooth_french(writer.clause(size))
    english = writer.english
    for place, word in enumerate(english[:-1]):
        if word == "a" and english[place + 1][0] in "aeiou":
            english[place] = "an"
    target, alignment = zip(*french, strict=True)
    return Pair(tuple(english), target, alignment)


@lru_cache(maxsize=4)
def load_translation(
    seed: int = 0, train: int = 1100, validation: int = 20, test: int = 60, beyond: int = 15
) -> Corpus:
    """Draw the corpus: so many pairs *per source length*, the same ones for the same `seed`.

    The defaults give about 19,800 training pairs of lengths 3 to 20, 360 validation pairs,
    1,080 test pairs and 300 pairs of lengths 21 to 40. Short lengths may hold fewer training
    pairs: there are not so many different short sentences.
    """
    rng = random.Random(seed)
    parts: tuple[list[Pair], ...] = ([], [], [], [])
    seen: set[tuple[str, ...]] = set()
    for size in [*TRAIN_LENGTHS, *BEYOND_LENGTHS]:
        inside = size in TRAIN_LENGTHS
        wanted = (test, validation, train) if inside else (beyond,)
        fresh: list[Pair] = []
        for _ in range(4 * sum(wanted)):
            if len(fresh) == sum(wanted):
                break
            pair = draw_pair(size, rng)
            if pair.source not in seen and pair.target not in seen:
                seen.update((pair.source, pair.target))
                fresh.append(pair)
        rng.shuffle(fresh)
        if inside:
            parts[2].extend(fresh[:test])
            parts[1].extend(fresh[test : test + validation])
            parts[0].extend(fresh[test + validation :])
        else:
            parts[3].extend(fresh)
    return Corpus(*(tuple(part) for part in parts))


def show_text(words: Iterable[str]) -> str:
    """The words as a reader expects them: ``l' école`` becomes ``l'école``."""
    return " ".join(words).replace("' ", "'")
