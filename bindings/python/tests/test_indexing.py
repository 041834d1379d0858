# bindings/python/tests/test_indexing.py -- reading and writing by every kind of index, against NumPy.
import operator
import pickle
import threading
import weakref

import gpuopt as gp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

VALUES = np.arange(24.0).reshape(2, 3, 4)
FULL = slice(None)
KEYS = [
    0,
    -1,
    (0, 1),
    (1, 2, 3),
    (),
    ...,
    None,
    (FULL, 1),
    (..., -1),
    (None, 0),
    (FULL, None, 1),
    (1, ..., None),
    slice(1, None),
    slice(None, None, -1),
    (FULL, slice(2, 0, -1)),
    (FULL, FULL, slice(None, None, 2)),
    slice(5, 9),
    [0, 1, 1],
    ([0, 1], [0, 2]),
    ([1, 0], FULL, [0, 3]),
    (FULL, [0, 1, 1]),
    ([0, 1], FULL, 1),
    (0, [1, 2], slice(None, None, -1)),
    (FULL, 1, [0, 2]),
    (FULL, [0], FULL),
    (..., [0, 3]),
    ([0], ..., [1]),
    (None, [1]),
    ([[0, 1], [1, 0]], [2]),
    [],
    [-1, -2],
    np.array([1, 0]),
    np.array([[0], [1]]),
    (np.array([[0], [1]]), np.array([0, 2])),
    (np.int64(1), np.uint8(2)),
    np.int32(-1),
    np.array(1),
    np.array([True, False]),
    (FULL, np.array([True, False, True])),
    VALUES > 5,
    (1, VALUES[0] > 5),
    (FULL, VALUES[0] > 5),
    (..., np.array([[0, 1], [2, 3]])),
    (1, [True, False, True], slice(1, 3)),
    [True, False],
    True,
    False,
    (FULL, True),
    (None, False),
    (np.array([True, False]), 0, [1, 2]),
    (np.zeros(2, bool),),
    (np.array([], int), 1),
    np.zeros((2, 0), bool),
    (FULL, np.zeros(0, bool)),
]


