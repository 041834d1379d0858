# bindings/python/tests/test_random.py -- RandomState draws NumPy's bits; the generator keeps to its distributions.
import gpuopt as gp
import numpy as np
import pytest


def test_random_state_is_numpy_s(same):
    for seed in (0, 1, 12345, [1, 2, 3]):
        ours, theirs = gp.random.RandomState(seed), np.random.RandomState(seed)
        same(ours.random_sample((3, 2)), theirs.random_sample((3, 2)))
        same(ours.rand(2, 3), theirs.rand(2, 3))
        same(ours.normal(1.0, 2.0, 5), theirs.normal(1.0, 2.0, 5))
        same(ours.randn(4), theirs.randn(4))
        same(ours.uniform(-1, 1, (2, 2)), theirs.uniform(-1, 1, (2, 2)))
        same(ours.randint(0, 10, 20), theirs.randint(0, 10, 20))
        same(ours.randint(5, size=3, dtype="int8"), theirs.randint(5, size=3, dtype="int8"))
        same(ours.choice([1.0, 2.0, 3.0], 10), theirs.choice([1.0, 2.0, 3.0], 10))
        same(ours.choice(5, 3, False), theirs.choice(5, 3, False))
        same(ours.choice(3, 10, p=[0.2, 0.3, 0.5]), theirs.choice(3, 10, p=[0.2, 0.3, 0.5]))
        same(ours.permutation(10), theirs.permutation(10))
        shuffled, expected = gp.arange(10), np.arange(10)
        ours.shuffle(shuffled)
        theirs.shuffle(expected)
        same(shuffled, expected)
        assert ours.random_sample().shape == ()


def test_functions_of_the_module(same):
    gp.random.seed(3)
    expected = np.random.RandomState(3)
    same(gp.random.rand(3, 3), expected.rand(3, 3))
    same(gp.random.normal(0, 1, (3, 3)), expected.normal(0, 1, (3, 3)))
    same(gp.random.randint(0, 5, 4), expected.randint(0, 5, 4))
    with pytest.raises(AttributeError):
        gp.random.nonsense()


def test_generator():
    a, b = gp.random.default_rng(7), gp.random.default_rng(7)
    x = a.random((1000,))
    assert (x == b.random(1000)).all() and x.dtype == np.float64
    assert 0 <= float(x.min()) and float(x.max()) < 1 and abs(float(x.mean()) - 0.5) < 0.05
    assert a.random(3, "float32").dtype == np.float32
    assert abs(float(a.normal(3, 1, 5000).mean()) - 3) < 0.1
    assert abs(float(a.exponential(2, 5000).mean()) - 2) < 0.2
    drawn = a.integers(1, 6, 1000, endpoint=True)
    assert set(drawn.tolist()) == {1, 2, 3, 4, 5, 6}
    assert sorted(a.permutation(50).tolist()) == list(range(50))
    assert set(a.choice([5, 7], 100).tolist()) == {5, 7}
    assert gp.random.default_rng(a) is a


def test_wrong_arguments():
    for wrong in (
        lambda: gp.random.RandomState(-1),
        lambda: gp.random.RandomState(2**32),
        lambda: gp.random.RandomState(1).normal(0, -1),
        lambda: gp.random.RandomState(1).randint(5, 2),
        lambda: gp.random.RandomState(1).choice([1, 2], 3, replace=False),
    ):
        with pytest.raises(ValueError):
            wrong()
