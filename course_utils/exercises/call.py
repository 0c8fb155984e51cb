"""Call an exercise on one case and write down what happened, as plain data.

The same code runs in the learner's notebook (check) and in the confined runner (grading), so
what passes in one passes in the other. An outcome is a dict with exactly one of the keys
`value`, `not_attempted`, `error`, `unsupported`, and sometimes `gradients` and `changed`.
"""

from __future__ import annotations

import linecache
import types
from collections.abc import Callable
from typing import Any

from course_utils.exercises.values import Built, ValueProblem, decode, encode

Outcome = dict[str, Any]

MAX_MESSAGE = 500


def call_case(function: Callable[..., Any], args: list, gradients: list[int]) -> Outcome:
    """Call `function` on fresh copies of the encoded `args`.

    Args:
        function: the learner's function.
        args: encoded arguments, as in a kit's case.
        gradients: positions of the arguments whose gradients are wanted.
    """
    values = [decode(argument) for argument in args]
    live = [value.make() if isinstance(value, Built) else value for value in values]
    for position in gradients:
        live[position].requires_grad_(True)
    try:
        result = function(*live)
        outcome: Outcome = {"value": encode(result)}
        if gradients:
            outcome["gradients"] = _gradients(result, [live[p] for p in gradients])
    except NotImplementedError:
        return {"not_attempted": True}
    except ValueProblem as problem:
        outcome = {"unsupported": str(problem)}
    except Exception as problem:
        return {"error": describe_error(problem, function)}
    return outcome | _changed(args, live)


def _gradients(result: Any, arguments: list[Any]) -> list:
    """d(sum of all float outputs)/d(argument), encoded; zeros where none flows."""
    import torch

    outputs = result if isinstance(result, (tuple, list)) else [result]
    tensors = [x for x in outputs if torch.is_tensor(x) and x.is_floating_point()]
    total = sum((x.sum() for x in tensors), torch.zeros(()))
    if not total.requires_grad:
        return [encode(torch.zeros_like(argument)) for argument in arguments]
    found = torch.autograd.grad(total, arguments, allow_unused=True, materialize_grads=True)
    return [encode(gradient) for gradient in found]


def _changed(args: list, live: list) -> dict[str, list[int]]:
    """Which arguments the call changed in place (their positions), if any."""
    changed = []
    for position, before in enumerate(args):
        if isinstance(before, dict) and "built" in before:
            continue
        try:
            after = encode(live[position])
        except ValueProblem:
            after = None
        if after != before:
            changed.append(position)
    return {"changed": changed} if changed else {}


def describe_error(problem: BaseException, function: Callable[..., Any]) -> dict[str, Any]:
    """The error's type, message and the learner's own line that raised it, kept short."""
    filename = getattr(getattr(function, "__code__", None), "co_filename", None)
    line, number = _line_in(problem.__traceback__, filename)
    try:
        message = str(problem)
    except Exception:
        message = ""
    return {
        "type": type(problem).__name__,
        "message": message[:MAX_MESSAGE],
        "line": line[:MAX_MESSAGE],
        "number": number,
    }


def _line_in(trace: types.TracebackType | None, filename: str | None) -> tuple[str, int]:
    """The last line of `filename` that the traceback passes through."""
    line, number = "", 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            number = trace.tb_lineno
            line = linecache.getline(filename or "", number).strip()
        trace = trace.tb_next
    return line, number