def translated(key):
    """The key with gpuopt's arrays in place of NumPy's."""
    if isinstance(key, tuple):
        return tuple(map(translated, key))
    return gp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_reading(key, same):
    x = gp.asarray(VALUES)
    same(x[key], VALUES[key])
    same(x[translated(key)], VALUES[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing(key, same):
    x, n = gp.asarray(VALUES), VALUES.copy()
    written = np.arange(float(np.size(VALUES[key]))).reshape(np.shape(VALUES[key])) + 100
    x[key], n[key] = gp.asarray(written), written
    same(x, n)
    x[translated(key)], n[key] = -1.5, -1.5
    same(x, n)
    x[key] += 2
    n[key] += 2
    same(x, n)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing_to_what_is_not_contiguous(key, same):
    whole, other = gp.zeros((4, 3, 4)), np.zeros((4, 3, 4))
    x, n = whole[::2][:, ::-1], other[::2][:, ::-1]
    x[...], n[...] = VALUES, VALUES
    x[key], n[key] = 50, 50
    same(whole, other)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_index_is_as_in_numpy(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    basic = hnp.basic_indices(shape, allow_newaxis=True)
    advanced = hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    key = data.draw(st.one_of(basic, advanced))
    n = np.arange(float(np.prod(shape))).reshape(shape)
    x = gp.asarray(n)
    np.testing.assert_array_equal(gp.asnumpy(x[key]), n[key])
    x[key], n[key] = -1, -1
    np.testing.assert_array_equal(gp.asnumpy(x), n)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_mask_is_as_in_numpy(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
    first = data.draw(st.integers(1, len(shape)))
    mask = data.draw(hnp.arrays(bool, shape[:first]))
    n = np.arange(float(np.prod(shape))).reshape(shape)
    x = gp.asarray(n)
    np.testing.assert_array_equal(gp.asnumpy(x[mask]), n[mask])
    x[mask], n[mask] = n[mask] * 2, n[mask] * 2
    np.testing.assert_array_equal(gp.asnumpy(x), n)


@pytest.mark.parametrize(
    "key",
    [
        2,
        -3,
        (0, 3),
        (0, 0, 0, 0),
        [0, 2],
        ([0], [5]),
        np.array([True]),
        (FULL, np.ones(2, bool)),
        1.5,
        "a",
        (..., ...),
        2**70,
    ],
    ids=str,
)
def test_wrong_indices(key):
    x = gp.asarray(VALUES)
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 0
    np.testing.assert_array_equal(gp.asnumpy(x), VALUES)


def test_words_of_errors():
    x = gp.ones(3)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        x[5]
    with pytest.raises(IndexError, match="too many indices for array: array is 1-dimensional, but 2 were indexed"):
        x[0, 0]
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        x[[0, 7]]
    words = (
        "boolean index did not match indexed array along axis 0; size of axis is 2 but size of corresponding boolean "
    )
    with pytest.raises(IndexError, match=words):
        gp.ones((2, 2))[gp.triu(gp.ones((3, 3), dtype=gp.bool_))]
    with pytest.raises(ValueError, match="step cannot be zero"):
        x[::0]
    with pytest.raises(ValueError):
        x[0:2] = gp.ones(3)
    with pytest.raises(ValueError):
        del x[0]


def test_iteration_and_length():
    x = gp.asarray(VALUES)
    assert len(x) == 2
    assert [float(row.sum()) for row in x] == [row.sum() for row in VALUES]
    first, second = gp.asarray([1, 2])
    assert (int(first), int(second)) == (1, 2)
    for wrong in (lambda: len(gp.ones(())), lambda: iter(gp.ones(()))):
        with pytest.raises(TypeError):
            wrong()


def test_views_share_memory():
    x = gp.arange(6.0)
    y = x[1:4]
    y[...] = 0
    assert x.tolist() == [0, 0, 0, 0, 4, 5]
    x[2] = 9
    assert y.tolist() == [0, 9, 0]


def test_elements_are_views_made_when_they_are_needed():
    x = gp.arange(5, dtype="float64")
    first, last, kept = x[0], x[-1], weakref.ref(x)
    assert (first.shape, last.shape, first.dtype, float(last)) == ((), (), np.float64, 4.0)
    x[0] = 7.0  # after x[0] was indexed, and before its view is made
    assert float(first) == 7.0
    first[...] = 8.0
    assert gp.asnumpy(x).tolist() == [8.0, 1.0, 2.0, 3.0, 4.0]
    last += 1.5
    assert gp.asnumpy(x).tolist() == [8.0, 1.0, 2.0, 3.0, 5.5]
    del x
    assert float(last + first) == 13.5
    assert kept() is not None  # an element keeps the array, as NumPy's views keep their base
    del first, last
    assert kept() is None


def test_elements_of_what_is_recorded_and_of_views():
    x, n = gp.arange(6), np.arange(6)
    sums, reference = (x * 3)[::-2], (n * 3)[::-2]
    elements = list(sums)
    sums += 1
    reference += 1
    assert [int(element) for element in elements] == reference.tolist()
    assert [bool(element > 8) for element in elements] == (reference > 8).tolist()
    fixed = gp.broadcast_to(gp.asarray(2.0), (3,))[1]
    with pytest.raises(ValueError, match="read-only"):
        fixed[...] = 3.0
    assert np.asarray(x[2]).__array_interface__["data"][0] == np.asarray(x).__array_interface__["data"][0] + 16
    assert pickle.loads(pickle.dumps(x[3])) == 3
    assert {1: "one"}[operator.index(x[1])] == "one"


@pytest.mark.parametrize("index", [5, -6, 2**62, -(2**62)])
def test_elements_out_of_range(index):
    with pytest.raises(IndexError, match=f"index {index} is out of bounds for axis 0 with size 5"):
        gp.arange(5)[index]


def test_threads_make_an_element_once():
    x = gp.arange(1000)
    elements = list(x)
    seen = [[] for _ in range(4)]

    def read(place):
        seen[place] = [int(element + 0) for element in elements]

    threads = [threading.Thread(target=read, args=(place,)) for place in range(len(seen))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [list(range(1000))] * len(seen)
