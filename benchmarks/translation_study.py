"""The recorded study behind lessons 5 and 6: every translator, several seeds, quality by length.

    python benchmarks/translation_study.py                 # all, about 10 CPU minutes
    python benchmarks/translation_study.py --seeds 1 --only plain dot --output trial.json

Writes `course_utils/studies/translation.json`, which the notebooks draw as bands behind the one
run that a learner makes live. All models train on the same 19,800 pairs of source lengths 3 to 20,
with the same batches, optimiser and learning rate; the models without attention get at least as
many CPU seconds as those with it. Everything is decoded greedily, free-running.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import torch

from course_utils.corpora.translation import Pair, load_translation
from course_utils.seq2seq import (
    LENGTH_GROUPS,
    STEPS,
    STUDY_FILE,
    bleu,
    exact_match,
    group_pairs,
    train_translator,
    translate_greedy,
)

VARIANTS: dict[str, dict] = {
    "plain": {"kind": "plain"},
    "reversed": {"kind": "reversed"},
    "additive": {"kind": "additive"},
    "dot": {"kind": "dot"},
    "general": {"kind": "general"},
    # Controls: is it the attention or the two-way encoder? Is it the size of the state?
    "dot, one-way": {"kind": "dot", "two_way": False},
    "plain, H=64": {"kind": "plain", "hidden": 64},
    "plain, H=256": {"kind": "plain", "hidden": 256},
}


def measure(settings: dict, seed: int, groups: dict[str, list[Pair]]) -> dict:
    """Train one model and measure it; all plain numbers."""
    steps = STEPS[settings["kind"]]
    model, history = train_translator(
        corpus=load_translation(), steps=steps, seed=seed, label=f"seed {seed}", **settings
    )
    row: dict = {"seed": seed, "seconds": round(history.seconds, 1)}
    row["validation"] = [(step, round(loss, 4)) for step, loss in history.validation]
    row["exact"], row["bleu"] = [], []
    for pairs in groups.values():
        said = translate_greedy(model, [pair.source for pair in pairs])
        row["exact"].append(round(100 * exact_match(said, pairs), 1))
        row["bleu"].append(round(bleu(said, pairs), 1))
    row["parameters"] = sum(weights.numel() for weights in model.parameters())
    return row


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--only", nargs="*", choices=VARIANTS, default=list(VARIANTS))
    options.add_argument("--output", type=Path, default=STUDY_FILE)
    chosen = options.parse_args()
    begin = time.process_time()
    groups = group_pairs()
    study: dict = {
        "made by": "benchmarks/translation_study.py",
        "torch": torch.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "groups": list(groups),
        "sentences": [len(pairs) for pairs in groups.values()],
        "steps": STEPS,
        "models": {},
    }
    assert list(groups) == [f"{group[0]}-{group[-1]}" for group in LENGTH_GROUPS]
    for name in chosen.only:
        print(name)
        runs = [measure(VARIANTS[name], seed, groups) for seed in range(chosen.seeds)]
        study["models"][name] = {"settings": VARIANTS[name], "runs": runs}
        for run in runs:
            print(f"   {run['seconds']:5.1f} CPU-s   exact {run['exact']}   BLEU {run['bleu']}")
    study["cpu seconds"] = round(time.process_time() - begin)
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text(json.dumps(study, indent=1) + "\n", encoding="utf-8")
    print(f"{chosen.output} written, {study['cpu seconds']} CPU seconds")


if __name__ == "__main__":
    main()
