// core/dtype.h -- dtype facts, promotion, casting rules and scalar conversion, all from dtypes.def and one promotion table.
#pragma once
#include <gpuopt/gpuopt.h>

#include <span>

namespace gpuopt {

inline bool valid_dtype(gpuopt_dtype d) { return d > 0 && d < GPUOPT_DTYPE_COUNT; }
int dtype_size(gpuopt_dtype d);
char dtype_kind(gpuopt_dtype d);
const char *dtype_name(gpuopt_dtype d);
gpuopt_dtype promote(gpuopt_dtype a, gpuopt_dtype b);
bool can_cast(gpuopt_dtype from, gpuopt_dtype to, int rule);  // 0 safe, 1 same kind
gpuopt_dtype real_component(gpuopt_dtype d);                  // complex64 -> float32; others themselves

// Writes `value` as one element of dtype d at `out` (16 bytes suffice). Throws ERR_OVERFLOW for an integer that does not fit,
// ERR_TYPE for complex into real or a float into an integer, unless `cast` (then gpuopt_astype's rules hold).
void store_scalar(const gpuopt_scalar &value, gpuopt_dtype d, void *out, bool cast = false);
gpuopt_scalar load_scalar(gpuopt_dtype d, const void *element);

}  // namespace gpuopt
