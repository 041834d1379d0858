# bindings/python/tests/test_indexing.py -- reading and writing by every kind of index, against NumPy.
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
