#!/usr/bin/env python3
"""tests/kernels/make_curand.py -- writes curand.txt: numbers of curand_kernel.h's generators.

Each line is "generator seed sequence offset = a b c d", the next four numbers in hexadecimal. Skipped numbers are found
in another way than by the library: the matrix of XORWOW's step over GF(2), and Python's integers for MRG32k3a. The
seeds' arithmetic, the lengths of sequences and the factor of MRG32k3a's bits are cuRAND's.
"""

import pathlib

M32 = 0xFFFFFFFF


def xorwow_step(state):
    v = [state >> 32 * k & M32 for k in range(5)]
    t = v[0] ^ (v[0] >> 2)
    last = v[4] ^ (v[4] << 4 & M32) ^ t ^ (t << 1 & M32)
    return sum(x << 32 * k for k, x in enumerate(v[1:] + [last]))


def times(columns, x):
    out, k = 0, 0
    while x:
        if x & 1:
            out ^= columns[k]
        x, k = x >> 1, k + 1
    return out


def square(columns):
    return [times(columns, c) for c in columns]


POWERS = [[xorwow_step(1 << k) for k in range(160)]]
while len(POWERS) < 67 + 34:
    POWERS.append(square(POWERS[-1]))


def xorwow(seed, sequence, offset):
    t0 = 1099087573 * ((seed & M32) ^ 0xAAD26B49) & M32
    t1 = 2591861531 * ((seed >> 32) ^ 0xF7DCEFDD) & M32
    words = [123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0]
    state = sum((w & M32) << 32 * k for k, w in enumerate(words))
    for k in range(34):
        state = times(POWERS[67 + k], state) if sequence >> k & 1 else state
    for k in range(64):
        state = times(POWERS[k], state) if offset >> k & 1 else state
    d = 6615241 + t1 + t0 + 362437 * offset
    out = []
    for _ in range(4):
        state, d = xorwow_step(state), d + 362437
        out.append((state >> 128) + d & M32)
    return out


def philox(seed, sequence, offset):
    out = []
    for n in range(offset, offset + 4):
        place = n // 4 | sequence << 64
        c = [place >> 32 * k & M32 for k in range(4)]
        key = [seed & M32, seed >> 32]
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [b >> 32 ^ c[1] ^ key[0], b & M32, a >> 32 ^ c[3] ^ key[1], a & M32]
            key = [key[0] + 0x9E3779B9 & M32, key[1] + 0xBB67AE85 & M32]
        out.append(c[n % 4])
    return out


def power(a, n, m):
    out = [[int(i == j) for j in range(3)] for i in range(3)]
    while n:
        if n & 1:
            out = [[sum(out[i][k] * a[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]
        a = [[sum(a[i][k] * a[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]
        n >>= 1
    return out


def mrg(seed, sequence, offset):
    m1, m2 = 2**32 - 209, 2**32 - 22853
    x1, x2 = ((seed & M32) ^ 0x55555555, (seed >> 32) ^ 0xAAAAAAAA) if seed else (1, 1)
    x = [k * 12345 % m1 for k in (x1, x2, x1)]
    y = [k * 12345 % m2 for k in (x2, x1, x2)]
    skip = sequence * 2**76 + offset
    a = power([[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]], skip, m1)
    b = power([[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]], skip, m2)
    x = [sum(a[i][j] * x[j] for j in range(3)) % m1 for i in range(3)]
    y = [sum(b[i][j] * y[j] for j in range(3)) % m2 for i in range(3)]
    out = []
    for _ in range(4):
        x = x[1:] + [(1403580 * x[1] - 810728 * x[0]) % m1]
        y = y[1:] + [(527612 * y[2] - 1370589 * y[0]) % m2]
        out.append(int(float((x[2] - y[2] - 1) % m1 + 1) * 1.000000048662))
    return out


def main():
    rows = []
    for name, numbers in (("xorwow", xorwow), ("philox", philox), ("mrg", mrg)):
        for seed in (0, 1, 1234, 0x123456789ABCDEF):
            for sequence in (0, 1, 1000, 12345678):
                for offset in (0, 1, 7, 1000000007, 12345678901234):
                    numbers_of = " ".join(f"{n:x}" for n in numbers(seed, sequence, offset))
                    rows.append(f"{name} {seed:x} {sequence:x} {offset:x} = {numbers_of}")
    (pathlib.Path(__file__).parent / "curand.txt").write_text("\n".join(rows) + "\n")
    print(len(rows), "rows")


main()
