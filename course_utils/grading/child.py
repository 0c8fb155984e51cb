"""The process that runs learner code: cells in IPython's shell, exercises on the judge's cases.

It is told one thing at a time, as JSON lines, and answers each with one line. Nothing it answers
is believed: it knows inputs, never what is expected of them. It is started as
`python -I -m course_utils.grading.child`, or forked from a warm process that called `prepare`.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import pkgutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import course_utils
from course_utils.exercises.call import Outcome, call_case, describe_error
from course_utils.grading.limits import Limits, limit_process, limits_from

SELDOM_NEEDED = ("authoring", "cli", "grading", "lab", "quiz", "reporting", "site")


class TimeUp(BaseException):
    """Raised in the middle of learner code when its time is over."""


class Printed(io.TextIOBase):
    """Keeps the first characters of what is printed, and drops the rest."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.parts: list[str] = []
        self.length = 0
        self.dropped = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        room = self.limit - self.length
        if room > 0:
            self.parts.append(str(text)[:room])
            self.length += len(self.parts[-1])
        self.dropped = self.dropped or len(text) > room
        return len(text)

    def text(self) -> str:
        return "".join(self.parts) + (" …" if self.dropped else "")


def prepare() -> None:
    """Import what every submission needs; learner code has not run yet."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
    import torch

    torch.set_num_threads(1)
    for module in pkgutil.walk_packages(course_utils.__path__, "course_utils."):
        if module.name.split(".")[1] not in SELDOM_NEEDED:
            with contextlib.suppress(ImportError):  # it wants an extra that is not installed
                importlib.import_module(module.name)
    importlib.import_module("course_utils.plots").use_language("en")
    make_shell().run_cell("None", store_history=False)


def make_shell() -> Any:
    """IPython's shell without its history, prompts and tracebacks; there is one in a process."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    shell.showtraceback = lambda *_, **__: None
    shell.showsyntaxerror = lambda *_, **__: None
    shell.displayhook.write_output_prompt = lambda: None
    return shell


def receive(commands: BinaryIO) -> Limits:
    """Hear the first line: the limits, and the files that are put into the working folder."""
    hello = json.loads(commands.readline())
    for name, text in hello["files"].items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return limits_from(hello["limits"])


def serve(commands: BinaryIO, replies: BinaryIO, limits: Limits) -> None:
    """Answer commands until there are no more."""
    worker = _Worker(limits.output_characters)
    handlers: dict[str, Callable[..., dict]] = {"run": worker.run, "call": worker.call}
    for line in iter(commands.readline, b""):
        request = json.loads(line)
        with contextlib.suppress(TimeUp):
            reply: dict = {"late": True}
            with _alarm(request.pop("seconds")):
                reply = handlers[request.pop("do")](**request)
        try:
            answer = json.dumps(reply)
        except (TypeError, ValueError, RecursionError):
            answer = json.dumps({"unsupported": "data that describes no plain value"})
        replies.write(answer.encode() + b"\n")
        replies.flush()


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` after `seconds`, where the system has such a clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise TimeUp

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _Worker:
    """The learner's namespace and the two things that are done with it."""

    def __init__(self, output_characters: int) -> None:
        self.shell = make_shell()
        self.output_characters = output_characters

    def run(self, source: str) -> dict[str, Any]:
        """Run one cell; says what it printed and the error it raised, if any."""
        printed = Printed(self.output_characters)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            result = self.shell.run_cell(source, store_history=False)
        problem = result.error_before_exec or result.error_in_exec
        if isinstance(problem, TimeUp):
            return {"late": True, "printed": printed.text()}
        error = None if problem is None else describe_cell_error(problem)
        return {"error": error, "printed": printed.text()}

    def call(self, name: str, args: list, gradients: list[int]) -> Outcome:
        """Call the learner's function of that name on one case."""
        function = self.shell.user_ns.get(name)
        if not callable(function):
            return {"missing": True}
        printed = Printed(0)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                return call_case(function, args, gradients)
        except TimeUp:
            return {"late": True}
        except BaseException as problem:
            return {"error": describe_error(problem, function)}


def describe_cell_error(problem: BaseException) -> dict[str, Any]:
    """A cell's error in the form of `call.describe_error`: type, message, line, its number."""
    if isinstance(problem, SyntaxError):
        line, number = (problem.text or "").strip(), problem.lineno or 0
        return {
            "type": type(problem).__name__,
            "message": problem.msg,
            "line": line,
            "number": number,
        }
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "ipython-input" in code.co_filename or "ipykernel" in code.co_filename:
            return describe_error(problem, _Code(code))
        trace = trace.tb_next
    return describe_error(problem, _Code(None))


class _Code:
    """Stands for the cell where `describe_error` expects a function."""

    def __init__(self, code: Any) -> None:
        self.__code__ = code

    def __call__(self) -> None:
        """Never called."""


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move the protocol off standard input and output, so that prints cannot mix with it."""
    commands, replies = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return os.fdopen(commands, "rb"), os.fdopen(replies, "wb")


def main() -> None:
    """Serve the process that started this one."""
    commands, replies = private_pipes()
    limits = receive(commands)
    limit_process(limits)
    replies.write(b"{}\n")
    replies.flush()
    serve(commands, replies, limits)


if __name__ == "__main__":
    main()
