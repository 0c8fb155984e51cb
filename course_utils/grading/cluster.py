"""Run submissions on the machines of a Dask cluster; graft, judge and gradebook stay here.

Each submission is a task of its own. What a machine that went away had not finished, Dask gives to
another; when a task's machines keep going away, the driver tries again as it does for a runner
that was killed. Needs the extra `[cluster]` here and on all machines.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
import uuid
import warnings
from collections.abc import Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from course_utils.errors import UserError
from course_utils.grading.execute import Job, Ran, Run
from course_utils.grading.parcel import job_data, packed, ran_from, unpacked
from course_utils.grading.runner import CannotRun
from course_utils.grading.worker import about, run_parcel

LOG = logging.getLogger("course.grading")
CONNECT_SECONDS = 10.0
WORKERS_SECONDS = 60.0
LOOK_SECONDS = 5.0
GO_ON = "What was recorded stays; the same command goes on from there."


def expect_scheduler(address: str) -> None:
    """See to it that a Dask scheduler answers.

    Raises:
        UserError: nothing does, or something else.
    """
    from distributed import Security, rpc

    async def kind() -> str:
        terms = Security().get_connection_args("client")
        async with rpc(address, timeout=CONNECT_SECONDS, connection_args=terms) as other:
            return str((await other.identity())["type"])

    problem: object = "the answer is no scheduler's"
    try:
        if asyncio.run(asyncio.wait_for(kind(), CONNECT_SECONDS)) == "Scheduler":
            return
    except TimeoutError:
        problem = f"nothing came within {CONNECT_SECONDS:g} s"
    except Exception as said:
        problem = said
    raise UserError(
        f"No Dask scheduler answers at {address} ({problem}). `dask scheduler` starts one and says "
        "its address, such as tcp://host:8786."
    )


class Cluster:
    """A connection to a Dask scheduler; runs jobs as `Runners` does.

    Attributes:
        address: the scheduler's, e.g. `tcp://host:8786`.
        unconfined, hidden: as for `Runners`; the same rules hold on every worker.
    """

    def __init__(self, address: str, unconfined: bool, hidden: Sequence[Path]) -> None:
        self.address = address
        self.terms = {"unconfined": unconfined, "hidden": [str(place) for place in hidden]}
        self.lock = threading.Lock()
        self.looked = self.seen = time.monotonic()
        self.broken = ""

    def __enter__(self) -> Cluster:
        """Connect.

        Raises:
            UserError: nothing answers there, or there are no workers.
        """
        try:
            from distributed import Client
        except ImportError as problem:
            raise UserError(
                "Grading on a cluster needs Dask here and on all its machines: "
                "pip install distributed"
            ) from problem
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        expect_scheduler(self.address)
        with warnings.catch_warnings():  # each task compares versions, and says more
            warnings.simplefilter("ignore")
            self.client = Client(self.address, set_as_default=False, name="course")
        try:
            self.client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except Exception as problem:
            self.client.close()
            raise UserError(
                f"The scheduler at {self.address} has no workers: start some with "
                f"`dask worker {self.address}`."
            ) from problem
        return self

    def __exit__(self, *_: object) -> None:
        self.broken = self.broken or "The grader ended."
        with contextlib.suppress(Exception):
            self.client.close(timeout=LOOK_SECONDS)

    @property
    def width(self) -> int:
        """How many jobs to have under way: each worker has one waiting behind those it runs."""
        return 2 * max(1, sum(self.client.nthreads().values()))

    def runs(self, last: bool) -> Run:
        """What runs a job on the cluster; `last` as for `Runners`."""

        def run(job: Job) -> Ran:
            order = self.terms | {"about": about(), "last": last, "job": job_data(job)}
            answer = unpacked(self._answer(packed(order)))
            if "ran" in answer:
                return ran_from(answer["ran"], job)
            raise self._problem(answer)

        return run

    def _problem(self, answer: dict[str, Any]) -> Exception:
        """What to raise for an answer that tells of no run."""
        if "cannot" in answer:
            return CannotRun(answer["cannot"])
        if "failed" in answer:
            return RuntimeError(answer["failed"])
        if "differs" in answer:
            theirs, ours = answer["differs"], about()
            pairs = [f"{name} {theirs.get(name)}, here {ours[name]}" for name in ours
                     if theirs.get(name) != ours[name]]  # fmt: skip
            self.broken = (
                f"A worker of {self.address} is of another version ({'; '.join(pairs)}): grades "
                "could differ. Install the same on all machines and start the workers again."
            )
        else:
            self.broken = f"A worker of {self.address} refuses. {answer['refused']}"
        return UserError(self.broken)

    def _answer(self, parcel: bytes) -> bytes:
        """Send a parcel and wait for what comes back.

        Raises:
            CannotRun: several workers went away with it.
            UserError: the cluster is of no use any more.
        """
        from distributed import KilledWorker

        name = f"course-{uuid.uuid4().hex}"
        future = self.client.submit(run_parcel, parcel, key=name, pure=False)
        try:
            while not self.broken:
                try:
                    answer: bytes = future.result(timeout=LOOK_SECONDS)
                    return answer
                except TimeoutError:
                    self._look()
        except KilledWorker as problem:
            raise CannotRun(f"several workers went away while they ran it ({problem})") from problem
        except (CancelledError, asyncio.CancelledError) as problem:
            self.broken = f"The scheduler at {self.address} is gone. {GO_ON}"
            raise UserError(self.broken) from problem
        except UserError:
            raise
        except Exception as problem:
            self.broken = (
                f"The cluster cannot run the course's tasks ({type(problem).__name__}: {problem}). "
                "Scheduler and workers need the same installation as this machine."
            )
            raise UserError(self.broken) from problem
        finally:
            future.release()
        raise UserError(self.broken)

    def _look(self) -> None:
        """See to it that somebody is there to work; asked by all who wait, done now and then.

        Raises:
            UserError: nobody has been for a while.
        """
        with self.lock:
            now = time.monotonic()
            if now - self.looked < LOOK_SECONDS:
                return
            self.looked = now
            if self.client.nthreads():
                self.seen = now
                return
        if now - self.seen > WORKERS_SECONDS:
            self.broken = f"The scheduler at {self.address} has lost all its workers. {GO_ON}"
            raise UserError(self.broken)
        LOG.warning("No worker is left at %s; waiting for one.", self.address)
