# bench/layout_cases.py -- cases of array_compare.py whose speed depends on layouts, shapes, types and sizes
"""Transposes and strides, short and long axes, narrow types, scans, indices in no order, constant exponents, chains of
operations, and the same operation on 1 to 1e8 elements. Numba's functions are plain loops, as its users write them."""
import numpy as np


def exact(got, want):
    """Compares without tolerance."""
    np.testing.assert_array_equal(got, want)


def near(relative):
    """Returns a comparison with an error relative to each element."""
    return lambda got, want: np.testing.assert_allclose(got, want, rtol=relative, atol=0)


def transposes(rng, lib):
    """Reads across the rows of a matrix."""
    x = rng.standard_normal((4096, 4096))
    yield lib.Case("copy of a transpose f64 4096", [x], same=exact, gpuopt=lambda x: lib.gp.copy(x.T),
                   numpy=lambda x: x.T.copy(), torch=lambda x: x.T.contiguous(), jax=lambda x: x.T.copy(),
                   mlx=lambda x: lib.mx.contiguous(x.T), numba=lib.loops("transpose"))
    yield lib.Case("x + x.T f64 4096", [x], same=exact, gpuopt=lambda x: x + x.T, numpy=lambda x: x + x.T,
                   torch=lambda x: x + x.T, jax=lambda x: x + x.T, mlx=lambda x: x + x.T,
                   numba=lib.loops("add_transpose"))
    y = rng.standard_normal(10**7)
    yield lib.Case("x[::2] * 3 f64 1e7", [y], same=exact, gpuopt=lambda x: x[::2] * 3, numpy=lambda x: x[::2] * 3,
                   torch=lambda x: x[::2] * 3, jax=lambda x: x[::2] * 3, mlx=lambda x: x[::2] * 3,
                   numba=lib.loops("every_second"))
    yield lib.Case("x[::-1] + 1 f64 1e7", [y], same=exact, gpuopt=lambda x: x[::-1] + 1, numpy=lambda x: x[::-1] + 1,
                   jax=lambda x: x[::-1] + 1, mlx=lambda x: x[::-1] + 1)


def axes(rng, lib):
    """Reduces along short axes, across rows, and with operations other than sums."""
    narrow, wide = rng.random((10**7, 3)), rng.random((3, 10**7))
    square, single = rng.random((4096, 4096)), rng.random((4096, 4096)).astype(np.float32)
    close = near(1e-10)
    yield lib.Case("sum over axis 1 of 1e7 x 3 f64", [narrow], same=close, gpuopt=lambda x: lib.gp.sum(x, axis=1),
                   numpy=lambda x: x.sum(axis=1), torch=lambda x: x.sum(dim=1), jax=lambda x: x.sum(axis=1),
                   mlx=lambda x: x.sum(axis=1), numba=lib.loops("sum_rows"))
    yield lib.Case("rows of 1e7 x 3 f64 divided by their sums", [narrow], same=close,
                   gpuopt=lambda x: x / lib.gp.sum(x, axis=1, keepdims=True),
                   numpy=lambda x: x / x.sum(axis=1, keepdims=True), torch=lambda x: x / x.sum(dim=1, keepdim=True),
                   jax=lambda x: x / x.sum(axis=1, keepdims=True),
                   mlx=lambda x: x / x.sum(axis=1, keepdims=True), numba=lib.loops("divide_rows"))
    yield lib.Case("sum over axis 0 of 3 x 1e7 f64", [wide], same=close, gpuopt=lambda x: lib.gp.sum(x, axis=0),
                   numpy=lambda x: x.sum(axis=0), torch=lambda x: x.sum(dim=0), jax=lambda x: x.sum(axis=0),
                   mlx=lambda x: x.sum(axis=0))
    for name, x in (("f64", square), ("f32", single)):
        yield lib.Case(f"max over axis 0 of 4096 x 4096 {name}", [x], same=exact,
                       gpuopt=lambda x: lib.gp.max(x, axis=0), numpy=lambda x: x.max(axis=0),
                       torch=lambda x: x.amax(dim=0), jax=lambda x: x.max(axis=0), mlx=lambda x: x.max(axis=0))
    yield lib.Case("argmax over axis 1 of 4096 x 4096 f32", [single], same=exact,
                   gpuopt=lambda x: lib.gp.argmax(x, axis=1), numpy=lambda x: x.argmax(axis=1),
                   torch=lambda x: x.argmax(dim=1), jax=lambda x: x.argmax(axis=1),
                   mlx=lambda x: lib.mx.argmax(x, axis=1))
    yield lib.Case("min and max f64 4096 x 4096", [square], same=exact,
                   gpuopt=lambda x: [lib.gp.min(x), lib.gp.max(x)], numpy=lambda x: [x.min(), x.max()],
                   torch=lambda x: lib.torch.aminmax(x), jax=lambda x: [x.min(), x.max()],
                   mlx=lambda x: [x.min(), x.max()])
    yield lib.Case("nansum f64 4096 x 4096", [square], same=close, gpuopt=lambda x: lib.gp.nansum(x),
                   numpy=np.nansum, torch=lambda x: x.nansum(), jax=lambda x: lib.jnp.nansum(x),
                   mlx=lambda x: lib.mx.where(lib.mx.isnan(x), 0.0, x).sum())
    yield lib.Case("var f64 4096 x 4096", [square], same=close, gpuopt=lambda x: lib.gp.var(x), numpy=np.var,
                   torch=lambda x: x.var(correction=0), jax=lambda x: x.var(), mlx=lambda x: x.var())
    yield lib.Case("root of a sum of squares f64 4096 x 4096", [square], same=close,
                   gpuopt=lambda x: lib.gp.sqrt(lib.gp.sum(x * x)), numpy=lambda x: np.sqrt(np.sum(x * x)),
                   torch=lambda x: lib.torch.sqrt(lib.torch.sum(x * x)),
                   jax=lambda x: lib.jnp.sqrt(lib.jnp.sum(x * x)), mlx=lambda x: lib.mx.sqrt(lib.mx.sum(x * x)),
                   numba=lib.loops("length"))


