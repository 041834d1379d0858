"""tests/kernels/word_results/types.py -- constants, types and namespace std."""

import mpmath as mp

from .values import INF, NAN, case, f32, near


def constants():
    whole = {
        "CHAR_BIT": 8,
        "INT_MAX": 2147483647,
        "INT_MIN": -2147483648,
        "SHRT_MAX": 32767,
        "SHRT_MIN": -32768,
        "USHRT_MAX": 65535,
        "UCHAR_MAX": 255,
        "SCHAR_MAX": 127,
        "SCHAR_MIN": -128,
        "LLONG_MAX": (1 << 63) - 1,
        "LLONG_MIN": -(1 << 63),
        "LONG_MAX": (1 << 63) - 1,
        "LONG_MIN": -(1 << 63),
        "INT8_MIN": -128,
        "INT8_MAX": 127,
        "INT16_MIN": -32768,
        "INT16_MAX": 32767,
        "INT32_MIN": -2147483648,
        "INT32_MAX": 2147483647,
        "INT64_MIN": -(1 << 63),
        "INT64_MAX": (1 << 63) - 1,
        "UINT8_MAX": 255,
        "UINT16_MAX": 65535,
        "FLT_DIG": 6,
        "DBL_DIG": 15,
        "FLT_MANT_DIG": 24,
        "DBL_MANT_DIG": 53,
        "FLT_MAX_EXP": 128,
        "DBL_MAX_EXP": 1024,
        "FLT_MIN_EXP": -125,
        "DBL_MIN_EXP": -1021,
        "FLT_RADIX": 2,
        "FLT_MAX_10_EXP": 38,
        "DBL_MAX_10_EXP": 308,
    }
    for word, value in whole.items():
        case(word, "l", "", f"(long long)({word})", [((), value)])
    for word, value in {
        "UINT_MAX": 2**32 - 1,
        "ULLONG_MAX": 2**64 - 1,
        "ULONG_MAX": 2**64 - 1,
        "UINT32_MAX": 2**32 - 1,
        "UINT64_MAX": 2**64 - 1,
        "SIZE_MAX": 2**64 - 1,
    }.items():
        case(word, "k", "", f"(unsigned long long)({word})", [((), value)])
    for word, value in {
        "FLT_MAX": f32(3.4028234663852886e38),
        "FLT_MIN": 2.0**-126,
        "FLT_EPSILON": 2.0**-23,
        "FLT_TRUE_MIN": 2.0**-149,
        "INFINITY": INF,
        "NAN": NAN,
        "HUGE_VALF": INF,
        "CUDART_INF_F": INF,
        "CUDART_NAN_F": NAN,
        "CUDART_MAX_NORMAL_F": f32(3.4028234663852886e38),
        "CUDART_MIN_DENORM_F": 2.0**-149,
        "CUDART_NEG_ZERO_F": -0.0,
    }.items():
        case(word, "f", "", word, [((), value)])
    for word, value in {
        "DBL_MAX": 1.7976931348623157e308,
        "DBL_MIN": 2.0**-1022,
        "DBL_EPSILON": 2.0**-52,
        "DBL_TRUE_MIN": 5e-324,
        "HUGE_VAL": INF,
        "CUDART_INF": INF,
        "CUDART_NAN": NAN,
        "CUDART_MIN_DENORM": 5e-324,
        "CUDART_NEG_ZERO": -0.0,
    }.items():
        case(word, "d", "", word, [((), value)])
    e, pi = mp.e, mp.pi
    exact = {
        "M_E": e,
        "M_LOG2E": 1 / mp.log(2),
        "M_LOG10E": 1 / mp.log(10),
        "M_LN2": mp.log(2),
        "M_LN10": mp.log(10),
        "M_PI": pi,
        "M_PI_2": pi / 2,
        "M_PI_4": pi / 4,
        "M_1_PI": 1 / pi,
        "M_2_PI": 2 / pi,
        "M_2_SQRTPI": 2 / mp.sqrt(pi),
        "M_SQRT2": mp.sqrt(2),
        "M_SQRT1_2": mp.sqrt(mp.mpf(1) / 2),
    }
    for word, value in exact.items():
        case(word, "d", "", word, [((), near(value, "d"))])
    both = {
        "PI": pi,
        "PIO2": pi / 2,
        "PIO4": pi / 4,
        "3PIO4": 3 * pi / 4,
        "2_OVER_PI": 2 / pi,
        "SQRT_TWO": mp.sqrt(2),
        "SQRT_HALF": mp.sqrt(mp.mpf(1) / 2),
        "L2E": 1 / mp.log(2),
        "L2T": mp.log(10, 2),
        "LG2": mp.log10(2),
        "LGE": mp.log10(e),
        "LN2": mp.log(2),
        "LNT": mp.log(10),
        "LNPI": mp.log(pi),
        "SQRT_2_OVER_PI": mp.sqrt(2 / pi),
        "THIRD": mp.mpf(1) / 3,
    }
    for name, value in both.items():
        case(f"CUDART_{name}", "d", "", f"CUDART_{name}", [((), near(value, "d"))])
        case(f"CUDART_{name}_F", "f", "", f"CUDART_{name}_F", [((), near(value, "f"))])


