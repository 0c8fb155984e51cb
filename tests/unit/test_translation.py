"""The English-French corpus: real agreement, true alignments, no sentence in two places."""

import random
from collections import Counter

import pytest

from course_utils.corpora import translation as corpus_module
from course_utils.corpora.translation import (
    ADJECTIVES,
    ADVERBS,
    BEING,
    BEYOND_LENGTHS,
    COMPANY_PREPOSITIONS,
    DETERMINERS,
    INTRANSITIVE,
    JOINERS,
    LAST_ADVERBS,
    NOUNS,
    OBJECTS,
    ONE_TO_MANY,
    PLACE_PREPOSITIONS,
    SAYING,
    SUBJECTS,
    TRAIN_LENGTHS,
    TRANSITIVE,
    draw_pair,
    load_translation,
    show_text,
)

ALL_NOUNS = [noun for nouns in NOUNS.values() for noun in nouns]
VERBS = [*TRANSITIVE, *INTRANSITIVE, *SAYING, BEING]
NOUN_BY_ENGLISH = {form: (noun, n) for noun in ALL_NOUNS for n, form in enumerate(noun.en)}
VERB_BY_FRENCH = {form: (verb, n) for verb in VERBS for n, form in enumerate(verb.fr)}
ADJECTIVE_BY_ENGLISH = {one.en: one for one in ADJECTIVES}
DETERMINER_BY_ENGLISH = {one.en: one for one in DETERMINERS}
ELISIONS = {"l'": {"le", "la"}, "d'": {"de"}, "n'": {"ne"}, "qu'": {"que"}}


def is_vowel(word):
    return word[0] in "aeiouéèêh"


@pytest.fixture(scope="module")
def corpus():
    return load_translation()


@pytest.fixture(scope="module")
def pairs(corpus):
    """A spread of all parts, enough to meet every rule of the grammar."""
    return [*corpus.train[::4], *corpus.validation, *corpus.test, *corpus.beyond]


def french_of(pair, place):
    """The French words that come from one English place."""
    return [
        word for word, places in zip(pair.target, pair.alignment, strict=True) if place in places
    ]


def test_sizes_and_lengths(corpus):
    for part in (corpus.train, corpus.validation, corpus.test):
        assert {len(pair.source) for pair in part} == set(TRAIN_LENGTHS)
    assert {len(pair.source) for pair in corpus.beyond} == set(BEYOND_LENGTHS)
    assert set(Counter(len(pair.source) for pair in corpus.test).values()) == {60}
    assert 19_000 <= len(corpus.train) <= 20_500


def test_no_sentence_is_shared(corpus):
    everything = [pair for part in vars(corpus).values() for pair in part]
    assert len({pair.source for pair in everything}) == len(everything)
    assert len({pair.target for pair in everything}) == len(everything)


def test_the_seed_decides():
    small = {"train": 5, "validation": 2, "test": 2, "beyond": 1}
    first = load_translation(3, **small)
    load_translation.cache_clear()
    assert load_translation(3, **small) == first
    assert load_translation(4, **small) != first


def test_about_150_english_words_and_all_seen_in_training(corpus):
    english = {word for pair in corpus.train for word in pair.source}
    french = {word for pair in corpus.train for word in pair.target}
    assert 130 <= len(english) <= 160
    assert len(french) > len(english)
    for pair in (*corpus.validation, *corpus.test, *corpus.beyond):
        assert set(pair.source) <= english
        assert set(pair.target) <= french


@pytest.mark.parametrize("size", [3, 4, 5, 8, 13, 20, 29, 40])
def test_drawn_length_is_the_one_asked_for(size):
    rng = random.Random(size)
    assert {len(draw_pair(size, rng).source) for _ in range(300)} == {size}


def test_alignment_is_a_bijection_but_for_the_named_exceptions(pairs):
    strict = 0
    for pair in pairs:
        partners = Counter(place for places in pair.alignment for place in places)
        assert set(partners) == set(range(len(pair.source)))
        for place, count in partners.items():
            assert count == 1 or count == ONE_TO_MANY.get(pair.source[place])
        for word, places in zip(pair.target, pair.alignment, strict=True):
            assert len(places) == 1 or (len(places) == 2 and word in ("du", "des"))
        if not {*ONE_TO_MANY, "of"} & set(pair.source):
            assert pair.one_to_one
            strict += 1
    assert strict > len(pairs) / 4


