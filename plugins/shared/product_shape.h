// plugins/shared/product_shape.h -- the fixed order of sums in products of floating-point matrices, in code that every
// backend can share
#ifndef GPUOPT_PLUGINS_SHARED_PRODUCT_SHAPE_H_
#define GPUOPT_PLUGINS_SHARED_PRODUCT_SHAPE_H_

#include "plugins/shared/prelude.h"

namespace gpo {

// An element of a product is the sum over k of a[i, k] b[k, j]. The terms are cut into blocks of product_block; the
// last one may be shorter. A block's sum starts with +0 and adds one term after the other, in order of k, by fused
// multiply-add: sum = fma(a, b, sum). The first block's sum is the element; the sums of later blocks are added to it in
// their order. A complex term counts as two: the real part adds a.re b.re and then (-a.im) b.im, the imaginary part
// a.re b.im and then a.im b.re. 16-bit floats are converted to float, and the element is rounded once at the end.
//
// A block is one loop with its sums in registers, and blocks can be computed in any order or place and added later. Of
// the lengths from 128 to 1024, 512 is about the shortest with which the time for adding blocks does not show.
inline constexpr int product_block = 512;

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_PRODUCT_SHAPE_H_
