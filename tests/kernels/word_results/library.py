"""tests/kernels/word_results/library.py -- algorithms of namespace std, and thrust/random.h."""

import math

from .values import case, f32

ROW = [5, 3, 9, -4, 3, 12]


def algorithms():
    text = "int v[6] = {%s}; " % ", ".join(map(str, ROW))
    descending = sorted(ROW, reverse=True)

    def digits(values):
        return sum(value * 100**k for k, value in enumerate(values))

    whole = "long long w = 0; for (int k = 5; k >= 0; k--) w = w * 100 + v[k]; return w;"
    rows = [
        ("std::accumulate", "return (long long)std::accumulate(v, v + 6, 7);", 7 + sum(ROW)),
        ("std::accumulate", "return (long long)std::accumulate(v, v + 6, 1, std::multiplies<int>());", math.prod(ROW)),
        ("std::iota", "std::iota(v, v + 6, 4); " + whole, digits(range(4, 10))),
        ("std::partial_sum", "std::partial_sum(v, v + 6, v); " + whole, digits([5, 8, 17, 13, 16, 28])),
        ("std::gcd", "return (long long)std::gcd(-36, 90);", math.gcd(-36, 90)),
        ("std::lcm", "return (long long)std::lcm(-36, 90ll);", math.lcm(-36, 90)),
        ("std::begin", "return (long long)*std::begin(v) + *(std::end(v) - 1) + std::size(v);", 5 + 12 + 6),
        ("std::distance", "return (long long)std::distance(v + 1, v + 5);", 4),
        ("std::next", "return (long long)*std::next(v, 2) * *std::prev(v + 6);", 9 * 12),
        ("std::sort", "std::sort(v, v + 6, std::greater<int>()); " + whole, digits(descending)),
        ("std::max_element", "return (long long)(std::max_element(v, v + 6) - v);", 5),
        ("std::count_if", "return (long long)std::count_if(v, v + 6, [](int x) { return x > 3; });", 3),
        ("std::transform", "std::transform(v, v + 6, v, std::negate<int>()); " + whole, digits([-x for x in ROW])),
        ("std::find", "return (long long)(std::find(v, v + 6, 3) - v);", 1),
        ("std::all_of", "return (long long)std::all_of(v, v + 6, [](int x) { return x > -5; });", 1),
        ("std::reverse", "std::reverse(v, v + 6); " + whole, digits(ROW[::-1])),
        ("std::inner_product", "return (long long)std::inner_product(v, v + 6, v, 0);", sum(x * x for x in ROW)),
    ]
    for word, body, value in rows:
        case(word, "l", "", f"[&] {{ {text}{body} }}()", [((), value)])
    objects = [("divides", 3), ("modulus", 2), ("not_equal_to", 1), ("greater_equal", 1), ("less_equal", 0)]
    objects += [("bit_and", 1), ("bit_or", 21), ("bit_xor", 20), ("logical_and", 1), ("logical_or", 1)]
    for name, value in objects:
        case(f"std::{name}", "i", "", f"int(std::{name}<int>()(17, 5))", [((), value)])


def minstd(seed, count, factor):
    for _ in range(count):
        seed = seed * factor % 2147483647
    return seed


def random_numbers():
    # The C++ standard has the 10000th numbers of both engines.
    for name, value, factor in (("minstd_rand0", 1043618065, 16807), ("minstd_rand", 399268537, 48271)):
        assert minstd(1, 10000, factor) == value
        last = f"[&] {{ thrust::{name} e; e.discard(9999); return e(); }}()"
        case(f"thrust::{name}", "u", "", last, [((), value)])
    seeds = [1, 42, 2147483646, 2147483647, 4294967295]
    engine = "[&] { thrust::default_random_engine e(a); e.discard(5); return e(); }()"
    rows = [((seed,), minstd(seed % 2147483647 or 1, 6, 48271)) for seed in seeds]
    case("thrust::default_random_engine", "u", "u", engine, rows)

    def place(seed):
        return minstd(seed, 1, 48271) - 1

    real = "[&] { thrust::default_random_engine e(a); return thrust::uniform_real_distribution<%s>(-2, 3)(e); }()"
    rows = [((s,), place(s) / 2147483646.0 * 5.0 - 2.0) for s in (1, 42, 99999)]
    case("thrust::uniform_real_distribution", "d", "u", real % "double", rows)
    rows = [((s,), f32(f32(f32(f32(place(s)) / f32(2147483646.0)) * 5.0) - 2.0)) for s in (1, 42, 99999)]
    case("thrust::uniform_real_distribution", "f", "u", real % "float", rows)
    dice = "[&] { thrust::default_random_engine e(a); return thrust::uniform_int_distribution<int>(1, 6)(e); }()"
    rows = [((s,), int(place(s) / 2147483646.0 * 6.0 + 1.0)) for s in (1, 42, 99999, 123456789)]
    case("thrust::uniform_int_distribution", "i", "u", dice, rows)


