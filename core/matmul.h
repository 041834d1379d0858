// core/matmul.h -- matrix products of arrays.
#pragma once
#include "array.h"

namespace gpuopt {

// Array API matmul. `what` names the calling operation in messages.
ArrayRef matmul(gpuopt_array x1, gpuopt_array x2, const char *what);

// out = a @ b on the host, for backends without the slot: a[..., m, k], b[..., k, n], out[..., m, n] of one dtype and
// equal batch shapes, out C-contiguous. Slow and plain.
void matmul_on_host(gpuopt_array a, gpuopt_array b, gpuopt_array out);

}  // namespace gpuopt
