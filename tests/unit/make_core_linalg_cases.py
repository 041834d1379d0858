#!/usr/bin/env python3
# tests/unit/make_core_linalg_cases.py -- writes core_linalg_cases.h: what NumPy and SciPy answer to the functions of
# linear algebra, or that they refuse operands. Run it with NumPy 2 and SciPy.
#
# Element k, in C order, of operand j is (k*k + 7*k + 13*j + 1) % 23 / 4 - 2.75, plus 4 where it is on the diagonal of a
# matrix of float and complex dtypes; complex elements have (k*k + 3*k + 5*j) % 19 / 4 - 2 as their imaginary part.
# Integers are four times that, without fractions. A case is
#   function | options | operands | results
# where an operand is a dtype and a shape, with "h" in front if x becomes x + x^H + 16 I first, with "s" if the last row
# of each matrix becomes the first (a singular one), and a result a dtype, a shape and "=" before the elements;
# "refused" stands for an error, "singular" for LinAlgError of a matrix without an answer.
import warnings
from pathlib import Path

import numpy as np
import scipy.linalg

REAL = ["float32", "float64"]
DTYPES = REAL + ["complex64", "complex128"]
SINGULAR = ("Singular", "not positive definite", "did not converge", "singular")
cases = []


def operand(j, of):
    kind, of = (of[0], of[1:]) if of[0] in ("h", "s") else ("", of)
    dtype, *shape = of
    k = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
    x = (k * k + 7 * k + 13 * j + 1) % 23 / 4 - 2.75
    if dtype.startswith("c"):
        x = x + 1j * ((k * k + 3 * k + 5 * j) % 19 / 4 - 2)
    x = x.reshape(shape)
    if dtype[0] not in "fc":
        return np.trunc(4 * x).astype(dtype)
    if len(shape) > 1:
        x = x + 4 * np.eye(shape[-2], shape[-1])
    if kind == "h":
        x = x + np.conj(np.swapaxes(x, -1, -2)) + 16 * np.eye(shape[-1])
    if kind == "s":
        x[..., -1, :] = x[..., 0, :]
    return x.astype(dtype)


def number(x):
    digits = 9 if x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1) == 4 else 17
    if x.dtype.kind == "c":
        return f"{x.real:.{digits}g} {x.imag:.{digits}g}"
    return f"{x:.{digits}g}" if x.dtype.kind == "f" else str(int(x))


def written(answer):
    answer = np.asarray(answer)
    form = " ".join(map(str, (answer.dtype.name, *answer.shape)))
    return f"{form} = {' '.join(map(number, answer.ravel()))}".rstrip()


def add(name, function, *operands, **options):
    """A case: `function` gets the arrays and the options."""
    texts = [" ".join(map(str, of)) for of in operands]
    given = " ".join(f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
                     for key, value in options.items())
    arrays = [operand(j, of) for j, of in enumerate(operands)]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            answers = function(*arrays, **options)
        answers = answers if isinstance(answers, tuple) else (answers,)
        text = ", ".join(map(written, answers))
    except np.linalg.LinAlgError as e:
        text = "singular" if any(word in str(e) for word in SINGULAR) else "refused"
    except (ValueError, TypeError, IndexError):
        text = "refused"
    cases.append(f"{name} | {given} | {', '.join(texts)} | {text}")


def lstsq(a, b, rcond=-1.0):
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond if rcond >= 0 else None)
    return x, residuals, np.int64(rank), s


def each_solve(a, b, call):
    """SciPy's solvers, whose right sides are those of numpy.linalg.solve, for stacks."""
    if b.ndim == 1:
        return each_solve(a, b[:, None], call)[..., 0]
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.zeros((*shape, *b.shape[-2:]), np.result_type(a, b))
    a, b = np.broadcast_to(a, shape + a.shape[-2:]), np.broadcast_to(b, shape + b.shape[-2:])
    for at in np.ndindex(shape):
        x[at] = call(a[at], b[at])
    return x


def solve_triangular(a, b, lower, unit, trans):
    return each_solve(a, b, lambda a, b: scipy.linalg.solve_triangular(
        a, b, trans=trans, lower=bool(lower), unit_diagonal=bool(unit)))


def lu_solve(a, b, trans):
    return each_solve(a, b, lambda a, b: scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans))


def lu_factor(a):
    lu, pivots = scipy.linalg.lu_factor(a)
    return lu, pivots.astype(np.int64)


def positive_qr(a, mode):
    return tuple(np.linalg.qr(a, mode="complete" if mode else "reduced"))


