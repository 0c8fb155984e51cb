"""Runners: the watched processes in which learner code runs.

A runner is asked one thing at a time. What comes back is checked at the `border`; what does not
come back in time, or not at all, is written down as `stopped` with a reason.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Protocol

from course_utils.exercises.call import Outcome
from course_utils.grading.border import (
    MAX_REPLY_BYTES,
    checked_cell,
    checked_outcome,
    parse_reply,
    stopped,
)
from course_utils.grading.limits import Limits, clean_environment

START_SECONDS = 60.0
GRACE_SECONDS = 1.0


class Runner(Protocol):
    """A process that runs one submission's code; it is started once."""

    def start(self) -> None:
        """Start the process."""

    def run_cell(self, source: str, seconds: float) -> dict[str, Any]:
        """Run a cell: `error` (as in an outcome) or None, `printed`; or `stopped`."""

    def call(self, name: str, case: Mapping[str, Any], seconds: float) -> Outcome:
        """Call a function of the learner's on a case of a kit; an outcome, perhaps `stopped`."""

    @property
    def alive(self) -> bool:
        """Whether the process can be asked anything more."""

    @property
    def cpu_seconds(self) -> float:
        """Processor time that it took, known once it is stopped; 0 where nobody counts."""

    def stop(self) -> Outcome:
        """End the process, all that it started, and its scratch folder; says how it ended."""


MakeRunner = Callable[[Limits, Mapping[str, str]], Runner]


class CannotRun(RuntimeError):
    """A runner could not start: a fault of the machine, not of what a learner sent."""


class Link:
    """Two pipes to a process: one line out, one line back, within a time."""

    def __init__(self, commands: IO[bytes], replies: IO[bytes]) -> None:
        self.commands = commands
        self.replies = replies

    def ask(self, message: Any, seconds: float) -> bytes | None:
        """Send a line and return the one that comes back.

        Returns:
            None when nothing came within `seconds`; bytes without a newline at their end when
            the process is gone, or said more than `MAX_REPLY_BYTES`.
        """
        box: list[bytes] = []

        def exchange() -> None:
            line = b""
            with contextlib.suppress(OSError, ValueError):
                self.commands.write(json.dumps(message).encode() + b"\n")
                self.commands.flush()
                line = self.replies.readline(MAX_REPLY_BYTES)
            box.append(line)

        self.thread = threading.Thread(target=exchange, daemon=True)
        self.thread.start()
        self.thread.join(seconds)
        return box[0] if box else None

    def close(self) -> None:
        """Close both pipes. An unconfined process that got away may still hold one: leave it."""
        self.thread.join(GRACE_SECONDS)
        if self.thread.is_alive():
            return
        for pipe in (self.commands, self.replies):
            with contextlib.suppress(OSError, ValueError):
                pipe.close()


class PipedRunner:
    """What all runners share: asking, checking, stopping. How it starts is the subclass's."""

    def __init__(self, limits: Limits, files: Mapping[str, str]) -> None:
        self.limits = limits
        self.files = files
        self.link: Link | None = None
        self.died = False
        self.cpu_seconds = 0.0

    def launch(self) -> Link:
        """Start a process that serves `child`'s protocol."""
        raise NotImplementedError

    def kill(self) -> Outcome:
        """End the process and all that it started, at once; says how it had ended, if it had."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the process and wait until it listens.

        Raises:
            CannotRun: it does not.
        """
        self.link = self.launch()
        hello = {"limits": self.limits.as_dict(), "files": dict(self.files)}
        heard = self.link.ask(hello, START_SECONDS)
        if heard != b"{}\n":
            ended = self.stop()
            problem = parse_reply(heard or b"").get("problem") or ended["facts"]
            raise CannotRun(f"the runner could not start: {problem}")

    @property
    def alive(self) -> bool:
        """Whether the process can be asked anything more."""
        return self.link is not None

    def run_cell(self, source: str, seconds: float) -> dict[str, Any]:
        """Run a cell: `error` (as in an outcome) or None, `printed`; or `stopped`."""
        reply = self._ask({"do": "run", "source": source}, seconds)
        return reply if "stopped" in reply else checked_cell(reply, self.limits.output_characters)

    def call(self, name: str, case: Mapping[str, Any], seconds: float) -> Outcome:
        """Call a function of the learner's on a case of a kit; an outcome, perhaps `stopped`."""
        request = {"do": "call", "name": name, "args": case["args"]}
        reply = self._ask(request | {"gradients": case["gradients"]}, seconds)
        return reply if "stopped" in reply else checked_outcome(reply)

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The reply, unchecked; with the key `stopped` only when this process found it so."""
        if self.link is None:
            return stopped("died", how="")
        line = self.link.ask(request | {"seconds": seconds}, seconds + GRACE_SECONDS)
        if line is None:
            self.stop()
            return stopped("time", seconds=f"{seconds:g}")
        if len(line) >= MAX_REPLY_BYTES:
            self.stop()
            return stopped("output")
        if not line.endswith(b"\n"):
            self.died = True
            return self.stop()
        reply = parse_reply(line)
        reply.pop("stopped", None)
        return stopped("time", seconds=f"{seconds:g}") if reply.get("late") is True else reply

    def stop(self) -> Outcome:
        """End the process, all that it started, and its scratch folder; says how it ended."""
        link, self.link = self.link, None
        if link is None:
            return stopped("died", how="")
        try:
            return self.kill()
        finally:
            link.close()


class ProcessRunner(PipedRunner):
    """A plain subprocess with limits on time, memory, files and output.

    It is watched but not confined: it sees what its user sees.
    """

    def launch(self) -> Link:
        """Start Python in a scratch folder of its own."""
        self.scratch = Path(tempfile.mkdtemp(prefix="course-run-"))
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "course_utils.grading.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.scratch,
            env=clean_environment(str(self.scratch)),
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return Link(self.process.stdin, self.process.stdout)

    def kill(self) -> Outcome:
        """End the process and its process group; says how it had ended, if it had."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2)
        how = ended(self.process.returncode)
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)
        return stopped("died", how=how)


def ended(code: int | None) -> str:
    """How a process ended, in a few words; empty for one that had not."""
    if code is None:
        return ""
    if code >= 0:
        return f"exit {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"
