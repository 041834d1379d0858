// core/linalg/spectral.h -- singular values. `what` opens the messages.
#pragma once
#include "core/engine/expression.h"

namespace gpuopt {

// The singular values of matrices() (matrices.h); and all factors, as gpuopt_svd().
ArrayRef singular_values(const ArrayRef &x, const char *what);
struct SvdFactors {
  ArrayRef u, s, vh;
};
SvdFactors svd(const ArrayRef &x, bool full, const char *what);

}  // namespace gpuopt