def norm(a, ord, keepdims):
    return np.linalg.matrix_norm(a, ord="nuc" if ord == 1e300 else "fro" if ord == 0 else ord, keepdims=bool(keepdims))


SQUARE = [(1, 1), (2, 2), (3, 3), (5, 5), (2, 3, 3), (0, 0), (0, 2, 2), (2, 0, 0)]
ANY = [(1, 1), (3, 3), (5, 2), (2, 5), (2, 3, 2), (3, 0), (0, 3), (0, 2, 3)]


def factorizations():
    for dtype in DTYPES + ["int64"]:
        for shape in SQUARE if dtype == "float64" else SQUARE[2:5]:
            if dtype != "int64":
                for upper in (0, 1):
                    add("cholesky", lambda x, upper: np.linalg.cholesky(x, upper=bool(upper)), ("h", dtype, *shape),
                        upper=upper)
            add("inv", np.linalg.inv, (dtype, *shape))
            add("det", np.linalg.det, (dtype, *shape))
            add("slogdet", lambda x: tuple(np.linalg.slogdet(x)), (dtype, *shape))
        for shape in ANY if dtype == "float64" else ANY[1:5]:
            add("qr", positive_qr, (dtype, *shape), mode=0)
            add("qr", positive_qr, (dtype, *shape), mode=1)
            if 0 not in shape:  # for which SciPy's permutations have other shapes
                add("lu", scipy.linalg.lu, (dtype, *shape))
    for shape in [(3, 3), (4, 4)]:
        add("lu_factor", lu_factor, ("float64", *shape))
        add("cholesky", lambda x, upper: np.linalg.cholesky(x), ("s", "float64", *shape), upper=0)
        add("inv", np.linalg.inv, ("s", "float64", *shape))
        add("slogdet", lambda x: tuple(np.linalg.slogdet(x)), ("s", "complex128", *shape))
    for name in ("inv", "det", "cholesky"):
        call = (lambda x, upper: np.linalg.cholesky(x)) if name == "cholesky" else getattr(np.linalg, name)
        for of in [("float64", 3), ("float64", 2, 3), ("float16", 2, 2)]:
            add(name, call, of, **({"upper": 0} if name == "cholesky" else {}))


def systems():
    for dtype in DTYPES:
        for a, b in [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1))]:
            add("solve", np.linalg.solve, (dtype, *a), (dtype, *b))
        for trans in (0, 1, 2):
            add("lu_solve", lu_solve, (dtype, 4, 4), (dtype, 4, 2), trans=trans)
            for lower in (0, 1):
                add("solve_triangular", solve_triangular, (dtype, 4, 4), (dtype, 4), lower=lower, unit=0, trans=trans)
                add("solve_triangular", solve_triangular, (dtype, 2, 3, 3), (dtype, 3, 2), lower=lower, unit=1,
                    trans=trans)
    for a, b in [((2, 2), (3,)), ((2, 3), (2,)), ((2, 2), ()), ((2,), (2,)), ((0, 0), (0,)), ((0, 0), (0, 3)),
                 ((2, 2), (2, 0)), ((2, 2, 2), (3, 2, 1)), ((3, 1, 2, 2), (2, 2, 1))]:
        add("solve", np.linalg.solve, ("float64", *a), ("float64", *b))
    add("solve", np.linalg.solve, ("s", "float64", 3, 3), ("float64", 3))
    add("solve", np.linalg.solve, ("int32", 3, 3), ("int8", 3))
    add("solve", np.linalg.solve, ("float32", 3, 3), ("complex64", 3))
    add("solve", np.linalg.solve, ("float32", 3, 3), ("int64", 3))
    for dtype in DTYPES:
        for a, b in [((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 5), (3, 2)), ((4, 4), (4,))]:
            add("lstsq", lstsq, (dtype, *a), (dtype, *b))
        add("lstsq", lstsq, (dtype, 6, 4), (dtype, 6, 2), rcond=0.4)
        for shape in [(3, 3), (5, 2), (2, 4), (2, 3, 2)]:
            add("pinv", lambda x: np.linalg.pinv(x, rtol=None), (dtype, *shape))
    add("lstsq", lstsq, ("float64", 4, 4), ("float64", 3))
    add("lstsq", lstsq, ("float64", 4, 0), ("float64", 4, 2))
    add("lstsq", lstsq, ("float64", 2, 2, 2), ("float64", 2))
    add("pinv", lambda x: np.linalg.pinv(x, rtol=None), ("float64", 2, 0))
    add("tensorsolve", lambda a, b: np.linalg.tensorsolve(a, b), ("float64", 2, 3, 6), ("float64", 2, 3))
    add("tensorsolve", lambda a, b, axes: np.linalg.tensorsolve(a, b, axes), ("float64", 6, 2, 3), ("float64", 2, 3),
        axes=(0,))
    add("tensorsolve", lambda a, b: np.linalg.tensorsolve(a, b), ("float64", 2, 3, 5), ("float64", 2, 3))
    for ind in (2, 1, 0, -1):
        add("tensorinv", lambda a, ind: np.linalg.tensorinv(a, ind), ("float64", 2, 3, 6), ind=ind)


