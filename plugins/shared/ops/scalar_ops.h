// plugins/shared/ops/scalar_ops.h -- one definition of every elementwise row of abi/gpuopt/ops.def: struct
// gpo::ops::<row>
//
// apply() takes and returns the loop dtype (bool for BOOL and LOGICAL rows, the component type for REAL rows); SELECT
// rows take bool first. Loop types: bool, i8..i64, u8..u64, float, double, c64, c128. float16 and bfloat16 loops run in
// float and are rounded once by the caller, except nextafter, which has its own. A backend that compiles text at run
// time may include only the header under ops/ that holds the rows it needs.
#ifndef GPUOPT_PLUGINS_SHARED_OPS_SCALAR_OPS_H_
#define GPUOPT_PLUGINS_SHARED_OPS_SCALAR_OPS_H_

#include "plugins/shared/math/complex_functions.h"
#include "plugins/shared/ops/arithmetic.h"
#include "plugins/shared/ops/comparison.h"
#include "plugins/shared/ops/explog.h"
#include "plugins/shared/ops/extremes.h"
#include "plugins/shared/ops/logic.h"
#include "plugins/shared/ops/power.h"
#include "plugins/shared/ops/rounding.h"
#include "plugins/shared/ops/special.h"
#include "plugins/shared/ops/trig.h"

#endif  // GPUOPT_PLUGINS_SHARED_OPS_SCALAR_OPS_H_