def narrow_types(rng, lib):
    """Bools and half precision."""
    mask, nothing = rng.random(10**7) < 0.5, np.zeros(10**7, bool)
    half = rng.random(10**7).astype(np.float16)
    yield lib.Case("sum bool 1e7", [mask], same=exact, gpuopt=lambda x: lib.gp.sum(x), numpy=np.sum,
                   torch=lambda x: x.sum(), jax=lambda x: x.sum(), mlx=lambda x: x.sum())
    yield lib.Case("any bool 1e7, none", [nothing], same=exact, gpuopt=lambda x: lib.gp.any(x), numpy=np.any,
                   torch=lambda x: x.any(), jax=lambda x: x.any(), mlx=lambda x: x.any())
    yield lib.Case("max float16 1e7", [half], same=exact, gpuopt=lambda x: lib.gp.max(x), numpy=np.max,
                   torch=lambda x: x.amax(), jax=lambda x: x.max(), mlx=lambda x: x.max())
    yield lib.Case("sum float16 1e7 in float32", [half], same=near(1e-4),
                   gpuopt=lambda x: lib.gp.sum(x, dtype=lib.gp.float32), numpy=lambda x: np.sum(x, dtype=np.float32),
                   torch=lambda x: x.sum(dtype=lib.torch.float32), jax=lambda x: x.sum(dtype=lib.jnp.float32),
                   mlx=lambda x: x.astype(lib.mx.float32).sum())
    yield lib.Case("float16 1e7 to float32", [half], same=exact, gpuopt=lambda x: x.astype(lib.gp.float32),
                   numpy=lambda x: x.astype(np.float32), torch=lambda x: x.float(),
                   jax=lambda x: x.astype(lib.jnp.float32), mlx=lambda x: x.astype(lib.mx.float32))