def spectral():
    for dtype in DTYPES + ["int64"]:
        for shape in SQUARE if dtype == "float64" else SQUARE[1:5]:
            for upper in (0, 1):
                add("eigvalsh", lambda x, upper: np.linalg.eigvalsh(x, "U" if upper else "L"), (dtype, *shape),
                    upper=upper)
        for shape in ANY if dtype == "float64" else ANY[1:5]:
            add("svdvals", np.linalg.svdvals, (dtype, *shape))
            for order in (0, 1, -1, 2, -2, np.inf, -np.inf, 1e300):
                if 0 not in shape:
                    add("matrix_norm", norm, (dtype, *shape), ord=order, keepdims=int(order == 2))
            add("matrix_rank", lambda x: np.int64(np.linalg.matrix_rank(x)) if x.ndim == 2 else
                np.linalg.matrix_rank(x).astype(np.int64), (dtype, *shape))
        for order in (2, -2, 1, -1, np.inf, 0):
            add("cond", lambda x, ord: np.linalg.cond(x, "fro" if ord == 0 else ord), (dtype, 3, 3), ord=order)
            add("cond", lambda x, ord: np.linalg.cond(x, "fro" if ord == 0 else ord), (dtype, 2, 4, 3), ord=order)
    add("matrix_rank", lambda x: np.int64(np.linalg.matrix_rank(x)), ("s", "float64", 4, 4))
    add("matrix_rank", lambda x: np.int64(np.linalg.matrix_rank(x)), ("float64", 3))
    add("matrix_rank", lambda x: np.int64(np.linalg.matrix_rank(x)), ("float64",))
    add("cond", lambda x, ord: np.linalg.cond(x, ord), ("s", "float64", 4, 4), ord=1)
    add("cond", lambda x, ord: np.linalg.cond(x, ord), ("float64", 0, 0), ord=2)
    add("matrix_norm", norm, ("float64", 2, 2), ord=3, keepdims=0)
    add("svdvals", np.linalg.svdvals, ("float64", 3))
    add("eigvalsh", lambda x, upper: np.linalg.eigvalsh(x), ("float64", 2, 3), upper=0)


def functions():
    for dtype in DTYPES + ["int32"]:
        for n in (-2, -1, 0, 1, 2, 3, 5):
            add("matrix_power", lambda x, n: np.linalg.matrix_power(x, n), (dtype, 3, 3), n=n)
        add("expm", scipy.linalg.expm, (dtype, 3, 3) if dtype != "int32" else ("int32", 2, 2))
        add("multi_dot", lambda *x: np.linalg.multi_dot(x), (dtype, 3, 2), (dtype, 2, 4), (dtype, 4, 1))
    add("matrix_power", lambda x, n: np.linalg.matrix_power(x, n), ("s", "float64", 3, 3), n=-1)
    add("matrix_power", lambda x, n: np.linalg.matrix_power(x, n), ("float64", 2, 2, 2), n=4)
    add("expm", scipy.linalg.expm, ("float64", 2, 2, 2))
    add("expm", scipy.linalg.expm, ("float64", 3, 4))
    add("expm", scipy.linalg.expm, ("float64", 1, 1))
    for shapes in [((3,), (3, 2), (2,)), ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 3), (3, 4), (4, 2), (2, 5)),
                   ((2, 3), (4, 2)), ((2, 3),), ((2, 3), (3,), (3, 2)), ((2, 0), (0, 3))]:
        add("multi_dot", lambda *x: np.linalg.multi_dot(x), *[("float64", *shape) for shape in shapes])


for make in (factorizations, systems, spectral, functions):
    make()
lines = "".join(f'    "{case}",\n' for case in dict.fromkeys(cases))
(Path(__file__).parent / "core_linalg_cases.h").write_text(
    "// tests/unit/core_linalg_cases.h -- generated by make_core_linalg_cases.py with NumPy and SciPy; do not edit.\n"
    f"// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCases[] = {{\n{lines}}};\n// NOLINTEND\n")
