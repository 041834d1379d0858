# tests/data/random_state/make_vectors.py -- writes vectors.txt: what numpy.random.RandomState draws
#
# One line per case: "<call> <arguments> = <values>", then "; next <value>": the random_sample after it, which shows
# where the stream stands. Floats are in C's hexadecimal form. Seeds are 1, unless the call is "seeds". The population
# of a choice of n is 0, 10, 20, ...; its probabilities, where used, are 1, 2, ..., n divided by their sum. A size of -1
# stands for size=(), an array of no dimensions. "permutation_shape" and "shuffle_shape" take an array 0, 1, 2, ... of
# the sizes that follow.
import os
import sys

import numpy as np

lines = []


def text(v):
    return " ".join(float(x).hex() if isinstance(x, float) else str(x) for x in np.asarray(v).ravel().tolist())


def case(call, draw, rs=None):
    rs = rs or np.random.RandomState(1)
    lines.append(f"{call} = {text(draw(rs))} ; next {float(rs.random_sample()).hex()}")


case("sample 5", lambda r: r.random_sample(5))
case("uniform -2 3 5", lambda r: r.uniform(-2, 3, 5))
case("normal 1 2 5", lambda r: r.normal(1, 2, 5))
case("normal 1 2 4", lambda r: r.normal(1, 2, 4))
for low, high, dtype, n in [(0, 4, "int64", 9), (-5, 100, "int64", 9), (0, 2**40, "int64", 5), (-100, 100, "int8", 9),
                            (0, 2, "bool", 9),
                            (0, 7, "uint16", 9), (3, 4, "int64", 3)]:
    case(f"randint {low} {high} {dtype} {n}", lambda r: r.randint(low, high, n, dtype).astype("int64"))
population = lambda n: np.arange(n) * 10
weights = lambda n: np.arange(1, n + 1) / np.arange(1, n + 1).sum()
for n, size in [(4, 12), (1, 3), (100, 10)]:
    case(f"choice {n} {size}", lambda r: r.choice(population(n), size))
    case(f"choice_p {n} {size}", lambda r: r.choice(population(n), size, p=weights(n)))
for n, size in [(4, 4), (10, 3), (100, 60), (1, 1)]:
    case(f"choice_once {n} {size}", lambda r: r.choice(population(n), size, replace=False))
    case(f"choice_once_p {n} {size}", lambda r: r.choice(population(n), size, replace=False, p=weights(n)))
for n in (0, 1, 2, 17):
    case(f"permutation {n}", lambda r: r.permutation(n))
case("permutation_rows 5", lambda r: r.permutation(np.arange(10).reshape(5, 2)))


def shuffled(r, a):
    r.shuffle(a)
    return a


case("shuffle 9", lambda r: shuffled(r, population(9)))
case("shuffle_rows 5", lambda r: shuffled(r, np.arange(10).reshape(5, 2)))
for seeds in ([7], [1, 2, 3], list(range(700))):
    case("seeds " + " ".join(map(str, seeds)), lambda r: r.random_sample(3), np.random.RandomState(seeds))
for seed in (0, 4294967295):
    case(f"seed {seed}", lambda r: r.random_sample(3), np.random.RandomState(seed))

# Little or nothing to draw: what the stream makes of it differs from call to call.
for size in (0, 1, -1):
    shape = () if size < 0 else size
    case(f"sample {size}", lambda r: r.random_sample(shape))
    case(f"uniform -2 3 {size}", lambda r: r.uniform(-2, 3, shape))
    case(f"normal 1 2 {size}", lambda r: r.normal(1, 2, shape))
    for low, high in [(3, 4), (0, 4), (0, 2**40)]:
        case(f"randint {low} {high} int64 {size}", lambda r: np.asarray(r.randint(low, high, shape, "int64")))
    for n in (1, 5):
        case(f"choice {n} {size}", lambda r: r.choice(population(n), shape))
        case(f"choice_p {n} {size}", lambda r: r.choice(population(n), shape, p=weights(n)))
        case(f"choice_once {n} {size}", lambda r: r.choice(population(n), shape, replace=False))
        case(f"choice_once_p {n} {size}", lambda r: r.choice(population(n), shape, replace=False, p=weights(n)))
case("choice 0 0", lambda r: r.choice(population(0), 0))
case("choice_once 0 0", lambda r: r.choice(population(0), 0, replace=False))
for rows, columns in [(0, 5), (1, 5), (5, 0), (5, 1), (0, 0), (1, 0)]:
    values = np.arange(rows * columns).reshape(rows, columns)
    case(f"permutation_shape {rows} {columns}", lambda r: r.permutation(values))
    case(f"shuffle_shape {rows} {columns}", lambda r: shuffled(r, values.copy()))
for n in (0, 1):
    case(f"shuffle {n}", lambda r: shuffled(r, population(n)))
    case(f"permutation_shape {n}", lambda r: r.permutation(np.arange(n)))

with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "vectors.txt"), "w") as f:
    f.write("\n".join(lines) + "\n")
print(len(lines), "lines")
