#!/usr/bin/env python3
# tests/unit/make_core_einsum_cases.py -- writes core_einsum_cases.h: what NumPy 2 answers to einsum, or that it refuses
# it. Run it with NumPy 2.
#
# Element k, in C order, of operand j is (7*k + 13*j + 1) % 11 - 5, of unsigned dtypes without the 5, of bool whether
# the former is above 0: sums are exact in every dtype, and wrap in integers of 8 bits. Complex elements have twice that
# as their imaginary part, with the opposite sign.
import random
from pathlib import Path

import numpy as np

DTYPES = ["bool", "int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64",
          "complex128"]
cases = []


def operand(j, shape, dtype):
    numbers = (7 * np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64) + 13 * j + 1) % 11 - 5
    if dtype == "bool":
        numbers = numbers > 0
    elif dtype.startswith("u"):
        numbers = numbers + 5
    elif dtype.startswith("c"):
        numbers = numbers - 2j * numbers
    return numbers.astype(dtype).reshape(shape)


def number(x):
    return f"{int(x.real)} {int(x.imag)}" if x.dtype.kind == "c" else str(int(x))


def add(subscripts, *shapes, dtypes=("float64",)):
    dtypes = [dtypes[j % len(dtypes)] for j in range(len(shapes))]
    arrays = [operand(j, shape, dtype) for j, (shape, dtype) in enumerate(zip(shapes, dtypes))]
    operands = ", ".join(" ".join(map(str, (dtype, *shape))) for shape, dtype in zip(shapes, dtypes))
    try:
        answer = np.asarray(np.einsum(subscripts, *arrays))
    except ValueError:
        return cases.append(f"{subscripts} | {operands} | refused")
    elements = " ".join(map(number, answer.ravel()))
    cases.append(f"{subscripts} | {operands} | {' '.join(map(str, (answer.dtype.name, *answer.shape)))} = {elements}")


def known():
    """What users write, and what is refused."""
    for subscripts, *shapes in [
        ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)), ("i,i", (5,), (5,)),
        ("i,j->ij", (2,), (3,)), ("ij->ji", (2, 3)), ("ji", (2, 3)), ("ii", (3, 3)), ("ii->i", (3, 3)),
        ("ij->", (2, 3)),
        ("ij->j", (2, 3)), ("ij,ij->i", (2, 3), (2, 3)), ("ij,ij->", (2, 3), (2, 3)), ("ij,j->i", (2, 3), (3,)),
        ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("bij,bkj->bik", (2, 2, 3), (2, 4, 3)),
        ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
        ("...,...", (2, 3), (3,)), ("i...->...i", (2, 3, 2)), ("...i,...i->...", (2, 3), (2, 1, 3)),
        ("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
        ("i,ij,j->", (2,), (2, 3), (3,)), ("ab,bc,cd,de->ae", (2, 2), (2, 3), (3, 2), (2, 2)), ("iij->ij", (2, 2, 3)),
        ("iij,jk->ik", (2, 2, 3), (3, 2)), ("ijkj->ik", (2, 3, 2, 3)), ("i,i,i->i", (3,), (3,), (3,)),
        ("ij,kl->ijkl", (2, 1), (1, 2)),
        ("ij,ij->ij", (2, 3), (2, 3)), ("ij,ij->ij", (2, 1), (2, 3)), ("ij,jk->ik", (2, 1), (3, 4)),
        ("bi,bi->b", (1, 3), (4, 3)),
        ("i->", (0,)), ("ij,jk->ik", (2, 0), (0, 3)), ("ij,jk->ik", (0, 2), (2, 3)), ("i,->i", (3,), ()), (",", (), ()),
        ("->", ()),
        ("", ()), ("Ba,aB->Ba", (2, 3), (3, 2)), ("bA", (2, 3)), ("ij,ik->jk", (3, 2), (3, 2)),
        ("ab...,b...->a...", (2, 3, 4), (3, 4)),
        ("i j , j k -> i k", (2, 3), (3, 4)), ("dabcd", (2, 1, 2, 3, 2)),
        ("ijk,ilm,njm,nlk->", (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2)),
        ("ij,jk->i", (2, 3), (4, 3)), ("ij->k", (2, 3)), ("ij->ii", (2, 3)), ("i.j->ij", (2, 3)), ("i...j...", (2, 3)),
        ("ij,j", (2, 3)),
        ("ij", (2, 3), (3,)), ("ijk", (2, 3)), ("i", (2, 3)), ("i1", (2, 3)), ("ij->ij->ij", (2, 3)),
        ("...i->i", (2, 3)), ("ii", (2, 3)),
        ("i-j", (2, 3)), ("ii->i", (1, 3)),
    ]:
        add(subscripts, *shapes)


def typed():
    for dtype in DTYPES:
        for subscripts, *shapes in [("ij,jk->ik", (2, 9), (9, 3)), ("ij->i", (2, 30)), ("bi,bi->b", (3, 20), (3, 20)),
                                    ("i,j", (3,), (3,)), ("i,i", (17,), (17,))]:
            add(subscripts, *shapes, dtypes=(dtype,))
    for one, other in zip(DTYPES, DTYPES[1:] + DTYPES[:1]):
        add("ij,jk->ik", (2, 3), (3, 2), dtypes=(one, other))
        add("ij,ij->j", (2, 3), (2, 3), dtypes=(other, one))


def made_up(choice, count):
    """Random subscripts over five letters, sizes from 0 to 3, and axes of size 1 that are broadcast."""
    for _ in range(count):
        sizes = {letter: choice.choice([0, 1, 2, 2, 3, 3]) for letter in "abcde"}
        broadcast = [choice.choice([1, 2, 3]) for _ in range(choice.randint(0, 2))]
        terms, shapes = [], []
        for _ in range(choice.randint(1, 3)):
            letters = [choice.choice("abcde") for _ in range(choice.randint(0, 4))]
            shape = [sizes[x] if letters.count(x) > 1 or choice.random() < 0.9 else 1 for x in letters]
            term = "".join(letters)
            if broadcast and choice.random() < 0.5:
                axes = broadcast[choice.randint(0, len(broadcast)) :]
                at = choice.randint(0, len(letters))
                term, shape = term[:at] + "..." + term[at:], shape[:at] + axes + shape[at:]
            terms.append(term)
            shapes.append(tuple(shape))
        subscripts = ",".join(terms)
        if choice.random() < 0.7:
            letters = sorted(set(subscripts) - set(",."))
            result = choice.sample(letters, choice.randint(0, len(letters)))
            if "..." in subscripts:
                result.insert(choice.randint(0, len(result)), "...")
            subscripts += "->" + "".join(result)
        add(subscripts, *shapes, dtypes=[choice.choice(DTYPES)] if choice.random() < 0.5 else ("int64",))


known()
typed()
made_up(random.Random(5), 400)
text = "// tests/unit/core_einsum_cases.h -- generated by make_core_einsum_cases.py with NumPy; do not edit.\n"
text += "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCases[] = {\n"
text += "".join(f'    "{case}",\n' for case in cases if len(case) < 3000)
text += "};\n// NOLINTEND\n// clang-format on\n"
(Path(__file__).parent / "core_einsum_cases.h").write_text(text)
