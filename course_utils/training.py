"""What training cells share: seeds, a device, one thread, a progress bar, one plain loop."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

Item = TypeVar("Item")

# The course's models are small: a second thread gains little on a quiet machine and costs a lot
# on a busy one, where threads wait for each other at every matrix product.
torch.set_num_threads(1)


def set_seed(seed: int) -> None:
    """Seed Python's, numpy's (the old global generator) and torch's random numbers."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def pick_device() -> torch.device:
    """The GPU when there is one (CUDA, then Apple's MPS), else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


class Progress(Generic[Item]):
    """An iterable that shows a bar while it runs and leaves one line with the seconds.

    The bar goes to stdout: what Jupyter paints red on stderr looks like a failure.
    """

    def __init__(self, iterable: Iterable[Item], label: str, total: int | None = None) -> None:
        if total is None and isinstance(iterable, Sized):
            total = len(iterable)
        self._iterable, self._label, self._total = iterable, label, total
        self._bar: Any = None
        self._note = ""

    def __iter__(self) -> Iterator[Item]:
        begin, done, finished = time.perf_counter(), 0, False
        self._bar = tqdm(
            total=self._total, desc=self._label, file=sys.stdout, leave=False, mininterval=0.25,
            ascii=" =", ncols=78, bar_format="{desc} |{bar}| {n_fmt}/{total_fmt}{postfix}",
        )  # fmt: skip
        try:
            for item in self._iterable:
                yield item
                done += 1
                self._bar.update()
            finished = True
        finally:
            self._bar.close()
            seconds = time.perf_counter() - begin
            how = f"{done} steps" if finished else f"stopped after {done} steps"
            print(f"{self._label}: {how}, {seconds:.1f} s{self._note}", flush=True)

    def note(self, text: str) -> None:
        """Show a short text (the loss, say) behind the bar; the last one stays in the end line."""
        self._note = f", {text}"
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)


def progress(iterable: Iterable[Item], label: str, total: int | None = None) -> Progress[Item]:
    """Wrap `iterable` in a progress bar, as in ``for step in progress(range(500), "training")``.

    Args:
        iterable: what to walk through.
        label: a few words in front of the bar and of the line that stays.
        total: how many items there are, where `iterable` has no length.
    """
    return Progress(iterable, label, total)


def fit(
    model: nn.Module,
    batches: Iterable[Any],
    loss_of: Callable[[Any], Tensor],
    optimizer: torch.optim.Optimizer,
    *,
    clip: float | None = None,
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
    label: str = "training",
    total: int | None = None,
) -> list[float]:
    """Take one optimiser step per batch, under a progress bar; returns the losses.

    Args:
        model: put into training mode; its parameters' gradients are clipped.
        batches: anything to iterate; each item is handed to `loss_of` as it is.
        loss_of: batch -> scalar loss, with gradients.
        optimizer: made by the caller, so that it lives on over several calls.
        clip: rescale the gradients when their global norm passes this.
        schedule: stepped once per batch.
        label, total: as in `progress`.
    """
    model.train()
    losses: list[float] = []
    bar = progress(batches, label, total)
    for batch in bar:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(batch)
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if schedule is not None:
            schedule.step()
        losses.append(loss.item())
        bar.note(f"loss {losses[-1]:.3f}")
    return losses


def data_folder() -> Path:
    """Where the course keeps trained models: ``$COURSE_DATA``, else the user's cache folder."""
    if chosen := os.environ.get("COURSE_DATA"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "sequence-models-course"


def cached(
    name: str,
    settings: dict[str, Any],
    make: Callable[[], Any],
    retrain: bool = False,
    code: Sequence[ModuleType] = (),
) -> Any:
    """What ``make()`` returns, from a file of an earlier run when there is one that fits.

    The file's name comes from `name` and `settings`; inside stands a key over the settings, the
    source of the `code` modules and of this one, and torch's version. A file that cannot be read
    or whose key differs is made again, with a word. It is read with ``weights_only=True``: it can
    hold numbers, texts, tensors and containers of them, and nothing that runs.

    Args:
        name: a short file name such as ``"translator-dot"``.
        settings: everything the result depends on; plain values that JSON can hold.
        make: does the work; returns tensors, numbers, texts and lists, tuples, dicts of them.
        retrain: ignore the file and make the result again.
        code: modules whose source the result depends on.
    """
    wanted = json.dumps(settings, sort_keys=True)
    digest = hashlib.sha256(wanted.encode())
    path = data_folder() / f"{name}-{digest.hexdigest()[:12]}.pt"
    digest.update(torch.__version__.encode())
    for module in (*code, sys.modules[__name__]):
        digest.update(Path(str(module.__file__)).read_bytes())
    key = digest.hexdigest()
    if path.exists() and not retrain:
        try:
            kept = torch.load(path, weights_only=True)
            if kept["key"] == key:
                return kept["value"]
            print(f"{name}: kept from older code or settings; making it again.")
        except Exception as problem:
            print(
                f"{name}: the kept file cannot be read ({type(problem).__name__}); making it again."
            )
    value = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            torch.save({"key": key, "value": value}, file)
        os.replace(file.name, path)
    except OSError as problem:
        print(f"{name}: not kept for next time ({problem}).")
    return value
