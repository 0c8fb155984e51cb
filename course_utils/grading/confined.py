"""Confined runners: forks of one warm process, each shut in by itself (see `confine`)."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_utils.errors import UserError
from course_utils.exercises.call import Outcome
from course_utils.grading.border import stopped
from course_utils.grading.confine import lies_in_sight
from course_utils.grading.execute import Run, runs_in
from course_utils.grading.limits import Limits, clean_environment
from course_utils.grading.runner import (
    START_SECONDS,
    CannotRun,
    Link,
    MakeRunner,
    PipedRunner,
    ProcessRunner,
    ended,
)

LOG = logging.getLogger("course.grading")
END_SECONDS = 10.0
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Where the C library knows it: of memory in large pages there is less to copy in a fork."""


class Warm:
    """The warm process, started at the first need and again should it have been killed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.line: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.visible: list[str] = []

    def runner(self, limits: Limits, files: Mapping[str, str]) -> ConfinedRunner:
        """A runner that is a fork of this process; raises `CannotRun` when killed from outside."""
        return ConfinedRunner(limits, files, self)

    def last_runner(self, limits: Limits, files: Mapping[str, str]) -> ConfinedRunner:
        """The same, but takes a kill from outside as the learner's own doing."""
        return ConfinedRunner(limits, files, self, forgiving=False)

    def fork(self) -> tuple[Link, socket.socket]:
        """A fresh fork: the link to its runner and the line to its keeper.

        Raises:
            CannotRun: the warm process does not start.
        """
        with self.lock:
            try:
                return self._fork(self.line or self._start())
            except OSError:
                self._end()
                return self._fork(self._start())

    def _fork(self, line: socket.socket) -> tuple[Link, socket.socket]:
        heard, commands = os.pipe()
        replies, spoken = os.pipe()
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(line, [b"fork"], [heard, spoken, theirs.fileno()])
        except OSError:
            os.close(commands)
            os.close(replies)
            raise
        finally:
            os.close(heard)
            os.close(spoken)
            theirs.close()
        return Link(os.fdopen(commands, "wb"), os.fdopen(replies, "rb")), ours

    def _start(self) -> socket.socket:
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-m", "course_utils.grading.warm"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd="/",
                env=clean_environment(os.path.expanduser("~")) | LARGE_PAGES,
                start_new_session=True,
            )
        line.settimeout(START_SECONDS)
        told = line.recv(1_000_000)
        if not told:
            raise CannotRun("the warm process does not start")
        self.visible = json.loads(told)
        self.line = line
        return line

    def _end(self) -> None:
        if self.line is not None:
            self.line.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.line = self.process = None

    def why_not(self) -> str:
        """Why learner code cannot be confined on this system; empty where it can."""
        if not sys.platform.startswith("linux"):
            return "only Linux has the means"
        runner = self.runner(Limits(), {})
        try:
            runner.start()
            runner.stop()
        except (CannotRun, OSError) as problem:
            return str(problem)
        return ""

    def close(self) -> None:
        """End the warm process; keepers and runners end with their graders."""
        with self.lock:
            self._end()

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Runners:
    """Makes a class's runners: confined ones, or plain ones where the class accepts the risk.

    What this system can do is found out at the first need.

    Attributes:
        unconfined: whether the class accepts the risk.
        hidden: what learners' code must not see: the class, its exchange.
    """

    def __init__(self, unconfined: bool = False, hidden: Sequence[Path] = ()) -> None:
        self.unconfined = unconfined
        self.hidden = hidden
        self.warm = Warm()
        self.lock = threading.Lock()
        self.problem: str | None = None

    @property
    def width(self) -> int:
        """How many submissions to run side by side: one for each processor."""
        return os.cpu_count() or 1

    def runs(self, last: bool) -> Run:
        """What runs a submission; see `maker`."""
        return runs_in(self.maker(last))

    def maker(self, last: bool) -> MakeRunner:
        """What makes a runner; `last` when a kill from outside must be taken as the learner's.

        Raises:
            UserError: learner code cannot be confined here and the class does not accept that, or
                it could see the class.
        """
        with self.lock:
            if self.problem is None:
                self.problem = self.warm.why_not()
                if self.problem and self.unconfined:
                    LOG.warning("Grading without confinement: %s.", self.problem)
        self._expect_hidden()
        if not self.problem:
            return self.warm.last_runner if last else self.warm.runner
        if self.unconfined:
            return ProcessRunner
        raise UserError(
            f"Learners' code cannot be confined on this system ({self.problem}). Unconfined, it "
            "can read and change whatever you can: the gradebook, the hidden cases, your files. "
            'To grade all the same, put "unconfined": true into class.json; better, grade on '
            "Linux."
        )

    def _expect_hidden(self) -> None:
        for place in self.hidden:
            if not self.problem and lies_in_sight(place, self.warm.visible):
                raise UserError(
                    f"{place} lies in a folder of Python's own, which learners' code sees. Keep "
                    "the class and its exchange elsewhere."
                )

    def __enter__(self) -> Runners:
        return self

    def __exit__(self, *_: object) -> None:
        self.warm.close()


class ConfinedRunner(PipedRunner):
    """A runner that sees nothing but Python and its own scratch folder.

    A process that is the first of its namespace cannot be killed from within. If one was, and not
    by its keeper, something outside did it (or, seldom, the learner's code through a limit of the
    system): a `forgiving` runner then raises `CannotRun`, so that the work is run again.
    """

    def __init__(
        self, limits: Limits, files: Mapping[str, str], warm: Warm, forgiving: bool = True
    ) -> None:
        super().__init__(limits, files)
        self.warm = warm
        self.forgiving = forgiving

    def launch(self) -> Link:
        """Take a fork of the warm process."""
        link, self.keeper = self.warm.fork()
        self.keeper.settimeout(END_SECONDS)
        with contextlib.suppress(OSError):
            self.keeper.sendall(self.limits.memory_mb.to_bytes(8, "big"))
        return link

    def kill(self) -> Outcome:
        """Let go of the keeper, which ends the runner and with it everything in its namespaces."""
        with contextlib.suppress(OSError):
            self.keeper.shutdown(socket.SHUT_WR)
        told = self._told()
        self.cpu_seconds = told.get("cpu", 0.0)
        self.keeper.close()
        if "ended" not in told and "pid" in told:  # the keeper itself was killed
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(told["pid"], signal.SIGKILL)
        if told.get("memory"):
            return stopped("memory", limit=self.limits.memory_mb)
        if self.died and self.forgiving and told.get("ended", -signal.SIGKILL) == -signal.SIGKILL:
            raise CannotRun("something outside killed the runner")
        return stopped("died", how=ended(told.get("ended")))

    def _told(self) -> dict[str, Any]:
        """All that the keeper said until it was gone."""
        heard = b""
        with contextlib.suppress(OSError):
            while part := self.keeper.recv(4096):
                heard += part
        told: dict[str, Any] = {}
        for line in heard.splitlines():
            told |= json.loads(line)
        return told
