"""The recorded study behind lesson 7: every neural model of the course on one text, with patience.

    python benchmarks/one_text_study.py          # about 15 CPU minutes
    python benchmarks/one_text_study.py --keep   # only what the file does not hold yet

Writes `course_utils/studies/one_text.json`. Each point is a run of its own, with its own schedule.
"""

from __future__ import annotations

import argparse
import json
import platform
import time

import torch

from course_utils.one_text import (
    KINDS,
    STUDY_FILE,
    held_out_perplexity,
    load_text,
    make_model,
    parameters,
    recorded,
    train_model,
)

STEPS = (100, 400, 1600, 6400)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--keep", action="store_true")
    chosen = options.parse_args()
    begin = time.process_time()
    text = load_text()
    kept: dict = recorded() if chosen.keep else {"models": {}, "cpu seconds": 0}
    models: dict[str, list] = {}
    for kind in KINDS:
        models[kind] = [r for r in kept["models"].get(kind, []) if r["steps"] in STEPS]
        for steps in sorted(set(STEPS) - {run["steps"] for run in models[kind]}):
            model = make_model(kind, len(text.signs))
            seconds = train_model(model, text, steps, label=f"{kind}, {steps}")
            run = {
                "steps": steps,
                "seconds": round(seconds, 2),
                "perplexity": round(held_out_perplexity(model, text), 3),
                "parameters": parameters(model),
            }
            models[kind].append(run)
            print(kind, run)
    study = {
        "made by": "benchmarks/one_text_study.py",
        "torch": torch.__version__,
        "machine": platform.machine(),
        "models": models,
        "cpu seconds": kept["cpu seconds"] + round(time.process_time() - begin),
    }
    STUDY_FILE.parent.mkdir(parents=True, exist_ok=True)
    STUDY_FILE.write_text(json.dumps(study, indent=1) + "\n", encoding="utf-8")
    print(f"{STUDY_FILE} written, {study['cpu seconds']} CPU seconds")


if __name__ == "__main__":
    main()
