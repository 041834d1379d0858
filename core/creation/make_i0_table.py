#!/usr/bin/env python3
# core/creation/make_i0_table.py -- prints i0_table.h: Chebyshev series of the modified Bessel function I0, by mpmath.
#
# Below 8 it is exp(x) times a series in x/2 - 2, above exp(x) / sqrt(x) times a series in 32/x - 2; both arguments lie
# in [-2, 2], so that terms are T_k(t/2). The coefficients are those of the functions exp(-x) I0(x) and
# sqrt(x) exp(-x) I0(x) at Chebyshev's points, rounded to double. Series are cut where terms stay below 1e-17.
import mpmath

mpmath.mp.dps = 60
POINTS = 80


def coefficients(function):
    """Of sum' c_k T_k(u) for u in [-1, 1], where the sum takes half of c_0."""
    angles = [mpmath.pi * (k + mpmath.mpf(1) / 2) / POINTS for k in range(POINTS)]
    values = [function(mpmath.cos(a)) for a in angles]
    series = [2 * sum(v * mpmath.cos(k * a) for v, a in zip(values, angles)) / POINTS for k in range(POINTS)]
    last = max(k for k, c in enumerate(series) if abs(c) >= 1e-17)
    return [float(c) for c in series[: last + 1]]


def below(u):
    x = 4 * (u + 1)
    return mpmath.exp(-x) * mpmath.besseli(0, x)


def above(u):
    x = 16 / (u + 1)
    return mpmath.sqrt(x) * mpmath.exp(-x) * mpmath.besseli(0, x)


def table(name, series):
    lines, line = [], "   "
    for c in series:
        text = f" {c!r},"
        if len(line) + len(text) > 119:
            lines.append(line)
            line = "   "
        line += text
    return f"inline constexpr double {name}[] = {{\n" + "\n".join(lines + [line.rstrip(",")]) + "};\n"


print("""// core/creation/i0_table.h -- Chebyshev series of the Bessel function I0. Written by make_i0_table.py.
// clang-format off
#pragma once

namespace gpuopt {

// exp(-x) I0(x) for x in [0, 8], in t = x/2 - 2. The constant term counts half, here and below.""")
print(table("kI0Below", coefficients(below)))
print("// sqrt(x) exp(-x) I0(x) for x above 8, in t = 32/x - 2.")
print(table("kI0Above", coefficients(above)))
print("}  // namespace gpuopt")
