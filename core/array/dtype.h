// core/array/dtype.h -- dtype facts, promotion, casting rules and scalar conversion, all from dtypes.def and one
// promotion rule.
#pragma once
#include <gpuopt/gpuopt.h>

#include <span>

namespace gpuopt {

struct DtypeFacts {
  const char *name;
  char kind;  // '?', 'i', 'u', 'f', 'c'; 0 in row 0
  int size;
};
inline constexpr DtypeFacts kDtypeFacts[] = {
    {"default", 0, 0},
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) {#name, kind, size},
#include <gpuopt/dtypes.def>
};

constexpr bool valid_dtype(gpuopt_dtype d) { return d > 0 && d < GPUOPT_DTYPE_COUNT; }
// For valid dtypes.
constexpr int dtype_size(gpuopt_dtype d) { return kDtypeFacts[d].size; }
constexpr char dtype_kind(gpuopt_dtype d) { return kDtypeFacts[d].kind; }
constexpr const char *dtype_name(gpuopt_dtype d) { return kDtypeFacts[d].name; }
constexpr bool is_half(gpuopt_dtype d) { return d == GPUOPT_FLOAT16 || d == GPUOPT_BFLOAT16; }

gpuopt_dtype promote(gpuopt_dtype a, gpuopt_dtype b);
bool can_cast(gpuopt_dtype from, gpuopt_dtype to, int rule);  // 0 safe, 1 same kind (NumPy's)
gpuopt_dtype real_component(gpuopt_dtype d);                  // complex64 -> float32; others themselves
// What a weak scalar of `kind` (that of gpuopt_scalar) makes of arrays of dtype `strong`; 0 for `strong`: weak scalars
// alone.
gpuopt_dtype promote_weak(gpuopt_dtype strong, int32_t kind);
// `d` if it is a dtype, `standard` if it is 0; throws ERR_INVALID_ARGUMENT for other numbers.
gpuopt_dtype dtype_or(gpuopt_dtype d, gpuopt_dtype standard, const char *what);

// Writes `value` as one element of dtype d at `out` (16 bytes suffice). Throws ERR_OVERFLOW for an integer that does
// not fit, ERR_TYPE for complex into real or a float into an integer, unless `cast` (then gpuopt_astype's rules hold).
void store_scalar(const gpuopt_scalar &value, gpuopt_dtype d, void *out, bool cast = false);
// As a number is assigned to elements of d: floats are cast to integers, integers have to fit.
inline void store_weak(const gpuopt_scalar &value, gpuopt_dtype d, void *out) {
  store_scalar(value, d, out, value.kind == 'f');
}
gpuopt_scalar load_scalar(gpuopt_dtype d, const void *element);
// Throws ERR_INVALID_ARGUMENT unless the kind is one of the five.
void check_scalar(const gpuopt_scalar &value, const char *what);

}  // namespace gpuopt
