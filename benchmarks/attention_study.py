"""The recorded study behind lesson 6: whom attention agrees with, and dates without attention.

    python benchmarks/attention_study.py            # about 5 CPU minutes

Writes `course_utils/studies/attention.json`. Trained translators come from the cache where it has
them (`course_utils.training.data_folder`).
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Sequence

import numpy as np
import torch

from course_utils.attention_studies import (
    STUDY_FILE,
    articles_right,
    dates_translator,
    determiner_looks,
    gold_share,
)
from course_utils.corpora.dates import load_dates
from course_utils.corpora.translation import Pair, load_translation
from course_utils.seq2seq import (
    Translator,
    bleu,
    exact_match,
    trained_translator,
    translate_greedy,
)

MODELS: dict[str, dict] = {
    "dot, two-way": {"kind": "dot"},
    "additive, two-way": {"kind": "additive"},
    "additive, one-way": {"kind": "additive", "two_way": False},
}


def measure(model: Translator, test: Sequence[Pair]) -> dict:
    """Whom the attention agrees with, where it looks for determiners, how well it translates."""
    own, noun = determiner_looks(model, test)
    said = translate_greedy(model, [pair.source for pair in test])
    return {
        "gold share": {kind: round(share, 4) for kind, share in gold_share(model, test).items()},
        "determiner looks": {"own": round(own, 4), "noun": round(noun, 4)},
        "articles right": round(articles_right(model, test), 4),
        "bleu": round(bleu(said, test), 1),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=5)
    seeds = range(options.parse_args().seeds)
    begin = time.process_time()
    test = load_translation().test
    runs: dict[str, list] = {}
    for name, settings in MODELS.items():
        models = [trained_translator(seed=seed, **settings)[0] for seed in seeds]
        runs[name] = [measure(model, test) for model in models]
        for run in runs[name]:
            print(name, run)
    days = load_dates().test
    exact: dict[str, list[float]] = {}
    for kind in ("dot", "reversed"):
        models = [dates_translator(kind, seed)[0] for seed in seeds]
        said = [translate_greedy(model, [pair.source for pair in days]) for model in models]
        exact[kind] = [exact_match(one, days) for one in said]
        print("dates,", kind, exact[kind])
    study = {
        "made by": "benchmarks/attention_study.py",
        "torch": torch.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "translators": runs,
        "dates": {kind: [round(share, 4) for share in runs] for kind, runs in exact.items()},
        "cpu seconds": round(time.process_time() - begin),
    }
    STUDY_FILE.parent.mkdir(parents=True, exist_ok=True)
    STUDY_FILE.write_text(json.dumps(study, indent=1) + "\n", encoding="utf-8")
    print(f"{STUDY_FILE} written, {study['cpu seconds']} CPU seconds")


if __name__ == "__main__":
    main()
