# tests/data/random/make_vectors.py -- writes legacy.txt, pcg64.txt and philox.txt; needs NumPy
#
# Each line is a case and the CRC-32 of the bytes it yields. legacy.txt and pcg64.txt hold NumPy's own results;
# philox.txt those of the plain re-statement of random_philox.h below (NumPy has no Philox4x32).
#
# legacy.txt: <seed> (op arguments...)+ = <crc of all outputs> <crc of the final state>
#   seed is an integer or a comma-separated sequence; ops are separated by ';'. Weights of choice are
#   (7919 i + 3) mod 101 with every fifth 0, over their sum.
import pathlib
import zlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent
SEEDS = [0, 1, 2, 42, 5489, 19650218, 123456789, 2**31, 2**32 - 1, (7,), (0, 0), (1, 2, 3, 4), tuple(range(700))]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def crc(*parts):
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return f"{value:08x}"


def weights(count):
    i = np.arange(count)
    w = np.where(i % 5 == 0, 0, (7919 * i + 3) % 101).astype(np.float64)
    return w / w.sum()


LEGACY = {
    "uniform": lambda r, n, low, high: r.uniform(low, high, n),
    "normal": lambda r, n, loc, scale: r.normal(loc, scale, n),
    "exponential": lambda r, n, scale: r.exponential(scale, n),
    "integers": lambda r, n, dtype, low, high: r.randint(low, high, n, dtype=dtype),
    "bools": lambda r, n: r.randint(0, 2, n, dtype=bool),
    "bytes": lambda r, n: np.frombuffer(r.bytes(n), dtype=np.uint8),
    "choice": lambda r, n, count: r.choice(np.arange(count) * 3, n),
    "weighted": lambda r, n, count: r.choice(count, n, p=weights(count)),
    "distinct": lambda r, n, count: r.choice(count, n, replace=False),
    "distinct_weighted": lambda r, n, count: r.choice(count, n, replace=False, p=weights(count)),
    "permutation": lambda r, n: r.permutation(n),
    "shuffle": lambda r, n: shuffled(r, np.arange(n, dtype=np.int16)),
}


def shuffled(r, x):
    r.shuffle(x)
    return x


def legacy_line(seed, *ops):
    state = np.random.RandomState(list(seed) if isinstance(seed, tuple) else seed)
    out = [LEGACY[op](state, *arguments).tobytes() for op, *arguments in ops]
    _, key, pos, has_gauss, gauss = state.get_state()
    final = crc(key.tobytes(), np.uint32(pos).tobytes(), np.uint32(has_gauss).tobytes(), np.float64(gauss).tobytes())
    seed_text = ",".join(map(str, seed)) + "," if isinstance(seed, tuple) else str(seed)
    # repr of a double survives the round trip through text.
    return f"{seed_text} {' ; '.join(' '.join(map(str, op)) for op in ops)} = {crc(*out)} {final}"


