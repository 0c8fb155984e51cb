"""Dates as people write them, in several languages, with their ISO form: real data from CLDR.

The names and patterns come from Unicode's CLDR by way of Babel. Source and target are sequences of
characters, so a pair has the shape of a translation pair, with a true alignment:

    corpus = load_dates()
    pair = corpus.train[0]
    "".join(pair.source), "".join(pair.target)      # ("5. märz 1998", "1998-03-05")
    write_date(date(1998, 3, 5), FORMS[0])          # "thursday, march 5, 1998"
    judge_date("5 maart 1998", "1998-03-05")        # "known"

Left out are patterns that write day and month as two numbers, unless the year comes first
(``5/3/1998`` is a day in May or in March, who knows), and years of two digits. Capitals are
dropped: they carry nothing here, and a learner may type what they like.
"""

from __future__ import annotations

import random
import re
import unicodedata
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from babel import Locale
from babel.dates import format_date, tokenize_pattern

from course_utils.corpora.translation import Corpus, Pair

LOCALES = ("en_US", "en_GB", "fr_FR", "de_DE", "es_ES", "it_IT", "nl_NL", "zh_CN")
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2099, 12, 31)
BEYOND_DAYS = (date(1800, 1, 1), date(1899, 12, 31))


class Form(NamedTuple):
    """One way to write a date: a locale's name and a CLDR pattern."""

    locale: str
    pattern: str


def is_clear(pattern: str) -> bool:
    """Whether a pattern has day, month and full year, and nobody can mistake day for month."""
    fields = [value[0] for kind, value in tokenize_pattern(pattern) if kind == "field"]
    widths = dict(value for kind, value in tokenize_pattern(pattern) if kind == "field")
    complete = {"d", "M", "y"} <= set(fields) and widths["y"] != 2
    return complete and (widths["M"] >= 3 or fields.index("y") < fields.index("M"))


def _patterns(locale: str) -> list[str]:
    data = Locale.parse(locale)
    named = [str(data.date_formats[name]) for name in ("full", "long", "medium", "short")]
    skeletons = ("yMMMd", "yMMMEd", "yMMMMd", "yMMMMEd", "yMd")
    named += [str(data.datetime_skeletons[name]) for name in skeletons if name in
              data.datetime_skeletons]  # fmt: skip
    return [pattern for pattern in dict.fromkeys(named) if is_clear(pattern)]


FORMS: tuple[Form, ...] = tuple(
    Form(locale, pattern) for locale in LOCALES for pattern in _patterns(locale)
)


def plain_text(text: str) -> str:
    """Small letters, single blanks, composed characters: what the model reads."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().lower()


@cache
def _field(locale: str, field: str, year: int, month: int, day: int) -> str:
    return plain_text(format_date(date(year, month, day), field, locale=locale))


def _pieces(day: date, form: Form) -> list[tuple[str, str]]:
    """The text in pieces (field letter or '', text)."""
    pieces = []
    for kind, value in tokenize_pattern(form.pattern):
        if kind == "chars":
            pieces.append(("", re.sub(r"\s", " ", value).lower()))
            continue
        letter, width = value
        # Only what the field shows goes into the cache's key.
        year = day.year if letter == "y" else 2000
        month = day.month if letter == "M" else 1
        number = day.day if letter == "d" else 1
        if letter in "Ec":  # 3 January 2000 was a Monday
            number = 3 + day.weekday()
        pieces.append((letter, _field(form.locale, letter * width, year, month, number)))
    return pieces


def write_date(day: date, form: Form) -> str:
    """The date as a person of that locale writes it, in small letters."""
    return "".join(text for _, text in _pieces(day, form))


def date_pair(day: date, form: Form) -> Pair:
    """The characters of both sides; ``alignment`` says which part each ISO digit comes from.

    The hyphens come from nowhere. Both digits of the month point at its whole name; where a
    number has one digit on the left, both digits on the right point at it.
    """
    spans: dict[str, tuple[int, ...]] = {}
    source = ""
    for letter, text in _pieces(day, form):
        spans[letter] = tuple(range(len(source), len(source) + len(text)))
        source += text
    year, month, number = spans["y"], spans["M"], spans["d"]
    places: list[tuple[int, ...]] = [(place,) for place in year]
    digits = source[month[0] : month[-1] + 1].isdecimal()
    for span, splits in ((month, digits and len(month) == 2), (number, len(number) == 2)):
        places.append(())
        places += [(span[0],), (span[1],)] if splits else [span, span]
    return Pair(tuple(source), tuple(day.isoformat()), tuple(places))


@lru_cache(maxsize=4)
def load_dates(
    seed: int = 0, train: int = 8000, validation: int = 300, test: int = 1000, beyond: int = 200
) -> Corpus:
    """Draw the corpus, the same one for the same `seed`: each day stands in one part only.

    Days of 1900 to 2099 in all `FORMS`; ``beyond`` holds days of 1800 to 1899, a century that
    training never shows.
    """
    rng = random.Random(seed)
    days = [FIRST_DAY + timedelta(n) for n in range((LAST_DAY - FIRST_DAY).days + 1)]
    chosen = rng.sample(days, train + validation + test)
    first, last = BEYOND_DAYS
    older = [first + timedelta(n) for n in range((last - first).days + 1)]
    pairs = [date_pair(day, rng.choice(FORMS)) for day in [*chosen, *rng.sample(older, beyond)]]
    ends = (train, train + validation, train + validation + test)
    return Corpus(
        tuple(pairs[: ends[0]]),
        tuple(pairs[ends[0] : ends[1]]),
        tuple(pairs[ends[1] : ends[2]]),
        tuple(pairs[ends[2] :]),
    )


def judge_date(text: str, iso: str) -> str:
    """What to think of a translation `iso` of a typed `text`, without a model.

    Returns:
        ``"known"``: `text` is that date in one of our forms; ``"no date"``: `iso` is no day of
        any calendar; ``"unsure"``: a date, but not one that we would write as `text`.
    """
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return "no date"
    wanted = plain_text(text)
    return "known" if any(write_date(day, form) == wanted for form in FORMS) else "unsure"