def dictionary():
    """Every French form that an English word may be aligned with."""
    forms = {}
    for noun in ALL_NOUNS:
        for english, french in zip(noun.en, noun.fr, strict=True):
            forms[english] = {french}
    for verb in VERBS:
        forms[verb.en[0]] = {verb.fr[0]}
        forms[verb.en[1]] = set(verb.fr)  # "does not see" is singular too
    for adjective in ADJECTIVES:
        forms[adjective.en] = set(adjective.fr)
    for determiner in DETERMINERS:
        forms[determiner.en] = {form for form in determiner.fr if form}
    forms["this"] |= {"cet"}
    forms["the"] |= {"l'", "du", "des"}
    forms["a"] |= {"de", "d'"}
    forms["an"] = forms["a"]
    forms["many"] |= {"de", "d'"}
    forms |= {english: {french[0]} for english, french in SUBJECTS.items()}
    forms |= {english: {french} for english, french in OBJECTS.items()}
    forms["him"] |= {"l'"}
    forms["her"] |= {"l'"}
    for table in (PLACE_PREPOSITIONS, COMPANY_PREPOSITIONS, JOINERS):
        forms |= {english: set(french) for english, french in table.items()}
    forms |= {english: {french} for english, french in (ADVERBS | LAST_ADVERBS).items()}
    forms["near"] |= {"d'", "du", "des"}
    forms["because"] |= {"qu'"}
    forms["of"] = {"de", "d'", "du", "des"}
    forms["never"] = {"ne", "n'", "jamais"}
    forms["does"] = forms["do"] = {"ne", "n'"}
    forms["not"] = {"ne", "n'", "pas"}
    forms["that"] = {"que", "qu'", "qui"}
    forms["who"] = {"qui"}
    forms["very"] = {"très"}
    return forms


def test_aligned_words_translate_each_other(pairs):
    forms = dictionary()
    for pair in pairs:
        for french, places in zip(pair.target, pair.alignment, strict=True):
            for place in places:
                assert french in forms[pair.source[place]], (pair.source, pair.target)


def test_nouns_determiners_and_adjectives_agree(pairs):
    checked = 0
    for pair in pairs:
        for place, word in enumerate(pair.source):
            if word not in NOUN_BY_ENGLISH:
                continue
            noun, plural = NOUN_BY_ENGLISH[word]
            assert french_of(pair, place) == [noun.fr[plural]]
            form = 2 * (noun.gender == "f") + plural
            before = place - 1
            while pair.source[before] in ADJECTIVE_BY_ENGLISH or pair.source[before] == "very":
                if pair.source[before] != "very":
                    adjective = ADJECTIVE_BY_ENGLISH[pair.source[before]]
                    assert french_of(pair, before) == [adjective.fr[form]]
                    checked += 1
                before -= 1
            english = (
                pair.source[before].replace("an", "a")
                if pair.source[before] == "an"
                else pair.source[before]
            )
            wanted = DETERMINER_BY_ENGLISH[english].fr[2 if plural else int(noun.gender == "f")]
            given = french_of(pair, before)[0]
            softer = {
                "le": {"l'", "du"}, "la": {"l'"}, "les": {"des"}, "ce": {"cet"}, "ma": {"mon"},
                "un": {"de", "d'"}, "une": {"de", "d'"},
            }  # fmt: skip
            assert given in {wanted} | softer.get(wanted, set()), (pair.source, pair.target)
    assert checked > 1000


def test_adjectives_stand_on_their_side_of_the_noun(pairs):
    for pair in pairs:
        place_of = {
            places[0]: place for place, places in enumerate(pair.alignment) if len(places) == 1
        }
        for place, word in enumerate(pair.source[:-1]):
            if word in ADJECTIVE_BY_ENGLISH and pair.source[place + 1] in NOUN_BY_ENGLISH:
                before = place_of[place] < place_of[place + 1]
                assert before == ADJECTIVE_BY_ENGLISH[word].before


def test_verbs_agree_in_number(pairs):
    seen = Counter()
    for pair in pairs:
        for french, places in zip(pair.target, pair.alignment, strict=True):
            english = pair.source[places[0]]
            if french not in VERB_BY_FRENCH or english in NOUN_BY_ENGLISH:
                continue
            verb, plural = VERB_BY_FRENCH[french]
            start = places[0]
            denied = pair.source[start - 1] == "not" and pair.source[start - 2] in ("does", "do")
            if denied:
                assert english == verb.en[1]
                assert plural == (pair.source[start - 2] == "do")
            else:
                assert english == verb.en[plural]
            seen[denied, plural] += 1
    assert min(seen.values()) > 50
    assert len(seen) == 4


