"""The dates corpus: clear patterns only, one text one day, no day in two parts, true alignments."""

from collections import defaultdict
from datetime import date, timedelta

import pytest

from course_utils.corpora.dates import (
    FORMS,
    LOCALES,
    Form,
    date_pair,
    is_clear,
    judge_date,
    load_dates,
    write_date,
)


@pytest.fixture(scope="module")
def corpus():
    return load_dates(train=900, validation=50, test=100, beyond=50)


@pytest.mark.parametrize(
    ("pattern", "clear"),
    [
        ("d MMMM y", True),
        ("MMM d, y", True),
        ("y/M/d", True),
        ("y年M月d日", True),
        ("dd/MM/y", False),
        ("M/d/yy", False),
        ("dd.MM.y", False),
        ("d MMM yy", False),
        ("MMMM y", False),
    ],
)
def test_only_patterns_that_nobody_can_misread_are_kept(pattern, clear):
    assert is_clear(pattern) is clear


def test_every_locale_has_several_forms():
    for locale in LOCALES:
        assert len([form for form in FORMS if form.locale == locale]) >= 4, locale
    assert all(is_clear(form.pattern) for form in FORMS)


def test_no_text_means_two_days():
    meanings = defaultdict(set)
    for number in range(2 * 366):
        day = date(2023, 1, 1) + timedelta(number)
        for form in FORMS:
            meanings[write_date(day, form)].add(day)
    assert all(len(days) == 1 for days in meanings.values())


def test_no_day_stands_in_two_parts_and_no_text_twice(corpus):
    parts = [corpus.train, corpus.validation, corpus.test, corpus.beyond]
    days = [pair.target for part in parts for pair in part]
    texts = [pair.source for part in parts for pair in part]
    assert len(set(days)) == len(days)
    assert len(set(texts)) == len(texts)
    assert [len(part) for part in parts] == [900, 50, 100, 50]
    assert {pair.target[:2] for pair in corpus.beyond} == {("1", "8")}
    assert {pair.target[:2] for pair in corpus.train} == {("1", "9"), ("2", "0")}


def test_the_same_seed_gives_the_same_corpus(corpus):
    load_dates.cache_clear()
    assert load_dates(train=900, validation=50, test=100, beyond=50) == corpus
    assert load_dates(seed=1, train=900, validation=50, test=100, beyond=50) != corpus


def test_texts_are_small_letters_and_targets_are_iso(corpus):
    for pair in corpus.test:
        text = "".join(pair.source)
        assert text == text.lower()
        date.fromisoformat("".join(pair.target))
        assert judge_date(text, "".join(pair.target)) == "known"


def test_alignment_names_the_characters_that_say_it():
    pair = date_pair(date(1998, 3, 25), Form("de_DE", "EEEE, d. MMMM y"))
    text = "".join(pair.source)
    assert text == "mittwoch, 25. märz 1998"
    origin = [text[places[0] : places[-1] + 1] if places else "" for places in pair.alignment]
    assert origin == ["1", "9", "9", "8", "", "märz", "märz", "", "2", "5"]

    pair = date_pair(date(1998, 3, 5), Form("zh_CN", "y年M月d日"))
    assert "".join(pair.source) == "1998年3月5日"
    assert pair.alignment[5:] == ((5,), (5,), (), (7,), (7,))

    pair = date_pair(date(1998, 12, 5), Form("zh_CN", "y年M月d日"))
    assert pair.alignment[5:7] == ((5,), (6,))


@pytest.mark.parametrize(
    ("text", "iso", "verdict"),
    [
        ("March 5, 1998", "1998-03-05", "known"),
        ("  Thursday,  MARCH 5, 1998 ", "1998-03-05", "known"),
        ("1998年3月5日", "1998-03-05", "known"),
        ("March 5, 1998", "1998-03-06", "unsure"),
        ("Monday, March 5, 1998", "1998-03-05", "unsure"),  # it was a Thursday
        ("hello", "1998-03-05", "unsure"),
        ("31 February 1998", "1998-02-31", "no date"),
        ("March 5, 1998", "1998-03", "no date"),
        ("", "", "no date"),
    ],
)
def test_judging_what_a_learner_typed(text, iso, verdict):
    assert judge_date(text, iso) == verdict