def shuffled(count, seed):
    """The order that the last of the elements 0, 1, ... is drawn first, from the elements up to it."""
    state, places = seed, list(range(count))
    for left in range(count, 1, -1):
        while True:
            state = state * 48271 % 2147483647
            if state - 1 < 2147483646 - 2147483646 % left:
                break
        chosen = (state - 1) % left
        places[left - 1], places[chosen] = places[chosen], places[left - 1]
    return places


def zipped():
    rows = [((seed,), sum(x * 6**k for k, x in enumerate(shuffled(6, seed)))) for seed in (1, 7, 2147483646, 31415)]
    order = "unsigned w = 0; for (int k = 5; k >= 0; k--) w = w * 6 + unsigned(v[k]); return w;"
    engine = "thrust::default_random_engine e(a); "
    text = "int v[6] = {0, 1, 2, 3, 4, 5}; " + engine + "thrust::shuffle(thrust::seq, v, v + 6, e); " + order
    case("thrust::shuffle", "u", "u", f"[&] {{ {text} }}()", rows)
    zip_of = "thrust::make_zip_iterator(thrust::make_tuple(x%s, v%s))"
    ends = zip_of % ("", "") + ", " + zip_of % (" + 6", " + 6")
    text = "short x[6] = {0, 10, 20, 30, 40, 50}; int v[6] = {0, 1, 2, 3, 4, 5}; " + engine
    text += f"thrust::shuffle({ends}, e); for (int k = 0; k < 6; k++) if (x[k] != 10 * v[k]) return 0u; " + order
    case("thrust::shuffle", "u", "u", f"[&] {{ {text} }}()", rows)
    text = "short x[6] = {5, 3, 9, -4, 3, 12}; int v[6] = {0, 1, 2, 3, 4, 5}; " + engine
    text += "auto less = [](const thrust::tuple<int, int> &s, const thrust::tuple<int, int> &t) "
    text += "{ return thrust::get<0>(s) < thrust::get<0>(t); }; "
    text += f"thrust::sort(thrust::seq, {ends}, less); if (x[0] != -4 || x[5] != 12) return 0u; " + order
    places = sorted(range(6), key=lambda k: ROW[k])
    case("thrust::sort", "u", "u", f"[&] {{ {text} }}()", [((1,), sum(x * 6**k for k, x in enumerate(places)))])
    text = "float s; int t; thrust::tie(s, t) = thrust::make_pair(a + 0.5f, 3); return s * t;"
    case("thrust::tie", "f", "i", f"[&] {{ {text} }}()", [((2,), 7.5), ((-1,), -1.5)])
    text = "float s = 1, t = 2, u = 3, v = 4; std::tie(s, t) = std::tie(u, v); u = a; return s * 10 + t;"
    case("std::tie", "f", "i", f"[&] {{ {text} }}()", [((9,), 34.0)])
    text = "std::tuple<double, long long> wide(std::make_tuple(a, 3)); return std::get<0>(wide) + std::get<1>(wide);"
    case("std::tuple", "d", "f", f"[&] {{ {text} }}()", [((0.25,), 3.25)])
    text = "int v[4] = {1, 2, 3, 4}; thrust::device_ptr<int> p(v), q = p + 3; thrust::device_ptr<const int> r = q; "
    text += "*p = a; p[1] += *r; return v[0] + v[1] * 100 + int(q - p) * 10000 + (r.get() == v + 3) * 100000;"
    case("thrust::device_ptr", "i", "i", f"[&] {{ {text} }}()", [((42,), 42 + 600 + 30000 + 100000)])
    text = "int v[2] = {a, 5}; return *thrust::raw_pointer_cast(thrust::device_pointer_cast(v) + 1);"
    case("thrust::raw_pointer_cast", "i", "i", f"[&] {{ {text} }}()", [((42,), 5)])


def driver_names():
    for name in ("CUtexObject", "CUsurfObject"):
        case(name, "i", "", f"int(sizeof({name}))", [((), 8)])
    case("cudaExtent", "i", "", "int(make_cudaExtent(3, 4, 5).height + sizeof(cudaPitchedPtr))", [((), 36)])
    case("cudaPos", "i", "", "int(make_cudaPos(3, 4, 5).z)", [((), 5)])
    text = "struct A_ { A_(int) {} }; return std::is_constructible_v<A_, int> + 2 * std::is_default_constructible_v<A_>"
    text += " + 4 * std::is_copy_constructible<A_>::value + 8 * std::is_assignable_v<int &, float>"
    text += " + 16 * std::is_trivially_destructible_v<A_> + 32 * int(sizeof(std::aligned_storage_t<8, 4>));"
    case("std::is_constructible", "i", "", f"[&] {{ {text} }}()", [((), 1 + 4 + 8 + 16 + 32 * 8)])
