#!/usr/bin/env python3
"""tests/kernels/make_words.py -- writes words.txt: for each word of CUDA C++ that kernels may use, arguments
and the result, by Python alone.

    tests/kernels/make_words.py            writes words.txt; needs mpmath
    tests/kernels/make_words.py --check    only says whether it is up to date

A line is `word | type of the result | types of the arguments | expression | ULP | arguments = result; ...`. Arguments
are called a, b, c and d. All values are bits in hexadecimal, and `nan` stands for any NaN. Whole numbers are computed
by Python's own, roundings by exact fractions, and functions by mpmath with 60 digits.
"""

import sys
from pathlib import Path

from word_results.arithmetic import arithmetic, conversions
from word_results.assembly import assembly
from word_results.functions import elementary, on_bits
from word_results.integers import integers, video
from word_results.library import algorithms, driver_names, random_numbers, zipped
from word_results.small_floats import between_halves, cu_complex, fp8
from word_results.types import constants, standard, types
from word_results.values import lines

OUT = Path(__file__).with_name("words.txt")


def main():
    numbers = (integers, video, arithmetic, conversions, constants, elementary, on_bits)
    others = (types, standard, fp8, cu_complex, algorithms, random_numbers, driver_names, assembly, zipped,
              between_halves)
    for family in numbers + others:
        family()
    text = "# Written by make_words.py, which says what the columns are; do not edit.\n" + "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUT.read_text() == text else "tests/kernels/words.txt is not what make_words.py writes")
    OUT.write_text(text)
    print(f"{len(lines)} lines, {len({line.split(' | ')[0] for line in lines})} words")


if __name__ == "__main__":
    main()
