# bindings/python/tests/test_random.py -- RandomState draws NumPy's bits; the generator keeps to its distributions.
import copy
import pickle

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


def test_distributions_are_numpy_s(same):
    for ours, theirs in (
        (gp.random.RandomState(5), np.random.RandomState(5)),
        (gp.random.default_rng(5), np.random.default_rng(5)),
        (gp.random.default_rng([1, 2**40]), np.random.default_rng([1, 2**40])),
    ):
        for name, parameters in (
            ("beta", (2, 0.5)),
            ("binomial", (100, 0.4)),
            ("standard_cauchy", ()),
            ("gamma", ([0.5, 2.0, 3.0], 2)),
            ("hypergeometric", (30, 40, 20)),
            ("vonmises", (1.0, 2.0)),
            ("uniform", (-1, [1.0, 2.0, 3.0])),
            ("normal", (0.0, 2.0)),
            ("exponential", (2,)),
            ("zipf", (2.5,)),
        ):
            same(getattr(ours, name)(*parameters, size=(2, 3)), getattr(theirs, name)(*parameters, size=(2, 3)))
        same(ours.poisson([1.0, 20.0]), theirs.poisson([1.0, 20.0]))
        same(ours.multinomial(9, [0.25, 0.75], 3), theirs.multinomial(9, [0.25, 0.75], 3))
        same(ours.dirichlet([1.0, 2.0], 3), theirs.dirichlet([1.0, 2.0], 3))
        same(ours.permutation(9), theirs.permutation(9))
        assert ours.bytes(7) == theirs.bytes(7)


def test_pcg64_is_numpy_s(same):
    ours, theirs = gp.random.default_rng(5), np.random.default_rng(5)
    same(ours.random((2, 3)), theirs.random((2, 3)))
    same(ours.random(3, "float32"), theirs.random(3, "float32"))
    same(ours.standard_normal(3, "float32"), theirs.standard_normal(3, "float32"))
    same(ours.standard_exponential(3, method="inv"), theirs.standard_exponential(3, method="inv"))
    same(ours.integers(0, 9, 5, "int8"), theirs.integers(0, 9, 5, "int8"))
    same(ours.choice(100, 5, replace=False), theirs.choice(100, 5, replace=False))
    same(ours.multivariate_hypergeometric([3, 4], 5), theirs.multivariate_hypergeometric([3, 4], 5))
    x = np.arange(12).reshape(3, 4)
    same(ours.permuted(gp.asarray(x), axis=1), theirs.permuted(x, axis=1))
    assert ours.bit_generator.state == theirs.bit_generator.state
    same(ours.spawn(2)[1].random(3), theirs.spawn(2)[1].random(3))
    jumped = gp.random.Generator(gp.random.PCG64(3).jumped())
    same(jumped.random(3), np.random.Generator(np.random.PCG64(3).jumped()).random(3))
    seeds = gp.random.SeedSequence(9), np.random.SeedSequence(9)
    seeds = [seed.spawn(1)[0] for seed in seeds]
    same(gp.random.default_rng(seeds[0]).random(2), np.random.default_rng(seeds[1]).random(2))


def test_states_go_out_and_in(same):
    ours, theirs = gp.random.RandomState(1), np.random.RandomState(2)
    theirs.standard_normal(3)
    ours.set_state(theirs.get_state())
    same(ours.standard_normal(3), theirs.standard_normal(3))
    assert ours.get_state()[1] == theirs.get_state()[1].tolist()


def test_generator():
    a, b = gp.random.Generator(gp.random.Philox(7)), gp.random.Generator(7)
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


def test_older_names():
    gp.random.seed(3)
    drawn = [gp.random.ranf(4), gp.random.sample(4)]
    expected = np.random.RandomState(3)
    np.testing.assert_array_equal(np.concatenate(list(map(gp.asnumpy, drawn))), expected.random_sample(8))
    with pytest.warns(DeprecationWarning):
        found = gp.random.RandomState(5).random_integers(2, 9, 20)
    np.testing.assert_array_equal(gp.asnumpy(found), np.random.RandomState(5).randint(2, 10, 20))


def test_generators_are_pickled_and_copied(same):
    for make in (gp.random.RandomState, gp.random.default_rng):
        ours, theirs = make(7), getattr(np.random, make.__name__)(7)
        for generator in (ours, theirs):
            generator.standard_normal(3)  # RandomState keeps one for the next time
            getattr(generator, "integers", getattr(generator, "randint", None))(5, dtype="int32")
        for copied in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
            expected = copy.deepcopy(theirs)
            same(copied.standard_normal(4), expected.standard_normal(4))
            same(copied.uniform(size=2), expected.uniform(size=2))
        same(ours.standard_normal(4), theirs.standard_normal(4))
    child = pickle.loads(pickle.dumps(gp.random.default_rng(7))).spawn(1)[0]
    same(child.random(2), np.random.default_rng(7).spawn(1)[0].random(2))


def test_shuffles_are_in_place():
    rows = np.arange(12).reshape(4, 3)
    for make in (gp.random.RandomState, gp.random.default_rng):
        for given in (list(range(9)), np.arange(9), rows, rows[:, ::-1]):
            ours, theirs = copy.copy(given), copy.copy(given)
            make(7).shuffle(ours)
            getattr(np.random, make.__name__)(7).shuffle(theirs)
            np.testing.assert_array_equal(ours, theirs)
    for ours in (gp.asarray(rows), rows.copy()):
        gp.random.default_rng(7).shuffle(ours, axis=1)
        theirs = rows.copy()
        np.random.default_rng(7).shuffle(theirs, axis=1)
        np.testing.assert_array_equal(gp.asnumpy(ours), theirs)


def test_draws_into_arrays():
    names = ("random", "standard_normal", "standard_exponential", "standard_gamma")
    for name, before in zip(names, ((), (), (), (2,))):
        for dtype in ("float64", "float32"):
            ours, theirs = gp.zeros((2, 3), dtype=dtype), np.zeros((2, 3), dtype)
            assert getattr(gp.random.default_rng(3), name)(*before, dtype=dtype, out=ours) is ours
            getattr(np.random.default_rng(3), name)(*before, dtype=dtype, out=theirs)
            np.testing.assert_array_equal(gp.asnumpy(ours), theirs)
    with pytest.raises(ValueError, match="size must match"):
        gp.random.default_rng(3).random(4, out=gp.zeros(3))
    with pytest.raises(TypeError, match="wrong type"):
        gp.random.default_rng(3).random(dtype="float32", out=gp.zeros(3))


def test_seeds_of_several_numbers(same):
    words = np.array([5, 2**32 - 1])
    same(gp.random.RandomState(words).rand(2), np.random.RandomState(words).rand(2))
    state = gp.random.RandomState(1)
    state.seed([3, 4])
    same(state.rand(2), np.random.RandomState([3, 4]).rand(2))
    with pytest.raises(ValueError, match="Seed must be"):
        gp.random.RandomState([2**32])