def integer_ranges(dtype):
    info = np.iinfo(dtype)
    yield info.min, info.max + 1
    yield info.min, info.max
    yield 0, 1
    yield 3, 100
    yield 0, 64
    for high in (129, 1000, 40000, 2**17 + 1, 2**32, 2**32 + 1, 2**40, 3 * 2**61):
        if high <= info.max:
            yield info.max - high, info.max
            yield (-high // 2 if info.min else 0), high


def legacy_cases():
    for seed in SEEDS:
        yield seed, ("uniform", 1000, 0.0, 1.0), ("bytes", 5), ("uniform", 777, -3.5, 1e10)
        yield (seed, ("normal", 1, 0.0, 1.0), ("integers", 1, "int32", 0, 10), ("normal", 1001, 0.0, 1.0),
               ("normal", 2, 5.0, 2.5))
        yield (seed, ("bools", 1), ("normal", 3, -1.0, 0.1), ("bools", 100), ("exponential", 999, 1.0), ("bytes", 0),
               ("bytes", 2501))
        yield (seed, ("choice", 1000, 4), ("choice", 1000, 1), ("choice", 1000, 10), ("weighted", 500, 37),
               ("weighted", 3, 2))
        yield seed, ("distinct", 10, 100), ("permutation", 1000), ("shuffle", 1000), ("distinct_weighted", 20, 40)
        yield (seed, ("distinct_weighted", 3, 1000), ("shuffle", 1), ("permutation", 0), ("permutation", 1),
               ("shuffle", 2))
        for dtype in INTEGERS:
            ranges = enumerate(integer_ranges(dtype), 300)
            yield (seed, *(("integers", n, dtype, low, high) for n, (low, high) in ranges))
    for seed in (3, 4, 6, 8):
        yield seed, ("normal", 1000001, 0.0, 1.0), ("exponential", 1000000, 1.0), ("uniform", 1000000, 0.0, 1.0)
        yield (seed, ("choice", 1000000, 4), ("choice", 1000000, 1000), ("permutation", 100000),
               ("weighted", 100000, 1000))
        yield (seed, *(("integers", 100000, dtype, 0, 100) for dtype in INTEGERS), ("bools", 100000))


def pcg64_cases():
    """<entropy> <32-bit words first> <64-bit words> <doubles> = crc of each of the three"""
    for entropy in (0, 1, 42, 2**32 - 1, 2**32, 2**64 + 17, 2**127 + 3, 2**160 - 1, (1, 2, 3), (0, 0, 0, 0, 5),
                    tuple(range(2, 40))):
        for n32 in (0, 1, 7, 1000):
            g = np.random.Generator(np.random.PCG64(list(entropy) if isinstance(entropy, tuple) else entropy))
            words = g.integers(0, 2**32, n32, dtype=np.uint32)
            raw = g.bit_generator.random_raw(100)
            text = ",".join(map(str, entropy)) if isinstance(entropy, tuple) else ",".join(map(str, words_of(entropy)))
            yield f"{text} {n32} = {crc(words.tobytes())} {crc(raw.tobytes())} {crc(g.random(1001).tobytes())}"


def words_of(entropy):
    words = [entropy & 0xffffffff]
    while entropy >> 32:
        entropy >>= 32
        words.append(entropy & 0xffffffff)
    return words


def philox_words(seed, stream, nblocks, first=0):
    """Philox4x32-10 with the counter (block low, block high, stream low, stream high) and the key seed."""
    u64, mask, shift = np.uint64, np.uint64(0xffffffff), np.uint64(32)
    block = np.arange(nblocks, dtype=u64) + u64(first)
    c = [block & mask, block >> shift, np.full(nblocks, stream & 0xffffffff, u64), np.full(nblocks, stream >> 32, u64)]
    k0, k1 = seed & 0xffffffff, seed >> 32
    for _ in range(10):
        p0, p1 = c[0] * u64(0xD2511F53), c[2] * u64(0xCD9E8D57)
        c = [(p1 >> shift) ^ c[1] ^ u64(k0), p1 & mask, (p0 >> shift) ^ c[3] ^ u64(k1), p0 & mask]
        k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
    return np.stack(c, axis=1).astype(np.uint32).ravel()


def philox_integers(seed, stream, n, low, span):
    """low + floor(w (span + 1) / 2^bits): the fewest bits where that is exact, else 64 below 2^32 and 128 above"""
    count = span + 1
    power = count & span == 0
    bits = 32 if power and count <= 2**32 else 64 if power or count < 2**32 else 128
    words = philox_words(seed, stream, n).tolist()
    per = bits // 32
    draws = (sum(words[per * i + j] << (32 * j) for j in range(per)) for i in range(n))
    return [low + (w * count >> bits) for w in draws]


def philox_cases():
    """<seed> <stream> <what> <n> ... = crc"""
    for seed, stream in ((0, 0), (1, 0), (2**64 - 1, 2**64 - 1), (0x123456789abcdef0, 0xfedcba9876543210), (42, 7)):
        for n in (1, 63, 1000, 20001):
            words = philox_words(seed, stream, n)
            doubles = words[:2 * n].view(np.uint64)
            head = f"{seed} {stream}"
            yield f"{head} u32 {n} = {crc(words[:n].tobytes())}"
            yield f"{head} u64 {n} = {crc(doubles.tobytes())}"
            f32 = (words[:n] >> 8).astype(np.float32) * np.float32(2**-24)
            f16 = (words[:n] >> 21).astype(np.float16) * np.float16(2**-11)
            yield f"{head} uniform_f16 {n} = {crc(f16.tobytes())}"
            yield f"{head} uniform_f32 {n} = {crc(f32.tobytes())}"
            yield f"{head} uniform_f64 {n} = {crc(((doubles >> np.uint64(11)) * 2.0**-53).tobytes())}"
            yield f"{head} permutation {n} = {crc(np.argsort(doubles, kind='stable').tobytes())}"
            if n > 1000:
                continue
            for dtype in INTEGERS:
                for low, high in integer_ranges(dtype):
                    values = philox_integers(seed, stream, n, low, high - 1 - low)
                    values = np.array(values, dtype=object).astype(dtype)
                    yield f"{head} integers {n} {dtype} {low} {high} = {crc(values.tobytes())}"


def write(name, lines):
    (FOLDER / name).write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    write("legacy.txt", (legacy_line(*case) for case in legacy_cases()))
    write("pcg64.txt", pcg64_cases())
    write("philox.txt", philox_cases())
