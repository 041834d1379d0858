// core/array/dtype.h -- the properties of dtypes (dtypes.def), promotion, casting rules, and conversion of scalars.
#pragma once
#include <gpuopt/gpuopt.h>

#include <span>

namespace gpuopt {

struct DtypeFacts {
  const char *name;
  char kind;  // NumPy's: '?', 'i', 'u', 'f', 'c'; 0 in row 0, which is GPUOPT_DTYPE_DEFAULT
  int size;   // bytes of an element
};
inline constexpr DtypeFacts kDtypeFacts[] = {
    {"default", 0, 0},
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) {#name, kind, size},
#include <gpuopt/dtypes.def>
};

constexpr bool valid_dtype(gpuopt_dtype d) { return d > 0 && d < GPUOPT_DTYPE_COUNT; }
// These functions, promote() and can_cast() require valid dtypes.
constexpr int dtype_size(gpuopt_dtype d) { return kDtypeFacts[d].size; }
constexpr char dtype_kind(gpuopt_dtype d) { return kDtypeFacts[d].kind; }
constexpr const char *dtype_name(gpuopt_dtype d) { return kDtypeFacts[d].name; }
constexpr bool is_half(gpuopt_dtype d) { return d == GPUOPT_FLOAT16 || d == GPUOPT_BFLOAT16; }

// Returns the dtype that two arrays promote to, as NumPy's promote_types; bfloat16 with float16 gives float32.
gpuopt_dtype promote(gpuopt_dtype a, gpuopt_dtype b);
bool can_cast(gpuopt_dtype from, gpuopt_dtype to, int rule);  // NumPy's casting: 0 "safe", 1 "same_kind"
gpuopt_dtype real_component(gpuopt_dtype d);                  // complex64 -> float32; real dtypes are unchanged
// Returns the dtype that arrays of dtype `strong` promote to together with a weak scalar of `kind` (that of
// gpuopt_scalar). 0 for `strong` means that there are no arrays.
gpuopt_dtype promote_weak(gpuopt_dtype strong, int32_t kind);
// Returns `d` if it is a dtype, `standard` if it is GPUOPT_DTYPE_DEFAULT. Throws ERR_INVALID_ARGUMENT otherwise.
gpuopt_dtype dtype_or(gpuopt_dtype d, gpuopt_dtype standard, const char *what);

// Writes `value` as one element of dtype d to `out` (at most 16 bytes, any alignment). With `cast` any value is
// converted, by the rules of gpuopt_astype; otherwise this throws ERR_OVERFLOW if an integer does not fit, ERR_TYPE if
// a float is to become an integer or a complex number anything else.
void store_scalar(const gpuopt_scalar &value, gpuopt_dtype d, void *out, bool cast = false);
// Does that as for an assignment to elements of dtype d: floats are cast to integers, but integers have to fit.
inline void store_weak(const gpuopt_scalar &value, gpuopt_dtype d, void *out) {
  store_scalar(value, d, out, value.kind == 'f');
}
// Returns the value of one element of dtype d (any alignment).
gpuopt_scalar load_scalar(gpuopt_dtype d, const void *element);
// Throws ERR_INVALID_ARGUMENT unless the scalar's kind is '?', 'i', 'u', 'f' or 'c'.
void check_scalar(const gpuopt_scalar &value, const char *what);

}  // namespace gpuopt