def test_subjects_agree_with_verb_and_predicate(pairs):
    """Where the subject is plain to see: determiner, adjectives, noun, then the verb."""
    checked = Counter()
    for pair in pairs:
        place = 1
        while pair.source[place] in ADJECTIVE_BY_ENGLISH or pair.source[place] == "very":
            place += 1
        if pair.source[place] not in NOUN_BY_ENGLISH:
            continue
        noun, plural = NOUN_BY_ENGLISH[pair.source[place]]
        rest = [word for word in pair.source[place + 1 :] if word not in {*ADVERBS, "never"}]
        if rest[0] in {form for verb in VERBS for form in verb.en} | {"do", "does"}:
            assert rest[0] in ({"do"} if plural else {"does"}) | {v.en[plural] for v in VERBS}
            checked["verb"] += 1
        rest = [word for word in rest if word not in ("not", "very")]
        if rest[0] in BEING.en:
            adjective = ADJECTIVE_BY_ENGLISH[rest[1]]
            where = pair.source.index(rest[1], place + 1)
            assert french_of(pair, where) == [adjective.fr[2 * (noun.gender == "f") + plural]]
            checked["predicate"] += 1
    assert min(checked["verb"], checked["predicate"]) > 100


def test_elision_and_contraction(pairs):
    seen = Counter()
    for pair in pairs:
        for word, following in zip(pair.target, (*pair.target[1:], "."), strict=True):
            if is_vowel(following):
                assert word not in {"le", "la", "de", "ne", "que", "ce", "ma", "du"}, pair.target
            if word in ELISIONS or word == "cet":
                assert is_vowel(following), pair.target
                seen[word] += 1
            assert (word, following) not in {("de", "le"), ("de", "les")}, pair.target
            if word in ("pas", "jamais"):  # "il ne voit pas de chat", never "pas un chat"
                assert following not in ("un", "une"), pair.target
                seen["pas de"] += following in ("de", "d'")
    assert set(seen) == {*ELISIONS, "cet", "pas de"}
    assert seen["pas de"] > 30
    feminine = {noun.fr[0] for noun in ALL_NOUNS if noun.gender == "f"}
    for pair in pairs:
        for word, following in zip(pair.target, pair.target[1:], strict=False):
            if word == "mon" and following in feminine:
                assert is_vowel(following)


def test_english_articles(pairs):
    for pair in pairs:
        for word, following in zip(pair.source, pair.source[1:], strict=False):
            assert word != "a" or following[0] not in "aeiou"
            assert word != "an" or following[0] in "aeiou"


SEEN_BY_A_SPEAKER = {
    "the bird sings": "l'oiseau chante",
    "she sees him": "elle le voit",
    "he likes her": "il l'aime",
    "my school is famous": "mon école est célèbre",
    "the cows are grey": "les vaches sont grises",
    "this man always laughs": "cet homme rit toujours",
    "she does not like him": "elle ne l'aime pas",
    "he is never tired": "il n'est jamais fatigué",
    "the small black cat sleeps": "le petit chat noir dort",
    "many birds sing": "beaucoup d'oiseaux chantent",
    "she often likes them": "elle les aime souvent",
}


def test_sentences_that_a_speaker_checked(monkeypatch):
    """Draw until each of them has come up; few words, so that they do."""
    wanted = dict(SEEN_BY_A_SPEAKER)
    words = {word for sentence in wanted for word in sentence.split()}
    few = {
        kind: [noun for noun in nouns if words & set(noun.en)] or nouns[:1]
        for kind, nouns in NOUNS.items()
    }
    monkeypatch.setattr(corpus_module, "NOUNS", few)
    for name in ("TRANSITIVE", "INTRANSITIVE"):
        verbs = [v for v in getattr(corpus_module, name) if words & set(v.en)]
        monkeypatch.setattr(corpus_module, name, verbs)
    monkeypatch.setattr(corpus_module, "ADJECTIVES", [a for a in ADJECTIVES if a.en in words])
    rng = random.Random(1)
    for _ in range(60_000):
        pair = draw_pair(rng.choice([3, 3, 4, 5, 6]), rng)
        french = wanted.pop(" ".join(pair.source), None)
        assert french in (None, show_text(pair.target))
        if not wanted:
            return
    pytest.fail(f"never drawn: {sorted(wanted)}")
