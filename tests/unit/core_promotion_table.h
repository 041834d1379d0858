// tests/unit/core_promotion_table.h -- made by make_core_promotion_table.py with NumPy 2.4.6; do not edit.
#pragma once

namespace gpuopt::test {

inline constexpr const char *kPromotion[15][15] = {
    {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
     "float64", "complex64", "complex128"},
    {"int8", "int8", "int16", "int32", "int64", "int16", "int32", "int64", "float64", "float16", "bfloat16", "float32",
     "float64", "complex64", "complex128"},
    {"int16", "int16", "int16", "int32", "int64", "int16", "int32", "int64", "float64", "float32", "float32", "float32",
     "float64", "complex64", "complex128"},
    {"int32", "int32", "int32", "int32", "int64", "int32", "int32", "int64", "float64", "float64", "float64", "float64",
     "float64", "complex128", "complex128"},
    {"int64", "int64", "int64", "int64", "int64", "int64", "int64", "int64", "float64", "float64", "float64", "float64",
     "float64", "complex128", "complex128"},
    {"uint8", "int16", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
     "float32", "float64", "complex64", "complex128"},
    {"uint16", "int32", "int32", "int32", "int64", "uint16", "uint16", "uint32", "uint64", "float32", "float32",
     "float32", "float64", "complex64", "complex128"},
    {"uint32", "int64", "int64", "int64", "int64", "uint32", "uint32", "uint32", "uint64", "float64", "float64",
     "float64", "float64", "complex128", "complex128"},
    {"uint64", "float64", "float64", "float64", "float64", "uint64", "uint64", "uint64", "uint64", "float64", "float64",
     "float64", "float64", "complex128", "complex128"},
    {"float16", "float16", "float32", "float64", "float64", "float16", "float32", "float64", "float64", "float16",
     "float32", "float32", "float64", "complex64", "complex128"},
    {"bfloat16", "bfloat16", "float32", "float64", "float64", "bfloat16", "float32", "float64", "float64", "float32",
     "bfloat16", "float32", "float64", "complex64", "complex128"},
    {"float32", "float32", "float32", "float64", "float64", "float32", "float32", "float64", "float64", "float32",
     "float32", "float32", "float64", "complex64", "complex128"},
    {"float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64",
     "float64", "float64", "float64", "complex128", "complex128"},
    {"complex64", "complex64", "complex64", "complex128", "complex128", "complex64", "complex64", "complex128",
     "complex128", "complex64", "complex64", "complex64", "complex128", "complex64", "complex128"},
    {"complex128", "complex128", "complex128", "complex128", "complex128", "complex128", "complex128", "complex128",
     "complex128", "complex128", "complex128", "complex128", "complex128", "complex128", "complex128"},
};

// [rule][from][to]; 0 safe, 1 same kind
inline constexpr bool kCastable[2][15][15] = {
    {
        {true, true, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, true, true, true, true, false, false, false, false, true, true, true, true, true, true},
        {false, false, true, true, true, false, false, false, false, false, false, true, true, true, true},
        {false, false, false, true, true, false, false, false, false, false, false, false, true, false, true},
        {false, false, false, false, true, false, false, false, false, false, false, false, true, false, true},
        {false, false, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, false, false, true, true, false, true, true, true, false, false, true, true, true, true},
        {false, false, false, false, true, false, false, true, true, false, false, false, true, false, true},
        {false, false, false, false, false, false, false, false, true, false, false, false, true, false, true},
        {false, false, false, false, false, false, false, false, false, true, false, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, false, true, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, false, false, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, false, false, false, true, false, true},
        {false, false, false, false, false, false, false, false, false, false, false, false, false, true, true},
        {false, false, false, false, false, false, false, false, false, false, false, false, false, false, true},
    },
    {
        {true, true, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, true, true, true, true, false, false, false, false, true, true, true, true, true, true},
        {false, true, true, true, true, false, false, false, false, true, true, true, true, true, true},
        {false, true, true, true, true, false, false, false, false, true, true, true, true, true, true},
        {false, true, true, true, true, false, false, false, false, true, true, true, true, true, true},
        {false, true, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, true, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, true, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, true, true, true, true, true, true, true, true, true, true, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, true, true, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, true, true, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, true, true, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, true, true, true, true, true, true},
        {false, false, false, false, false, false, false, false, false, false, false, false, false, true, true},
        {false, false, false, false, false, false, false, false, false, false, false, false, false, true, true},
    },
};

// An array with a Python bool, int, float, complex.
inline constexpr const char *kWeakPromotion[15][4] = {
    {"bool", "int64", "float64", "complex128"},
    {"int8", "int8", "float64", "complex128"},
    {"int16", "int16", "float64", "complex128"},
    {"int32", "int32", "float64", "complex128"},
    {"int64", "int64", "float64", "complex128"},
    {"uint8", "uint8", "float64", "complex128"},
    {"uint16", "uint16", "float64", "complex128"},
    {"uint32", "uint32", "float64", "complex128"},
    {"uint64", "uint64", "float64", "complex128"},
    {"float16", "float16", "float16", "complex64"},
    {"bfloat16", "bfloat16", "bfloat16", "complex64"},
    {"float32", "float32", "float32", "complex64"},
    {"float64", "float64", "float64", "complex128"},
    {"complex64", "complex64", "complex64", "complex64"},
    {"complex128", "complex128", "complex128", "complex128"},
};

}  // namespace gpuopt::test
