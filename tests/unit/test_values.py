"""The plain-data border: what crosses comes back equal; what is not plain is refused."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_utils.exercises.compare import Tolerance, compare
from course_utils.exercises.values import Built, ValueProblem, decode, encode

EXACT = Tolerance(0, 0)


def there_and_back(value):
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)))


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=True),
    st.text(max_size=20),
)
plain = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=5), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(plain)
def test_a_plain_value_comes_back_equal_and_of_the_same_types(value):
    assert compare(value, there_and_back(value), EXACT) is None


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.array([np.nan, np.inf, -np.inf, 0.1]),
        np.array([], dtype=np.float32),
        np.array(3.5),
        np.array([True, False]),
        np.array([1.5, 2.5], dtype=np.float16),
        np.arange(12).reshape(3, 4).T,
    ],
)
def test_an_array_keeps_shape_dtype_and_numbers(array):
    back = there_and_back(array)
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_a_tensor_comes_back_as_a_tensor_without_its_graph():
    back = there_and_back(torch.ones(2, 3, requires_grad=True) * 2)
    assert torch.equal(back, torch.full((2, 3), 2.0))
    assert not back.requires_grad


def test_numpy_scalars_count_as_python_scalars():
    assert type(there_and_back(np.float64(0.5))) is float
    assert type(there_and_back(np.int64(3))) is int
    assert there_and_back(np.bool_(True)) is True


def test_what_comes_back_shares_no_memory():
    array = np.zeros(3)
    encoded = encode(array)
    decode(encoded)[0] = 7
    assert decode(encoded)[0] == 0


class Liar(np.ndarray):
    def __eq__(self, other):
        return True


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        lambda: None,
        np.zeros(3).view(Liar),
        np.array([object()]),
        np.array([1j]),
        2**70,
        "x" * 200_000,
        np.zeros(1_100_000),
        iter([1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_plain_or_too_large_is_refused(value):
    with pytest.raises(ValueProblem):
        encode(value)


def test_a_list_that_holds_itself_is_refused():
    loop: list = []
    loop.append(loop)
    with pytest.raises(ValueProblem, match="deep"):
        encode(loop)


@pytest.mark.parametrize(
    "data",
    [
        {"array": {"dtype": "float64", "shape": [2], "data": [1.0]}},
        {"array": {"dtype": "object", "shape": [1], "data": [1.0]}},
        {"array": {"dtype": "float64", "shape": [-1], "data": []}},
        {"array": {"dtype": "float64", "shape": [1], "data": ["1"]}},
        {"array": {"dtype": "int64", "shape": [1], "data": [1.5]}},
        {"array": {"dtype": "int8", "shape": [1], "data": [1000]}},
        {"array": {"dtype": "int64", "shape": [True], "data": [1]}},
        {"array": 3},
        {"float": "1e5"},
        {"dict": [[1]]},
        {"dict": [[[1], 2]]},
        {"dict": 4},
        {"text": 5},
        {"pickle": "gASV"},
        {"text": "a", "float": "nan"},
        2**80,
        "a bare string",
    ],
    ids=str,
)
def test_forged_data_is_refused(data):
    with pytest.raises(ValueProblem):
        decode(data)


def test_deep_forged_data_is_refused():
    data: list = []
    for _ in range(50):
        data = [data]
    with pytest.raises(ValueProblem):
        decode(data)


@pytest.mark.parametrize("factory", ["os.system", "seq2seq._private", "a.b.c", "", "plots.x;y"])
def test_only_a_public_function_of_this_package_can_be_a_factory(factory):
    with pytest.raises((ValueProblem, ModuleNotFoundError, AttributeError)):
        Built(factory, {}).make()