def types():
    base = {
        "char": ("c", 1),
        "uchar": ("u", 1),
        "short": ("s", 2),
        "ushort": ("t", 2),
        "int": ("i", 4),
        "uint": ("u", 4),
        "long": ("l", 8),
        "ulong": ("k", 8),
        "longlong": ("l", 8),
        "ulonglong": ("k", 8),
        "float": ("f", 4),
        "double": ("d", 8),
    }
    for name, (_, size) in base.items():
        for n in (1, 2, 3, 4):
            align = size if n in (1, 3) else min(size * n, 16)
            values = ", ".join(str(k + 3) for k in range(n))
            member = "xyzw"[n - 1]
            number = f"1000 * int(sizeof v) + 100 * int(alignof({name}{n})) + int(v.{member})"
            expression = f"[&] {{ {name}{n} v = make_{name}{n}({values}); return {number}; }}()"
            case(f"make_{name}{n}", "i", "", expression, [((), 1000 * size * n + 100 * align + n + 2)])
    case("dim3", "i", "", "[&] { dim3 d(3, 4); return int(d.x * 100 + d.y * 10 + d.z); }()", [((), 341)])
    for word, size in (
        ("uint", 4),
        ("uchar", 1),
        ("ushort", 2),
        ("ulong", 8),
        ("int8_t", 1),
        ("uint16_t", 2),
        ("int32_t", 4),
        ("uint64_t", 8),
        ("size_t", 8),
        ("uintptr_t", 8),
        ("intptr_t", 8),
        ("ptrdiff_t", 8),
    ):
        case(word, "i", "", f"int(sizeof({word}))", [((), size)])
    case("NULL", "b", "", "[&] { int *p = NULL; return p == nullptr; }()", [((), 1)])
    case("__CUDA_ARCH__", "b", "", "__CUDA_ARCH__ >= 700", [((), 1)])


