// abi/gpuopt/gpuopt.hpp -- the C++17 face of gpuopt.h: arrays as values, operators, exceptions. Header-only.
//
//   namespace gp = gpuopt;
//   gp::with_device scope("cuda");                       // the CPU, with one warning, where CUDA cannot work
//   gp::array x = gp::linspace(0, 1, 1000);
//   gp::array y = gp::maximum(0, x) + gp::log1p(gp::exp(-gp::abs(x)));
//   y[y > 1] = 0;
//   std::cout << y[gp::slice(0, 5)] << gp::mean(y).item<double>() << "\n";
//
// What gpuopt.h says of statuses, threads, recording, dtypes and shapes holds here. This header adds:
//
// Errors. Every failure is thrown as gpuopt::error, which carries the gpuopt_error; nothing has changed then.
//
// Copying. A handle (array, device, stream) is a reference: a copy is another reference to the same object, and moving
// leaves the source empty. array::copy() copies elements. A default-constructed array is empty: no array at all.
//
// Assigning. `v = w` makes the variable v refer to what w refers to. An assignment to an expression writes elements:
// x(0, gp::all) = w, x[mask] = 0, x[gp::slice(1, 3)] = 5; and so does every compound assignment (x += w), in place.
// After `auto row = x[0];` the variable row is a view: row += 1, row.assign(w) and row = 5 write into x; row = w, with
// an array, makes it refer to w, as in Python.
//
// Rows. for (auto row : x) goes through views along the first axis. Functions are methods, too: x.sum(0), x.T().
//
// Temporaries. Operators and functions take the references of temporaries over, so that mean((x - y) * (x - y)) reads x
// and y once and stores nothing between, though C++ keeps temporaries alive to the end of the line.
//
// Several subscripts. x(0, gp::all) or x[{0, gp::all}]; from C++23 on also x[0, gp::all], which before is a comma
// operator, and does not compile.
//
// Numbers. C++ numbers beside arrays are weak scalars (x * 2 keeps a float32 x float32). Numbers in braces are taken as
// NumPy takes Python's: integers int64, reals float64; float literals alone float32.
//
// Where. Creation takes a device, by default current_device(): that of the innermost with_device or with_stream of this
// thread, else device(): the environment's choice, read at that call. The scopes live in this header alone.
//
// Operators. As NumPy's: / is true division, % has the sign of the divisor, == and < give bool arrays, ^ is exclusive
// or (pow raises to a power), << and >> shift.
#ifndef GPUOPT_HPP
#define GPUOPT_HPP

#if !(defined(__cplusplus) && __cplusplus >= 201703L) && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
// Ends the compilation with this one sentence: after #error a compiler goes on, and reports every name that is missing.
#include "gpuopt.hpp needs C++17: compile with -std=c++17 or a later version"
#endif

#include "gpuopt_ops.hpp"  // one function per row of the op table
#include "hpp/apply.hpp"
#include "hpp/array.hpp"
#include "hpp/comm.hpp"
#include "hpp/compiled.hpp"
#include "hpp/creation.hpp"
#include "hpp/fft.hpp"
#include "hpp/functions.hpp"
#include "hpp/fuse.hpp"
#include "hpp/interop.hpp"
#include "hpp/joins.hpp"
#include "hpp/kernel.hpp"
#include "hpp/linalg.hpp"
#include "hpp/methods.hpp"
#include "hpp/numbers.hpp"
#include "hpp/polynomial.hpp"
#include "hpp/random.hpp"
#include "hpp/selection.hpp"
#include "hpp/shard.hpp"
#include "hpp/signal.hpp"
#include "hpp/sorting.hpp"
#include "hpp/statistics.hpp"
#include "hpp/text.hpp"
#include "hpp/texture.hpp"
#include "hpp/ufunc.hpp"

#endif
