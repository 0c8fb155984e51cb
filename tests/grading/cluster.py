"""A Dask cluster of the tests' own: a scheduler and workers, each a process, on the loopback."""

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from distributed import Worker
from distributed.utils import open_port

WAIT_SECONDS = 60


@dataclass
class Machines:
    """The scheduler's address, and the processes."""

    folder: Path
    address: str
    scheduler: subprocess.Popen
    workers: list = field(default_factory=list)

    def add_worker(self) -> None:
        """Start a worker that does one thing at a time and is not started again when it dies."""
        place = ["--local-directory", str(self.folder), "--host", "127.0.0.1"]
        self.workers.append(_dask("worker", self.address, "--no-nanny", "--nthreads=1", *place))

    def fork_worker(self) -> None:
        """The same in a fork of this process, which finds here what that has imported."""
        process = multiprocessing.get_context("fork").Process(
            target=lambda: asyncio.run(_work(self.address, self.folder)), daemon=True
        )
        process.start()
        self.workers.append(process)

    def end(self) -> None:
        """Kill all."""
        for process in (*self.workers, self.scheduler):
            process.kill()
        self.scheduler.wait()


async def _work(address: str, folder: Path) -> None:
    place = {"local_directory": str(folder), "host": "127.0.0.1"}
    async with Worker(address, nthreads=1, dashboard=False, **place) as worker:
        await worker.finished()


def _dask(*arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@contextmanager
def machines(folder: Path) -> Iterator[Machines]:
    """A scheduler without workers."""
    port = open_port("127.0.0.1")
    scheduler = _dask("scheduler", "--host=127.0.0.1", f"--port={port}")
    made = Machines(folder, f"tcp://127.0.0.1:{port}", scheduler)
    try:
        yield made
    finally:
        made.end()


def wait_until(condition) -> None:
    """Wait for something that is bound to come."""
    until = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.02)