def standard():
    rows = [
        ("std::numeric_limits", "i", "std::numeric_limits<int>::max()", 2147483647),
        ("std::numeric_limits", "l", "std::numeric_limits<long long>::min()", -(1 << 63)),
        ("std::numeric_limits", "i", "int(std::numeric_limits<unsigned char>::max())", 255),
        ("std::numeric_limits", "f", "std::numeric_limits<float>::infinity()", INF),
        ("std::numeric_limits", "d", "std::numeric_limits<double>::epsilon()", 2.0**-52),
        ("std::numeric_limits", "f", "std::numeric_limits<float>::lowest()", -f32(3.4028234663852886e38)),
        ("std::min", "i", "std::min(3, 4)", 3),
        ("std::max", "d", "std::max(3.5, 4.5)", 4.5),
        ("std::clamp", "i", "std::clamp(9, 1, 5)", 5),
        ("std::swap", "i", "[&] { int x = 1, y = 2; std::swap(x, y); return 10 * x + y; }()", 21),
        ("std::exchange", "i", "[&] { int x = 1; int y = std::exchange(x, 7); return 10 * x + y; }()", 71),
        ("std::move", "i", "[&] { int x = 5; int y = std::move(x); return y; }()", 5),
        ("std::pair", "i", "[&] { auto [x, y] = std::make_pair(3, 4); return 10 * x + y; }()", 34),
        (
            "std::array",
            "i",
            "[&] { std::array<int, 3> v = {1, 2, 3}; int s = 0; for (int x : v) s = 10 * s + x; return s; }()",
            123,
        ),
        (
            "std::tuple",
            "i",
            "[&] { auto t = std::make_tuple(1, 2.5f, 7); std::get<0>(t) += 4; "
            "return 10 * std::get<0>(t) + std::get<2>(t); }()",
            57,
        ),
        ("std::tie", "i", "[&] { int x, y; std::tie(x, y) = std::make_tuple(6, 7); return 10 * x + y; }()", 67),
        ("std::tuple_size", "i", "int(std::tuple_size<std::tuple<int, float>>::value)", 2),
        ("std::complex", "f", "(std::complex<float>(1, 2) * std::complex<float>(3, -1)).imag()", 5.0),
        ("std::norm", "d", "std::norm(std::complex<double>(3, 4))", 25.0),
        ("std::abs", "d", "std::abs(std::complex<double>(3, 4))", 5.0),
        ("std::sqrt", "d", "std::sqrt(6.25)", 2.5),
        ("std::fabs", "f", "std::fabs(-1.5f)", 1.5),
        ("std::is_same", "b", "std::is_same<int, const int>::value", 0),
        ("std::is_same_v", "b", "std::is_same_v<std::decay_t<const int &>, int>", 1),
        ("std::is_integral", "b", "std::is_integral<unsigned long>::value", 1),
        ("std::is_floating_point_v", "b", "std::is_floating_point_v<float>", 1),
        ("std::is_signed_v", "b", "std::is_signed_v<unsigned>", 0),
        ("std::is_pointer_v", "b", "std::is_pointer_v<int *const>", 1),
        ("std::is_convertible_v", "b", "std::is_convertible_v<int, double>", 1),
        ("std::is_convertible_v", "b", "std::is_convertible_v<int *, double>", 0),
        ("std::conditional_t", "b", "sizeof(std::conditional_t<true, char, double>) == 1", 1),
        ("std::enable_if_t", "b", "sizeof(std::enable_if_t<true, short>) == 2", 1),
        ("std::make_unsigned_t", "b", "std::make_unsigned_t<int>(-1) == 0xffffffffu", 1),
        ("std::common_type_t", "b", "std::is_same_v<std::common_type_t<int, float>, float>", 1),
        ("std::integral_constant", "i", "std::integral_constant<int, 9>::value", 9),
        (
            "std::lower_bound",
            "i",
            "[&] { int v[] = {1, 3, 3, 7}; return int(std::lower_bound(v, v + 4, 3) - v); }()",
            1,
        ),
        (
            "std::upper_bound",
            "i",
            "[&] { int v[] = {1, 3, 3, 7}; return int(std::upper_bound(v, v + 4, 3) - v); }()",
            3,
        ),
        ("std::plus", "i", "std::plus<int>()(3, 4)", 7),
        ("std::greater", "b", "std::greater<>()(3, 4)", 0),
        ("std::size_t", "i", "int(sizeof(std::size_t))", 8),
        ("std::uint32_t", "i", "int(sizeof(std::uint32_t))", 4),
        ("cuda::std::array", "i", "[&] { cuda::std::array<int, 2> v = {4, 5}; return v[1]; }()", 5),
        ("cuda::std::numeric_limits", "i", "cuda::std::numeric_limits<int>::digits", 31),
        ("memcpy", "i", "[&] { int x = 9, y; memcpy(&y, &x, sizeof y); return y; }()", 9),
        ("memset", "i", "[&] { int y; memset(&y, 1, sizeof y); return y; }()", 0x01010101),
        (
            "memmove",
            "i",
            "[&] { char v[4] = {1, 2, 3, 4}; memmove(v + 1, v, 3); "
            "return v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3]; }()",
            1123,
        ),
        ("memcmp", "i", "[&] { char v[2] = {1, 2}, w[2] = {1, 3}; return memcmp(v, w, 2) < 0 ? 1 : 0; }()", 1),
    ]
    for word, kind, expression, value in rows:
        case(word, kind, "", expression, [((), value)])
