"""The recorded study behind lesson 4: the memory task by cell, start and length, several seeds.

    python benchmarks/memory_study.py                      # all, about 8 CPU minutes
    python benchmarks/memory_study.py --only "GRU, bias 3" # these again, the rest as recorded
    python benchmarks/memory_study.py --seeds 1 --steps 20 --output trial.json

Writes `course_utils/studies/memory.json`, which the notebook draws behind the runs that a learner
makes live. Every run: 64 units, at most 600 updates of 32 fresh sequences, Adam at 3e-3.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path

import torch

from course_utils.gated import STUDY_FILE, UPDATES, train_recall

STARTS = [
    "RNN", "GRU", "GRU, bias 3", "LSTM", "LSTM, bias 0", "LSTM, bias 1", "LSTM, bias 3",
    "LSTM, bias 5", "LSTM, chrono", "LSTM, half chrono", "LSTM, bias 3 and -3",
    "LSTM, bias 5 and -5",
]  # fmt: skip


def main() -> None:
    """Run the study and write it down, after every run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, nargs="+", default=[20, 50, 100])
    parser.add_argument("--only", nargs="+", default=STARTS)
    parser.add_argument("--output", type=Path, default=STUDY_FILE)
    options = parser.parse_args()
    study: dict = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "most updates": UPDATES,
        "steps": options.steps,
        "seconds": 0.0,
        "accuracy": {},
        "updates": {},
    }
    if options.only != STARTS and options.output.exists():
        study = json.loads(options.output.read_text(encoding="utf-8"))
    for steps in options.steps:
        for start in options.only:
            runs = [train_recall(start, steps, seed=seed) for seed in range(options.seeds)]
            accuracy = [round(run.accuracy, 3) for run in runs]
            updates = [run.updates for run in runs]
            study["accuracy"].setdefault(start, {})[str(steps)] = accuracy
            study["updates"].setdefault(start, {})[str(steps)] = updates
            study["seconds"] = round(study["seconds"] + sum(run.seconds for run in runs))
            print(f"{steps:4} {start:20}", accuracy, updates, f"{study['seconds']} s", flush=True)
            options.output.write_text(json.dumps(study, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
