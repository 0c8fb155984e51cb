"""The plain-data border: values of learner code as JSON and back, bounded and checked.

Plain values are None, bool, int, float, str, numpy arrays, torch tensors and tuples, lists and
dicts of them. Nothing else crosses: no pickle, no object of a class of one's own. What arrives
from a learner's process is never believed: `decode` checks every field again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 16
MAX_TEXT = 100_000
MAX_INT = 2**63
DTYPES = frozenset(
    ["bool", "float16", "float32", "float64"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)

Encoded = Any


class ValueProblem(ValueError):
    """A value that cannot cross the border; its text says why, for the learner."""


@dataclass(frozen=True)
class Built:
    """An argument that is made where it is used: `course_utils.<factory>(**data)`.

    For arguments that are functions or models (beam search's `step`): data travels, code does not.
    """

    factory: str
    data: dict[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """Call the factory.

        Raises:
            ValueProblem: the factory is no public function of a module of this package.
        """
        import importlib

        module, _, name = self.factory.partition(".")
        if not (module.isidentifier() and name.isidentifier()) or name.startswith("_"):
            raise ValueProblem(f"no factory is called {self.factory!r}")
        return getattr(importlib.import_module(f"course_utils.{module}"), name)(**self.data)


def encode(value: Any) -> Encoded:
    """Turn a plain value into JSON data.

    Raises:
        ValueProblem: the value is not plain, or too large or too deep.
    """
    return _Encoder().encode(value, 0)


def decode(data: Encoded) -> Any:
    """Turn JSON data back into a fresh plain value, checking every part of it.

    Raises:
        ValueProblem: the data does not describe a plain value within the bounds.
    """
    return _Decoder().decode(data, 0)


class _Bounded:
    """Counts what a value holds, so that no value can be too large or too deep."""

    def __init__(self) -> None:
        self.elements = 0

    def count(self, elements: int, depth: int) -> None:
        self.expect_room(elements)
        self.elements += elements
        if depth > MAX_DEPTH:
            raise ValueProblem(f"the value is nested more than {MAX_DEPTH} levels deep")

    def expect_room(self, elements: int) -> None:
        """Refuse so many more parts, without a look at each."""
        if self.elements + elements > MAX_ELEMENTS:
            raise ValueProblem(f"the value holds more than {MAX_ELEMENTS:,} numbers")


class _Encoder(_Bounded):
    def encode(self, value: Any, depth: int) -> Encoded:
        self.count(1, depth)
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or type(value) is bool:
            return value
        if isinstance(value, (int, float, str)):
            return _encode_scalar(value)
        if isinstance(value, Built):
            return {"built": [value.factory, self.items(value.data, depth)]}
        if type(value) is np.ndarray:
            return self.array("array", value)
        if _is_tensor(value):
            return self.array("tensor", _tensor_to_numpy(value))
        return self.container(value, depth)

    def container(self, value: Any, depth: int) -> Encoded:
        if isinstance(value, (list, tuple)):
            self.expect_room(len(value))
            parts = [self.encode(part, depth + 1) for part in value]
            return parts if isinstance(value, list) else {"tuple": parts}
        if isinstance(value, dict):
            return {"dict": self.items(value, depth)}
        raise ValueProblem(f"a value of type {type(value).__name__} cannot be judged")

    def items(self, value: dict, depth: int) -> list:
        return [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()]

    def array(self, kind: str, array: np.ndarray) -> Encoded:
        dtype = array.dtype.name
        if dtype not in DTYPES:
            raise ValueProblem(f"an array of dtype {dtype} cannot be judged")
        self.count(array.size, 0)
        flat = array.ravel().tolist()
        if dtype.startswith("float") and not np.isfinite(array).all():
            flat = [_encode_scalar(number) for number in flat]
        return {kind: {"dtype": dtype, "shape": list(array.shape), "data": flat}}


def _encode_scalar(value: float | str) -> Encoded:
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise ValueProblem(f"a text of more than {MAX_TEXT:,} characters")
        return {"text": str(value)}
    if isinstance(value, int):
        if abs(value) >= MAX_INT:
            raise ValueProblem("a whole number beyond 64 bits")
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else {"float": repr(number)}


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _tensor_to_numpy(value: Any) -> np.ndarray:
    value = value.detach().cpu()
    if str(value.dtype) == "torch.bfloat16":
        value = value.float()
    try:
        return value.numpy()
    except (TypeError, RuntimeError) as problem:
        raise ValueProblem(f"a tensor of dtype {value.dtype} cannot be judged") from problem


class _Decoder(_Bounded):
    def decode(self, data: Encoded, depth: int) -> Any:
        self.count(1, depth)
        if data is None or isinstance(data, (bool, float)):
            return data
        if isinstance(data, int):
            return _checked_int(data)
        if isinstance(data, list):
            self.expect_room(len(data))
            return [self.decode(part, depth + 1) for part in data]
        if isinstance(data, dict) and len(data) == 1:
            ((kind, body),) = data.items()
            return self.tagged(kind, body, depth)
        raise ValueProblem("data that describes no plain value")

    def tagged(self, kind: str, body: Any, depth: int) -> Any:
        if kind == "text" and isinstance(body, str) and len(body) <= MAX_TEXT:
            return body
        if kind == "float" and body in ("nan", "inf", "-inf"):
            return float(body)
        if kind == "tuple" and isinstance(body, list):
            return tuple(self.decode(part, depth + 1) for part in body)
        if kind == "dict" and isinstance(body, list):
            return self.pairs(body, depth)
        if kind in ("array", "tensor") and isinstance(body, dict):
            return self.array(kind, body)
        if kind == "built" and isinstance(body, list) and len(body) == 2:
            return Built(str(body[0]), self.pairs(body[1], depth))
        raise ValueProblem("data that describes no plain value")

    def pairs(self, body: Iterable, depth: int) -> dict:
        result = {}
        for pair in body:
            if not (isinstance(pair, list) and len(pair) == 2):
                raise ValueProblem("data that describes no plain value")
            key = self.decode(pair[0], depth + 1)
            if not isinstance(key, (str, int, float, bool, tuple, type(None))):
                raise ValueProblem("a dict with keys that are no plain values")
            result[key] = self.decode(pair[1], depth + 1)
        return result

    def array(self, kind: str, body: dict) -> Any:
        dtype: Any = body.get("dtype")
        shape: Any = body.get("shape")
        flat: Any = body.get("data")
        _check_header(dtype, shape, flat)
        self.count(len(flat), 0)
        array = _filled(flat, dtype).reshape(shape)
        if kind == "array":
            return array
        import torch

        return torch.from_numpy(array)


def _check_header(dtype: Any, shape: Any, flat: Any) -> None:
    sound = isinstance(dtype, str) and dtype in DTYPES
    sound = sound and isinstance(shape, list) and len(shape) <= MAX_DEPTH
    sound = sound and all(type(side) is int and side >= 0 for side in shape)
    sound = sound and isinstance(flat, list) and math.prod(shape) == len(flat)
    if not sound:
        raise ValueProblem("an array whose dtype, shape and data do not fit together")


def _filled(flat: list, dtype: str) -> np.ndarray:
    """The flat list as an array; only numbers of the right kind are let in."""
    kinds: dict[str, set[type]] = {"b": {bool}, "i": {int}, "u": {int}, "f": {float, int}}
    if dict in map(type, flat):
        flat = [float(x["float"]) if _is_special(x) else x for x in flat]
    if not set(map(type, flat)) <= kinds[np.dtype(dtype).kind]:
        raise ValueProblem("an array whose data is not of its dtype")
    try:
        return np.array(flat, dtype=dtype)
    except (OverflowError, ValueError) as problem:
        raise ValueProblem("an array with numbers beyond its dtype") from problem


def _is_special(item: Any) -> bool:
    return isinstance(item, dict) and item.get("float") in ("nan", "inf", "-inf")


def _checked_int(number: int) -> int:
    if abs(number) >= MAX_INT:
        raise ValueProblem("a whole number beyond 64 bits")
    return number