def scans_and_indices(rng, lib):
    """Running sums; reads and writes in no order."""
    x, index = rng.random(10**7), rng.permutation(10**7)
    values = rng.random(10**7)
    for name, y, close in (("f64", x, near(1e-10)), ("f32", x.astype(np.float32), near(1e-2))):
        yield lib.Case(f"cumsum {name} 1e7", [y], same=close, gpuopt=lambda x: lib.gp.cumulative_sum(x),
                       numpy=np.cumsum, torch=lambda x: x.cumsum(0), jax=lambda x: x.cumsum(),
                       mlx=lambda x: lib.mx.cumsum(x), numba=lib.loops("running_sum"))
    yield lib.Case("take f64 1e7, in no order", [x, index], same=exact, gpuopt=lambda x, i: lib.gp.take(x, i),
                   numpy=np.take, torch=lambda x, i: lib.torch.take(x, i), jax=lambda x, i: lib.jnp.take(x, i),
                   mlx=lambda x, i: lib.mx.take(x, i), numba=lib.loops("gather"))

    def put(module):
        def write(x, i, y):
            x[i] = y
            return x
        return write if module is not None else None
    yield lib.Case("x[i] = y f64 1e7, in no order", [x, index, values], same=exact, gpuopt=put(lib.gp), numpy=put(np),
                   torch=put(lib.torch), jax=lambda x, i, y: x.at[i].set(y), mlx=put(lib.mx))
    yield lib.Case("where(x > 0.5, x, y) f64 1e7", [x, values], same=exact,
                   gpuopt=lambda x, y: lib.gp.where(x > 0.5, x, y), numpy=lambda x, y: np.where(x > 0.5, x, y),
                   torch=lambda x, y: lib.torch.where(x > 0.5, x, y), jax=lambda x, y: lib.jnp.where(x > 0.5, x, y),
                   mlx=lambda x, y: lib.mx.where(x > 0.5, x, y))


def powers_and_chains(rng, lib):
    """Constant exponents, and many operations on the same elements."""
    x, y = rng.random(10**7) + 0.5, rng.random(10**7)
    for text, power in (("2", 2), ("3", 3), ("0.5", 0.5), ("-1", -1.0)):
        yield lib.Case(f"x ** {text} f64 1e7", [x], same=near(1e-14), gpuopt=lambda x, p=power: x ** p,
                       numpy=lambda x, p=power: x ** p, torch=lambda x, p=power: x ** p, jax=lambda x, p=power: x ** p,
                       mlx=lambda x, p=power: x ** p)
    yield lib.Case("x ** y f64 1e7", [x, y], same=near(1e-14), gpuopt=lambda x, y: x ** y, numpy=lambda x, y: x ** y,
                   torch=lambda x, y: x ** y, jax=lambda x, y: x ** y, mlx=lambda x, y: x ** y,
                   numba=lib.loops("powers"))
    yield lib.Case("mean((x - y) * (x - y)) f64 1e7", [x, y], same=near(1e-10),
                   gpuopt=lambda x, y: lib.gp.mean((x - y) * (x - y)), numpy=lambda x, y: np.mean((x - y) * (x - y)),
                   torch=lambda x, y: ((x - y) * (x - y)).mean(), jax=lambda x, y: ((x - y) * (x - y)).mean(),
                   mlx=lambda x, y: ((x - y) * (x - y)).mean(), numba=lib.loops("mean_square"))

    def chain(x):
        for _ in range(32):
            x = x * 0.75 + 0.25
        return x
    yield lib.Case("64 operations f64 1e7", [x], same=near(1e-14), gpuopt=chain, numpy=chain, torch=chain, jax=chain,
                   mlx=chain, numba=lib.loops("chain"))
    yield lib.Case("ones f64 1e7", [], same=exact, gpuopt=lambda: lib.gp.ones(10**7), numpy=lambda: np.ones(10**7),
                   torch=lambda: lib.torch.ones(10**7, dtype=lib.torch.float64), jax=lambda: lib.jnp.ones(10**7),
                   mlx=lambda: lib.mx.ones(10**7, dtype=lib.mx.float64))


def sizes(rng, lib):
    """The same operations on few and on many elements."""
    for text in ("1", "100", "1e4", "1e6", "1e8"):
        x = rng.random(int(float(text)))
        yield lib.Case(f"x + x f64 {text}", [x], same=exact, gpuopt=lambda x: x + x, numpy=lambda x: x + x,
                       torch=lambda x: x + x, jax=lambda x: x + x, mlx=lambda x: x + x)
        yield lib.Case(f"sin(x) f64 {text}", [x], same=near(1e-13), gpuopt=lambda x: lib.gp.sin(x), numpy=np.sin,
                       torch=lambda x: lib.torch.sin(x), jax=lambda x: lib.jnp.sin(x))
        yield lib.Case(f"total of x f64 {text}", [x], same=near(1e-9), gpuopt=lambda x: lib.gp.sum(x), numpy=np.sum,
                       torch=lambda x: x.sum(), jax=lambda x: x.sum(), mlx=lambda x: x.sum())


GROUPS = (transposes, axes, narrow_types, scans_and_indices, powers_and_chains, sizes)
