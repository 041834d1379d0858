#!/usr/bin/env python3
# plugins/shared/gen/make_distribution_tables.py -- writes plugins/shared/distributions/tables.h
#
# usage: make_distribution_tables.py > plugins/shared/distributions/tables.h
#
# The tables of the ziggurat method with 256 layers of equal area (G. Marsaglia, W. W. Tsang, "The Ziggurat Method for
# Generating Random Variables", Journal of Statistical Software 5(8), 2000), for the normal and the exponential
# distribution, in double and in single precision. Layer i reaches to x[i] with x[255] = r, and
#
#   x[i] = f^-1(v / x[i + 1] + f(x[i + 1])),  w[i] = x[i] / 2^bits,  k[i] = x[i - 1] / x[i] * 2^bits,  y[i] = f(x[i]),
#
# where v is the area of a layer; layer 0 is a strip with the tail: x[0] = v / f(r), k[0] = r / x[0] * 2^bits, k[1] = 0.
#
# numpy.random.Generator's numbers depend on the last bit of each entry. That fixes how each table is rounded:
# - The normal table in double is computed in double precision, k rounded to nearest, v as below. y[38] lies almost
#   halfway between two doubles (0.0002 ulp from the middle), and is the upper one.
# - The others are rounded from exact values: k of the exponential in double by cutting to 52 bits, of which it has 53;
#   k in single precision to nearest; w and y of the exponential in single precision to nine decimal digits first.
# log(k!) is for hypergeometric numbers, rounded from exact values.
import math
import struct
from decimal import Decimal, getcontext

getcontext().prec = 60

NORMAL_R = Decimal("3.6541528853610087963519472518")
NORMAL_AREA = float.fromhex("0x1.43016a5a4372ep-8")  # 4.92867323397465188772e-03
EXPONENTIAL_R = Decimal("7.6971174701310497140446280481")


def tail(r):
    """The integral of exp(-x^2/2) from r on, by the continued fraction of Mills' ratio."""
    ratio = Decimal(0)
    for n in range(2000, 0, -1):
        ratio = n / (r + ratio)
    return (-r * r / 2).exp() / (r + ratio)


def exact(r, area, f, inverse, bits, rounded):
    x, y = [area / f(r)] + [r] * 255, [Decimal(1)] + [f(r)] * 255
    for i in range(254, 0, -1):
        x[i] = inverse(area / x[i + 1] + y[i + 1])
        y[i] = f(x[i])
    unit = Decimal(2) ** bits
    k = [rounded(r / x[0] * unit), 0] + [rounded(x[i - 1] / x[i] * unit) for i in range(2, 256)]
    return k, [a / unit for a in x], y


def normal_in_double():
    def f(a):
        return float(Decimal(-0.5 * a * a).exp())

    r = float(NORMAL_R)
    x, y = [NORMAL_AREA / f(r)] + [r] * 255, [1.0] + [f(r)] * 255
    for i in range(254, 0, -1):
        x[i] = math.sqrt(-2 * float(Decimal(NORMAL_AREA / x[i + 1] + y[i + 1]).ln()))
        y[i] = math.nextafter(f(x[i]), 1) if i == 38 else f(x[i])
    k = [round(r / x[0] * 2.0**52), 0] + [round(x[i - 1] / x[i] * 2.0**52) for i in range(2, 256)]
    return k, [a / 2.0**52 for a in x], y


def nearest(a):
    return int(a.to_integral_value())


def single(a):
    return struct.unpack("f", struct.pack("f", a))[0]


def by_nine_digits(tables):
    k, w, y = tables
    return k, [float(f"{a:.8e}") for a in w], [float(f"{a:.8e}") for a in y]


def print_array(type_name, name, texts):
    """Writes a definition of an array."""
    lines, line = [], " "
    for text in texts:
        if len(line) + len(text) + 2 > 120:
            lines.append(line)
            line = " "
        line += f" {text},"
    print(f"inline constexpr {type_name} {name}[{len(texts)}] = {{", *lines, line, "};", sep="\n")


def print_tables(name, in_double, in_single):
    k, w, y = in_double
    print_array("u64", f"{name}_k64", [f"{a:#x}" for a in k])
    print_array("double", f"{name}_w64", [float(a).hex() for a in w])
    print_array("double", f"{name}_y64", [float(a).hex() for a in y])
    k, w, y = in_single
    print_array("u32", f"{name}_k32", [f"{a:#x}" for a in k])
    print_array("float", f"{name}_w32", [single(a).hex() + "f" for a in w])
    print_array("float", f"{name}_y32", [single(a).hex() + "f" for a in y])


def main():
    print("""// plugins/shared/distributions/tables.h -- the layers of two ziggurats, and log(k!); host only
//
// Written by plugins/shared/gen/make_distribution_tables.py, which says what they are. Names end in 64 for numbers in
// double precision, which are made of 52 random bits (normal) or 53 (exponential), and in 32 for single precision, of
// 23.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_TABLES_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_TABLES_H_

#include "plugins/shared/prelude.h"

namespace gpo {

// clang-format off""")
    r = NORMAL_R
    normal = (lambda x: (-x * x / 2).exp(), lambda y: (-2 * y.ln()).sqrt())
    print_tables("normal", normal_in_double(), exact(r, r * normal[0](r) + tail(r), *normal, 23, nearest))
    r = EXPONENTIAL_R
    exponential = (r, (r + 1) * (-r).exp(), lambda x: (-x).exp(), lambda y: -y.ln())
    print_tables("exponential", exact(*exponential, 53, lambda a: int(a / 2) * 2),
                 by_nine_digits(exact(*exponential, 23, nearest)))
    print_array("double", "log_factorials", [float(Decimal(math.factorial(k)).ln()).hex() for k in range(126)])
    print("""// clang-format on

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_TABLES_H_""")


if __name__ == "__main__":
    main()
