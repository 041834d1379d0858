// plugins/cuda/program/source.h -- the text of the kernels that run a pass, and the words they take.
#pragma once

#include <string>
#include <vector>

#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/program/layout.h"

namespace gpuopt::cuda {

// The first parameters (64-bit words) of every kernel of a program.
enum HeaderWord {
  kRowsWord,     // rows; for points, elements
  kLengthWord,   // elements of a row
  kCutWord,      // blocks of a row (Map), chunks of a group (Reduce) or of a sequence (Scan)
  kGroupsWord,   // groups of a sequence (Reduce)
  kScratchWord,  // address of partial results or totals
  kHeaderWords
};

// The positions of a pass's parameters among its words.
struct PassWords {
  static constexpr int kNone = -1;

  int outer_sizes = 0, inner_sizes = 0;
  // For each operand: its address, and its strides over the outer and the inner dimensions; kNone if these do not
  // matter.
  std::vector<int> address, outer_strides, inner_strides;
  std::vector<std::pair<uint16_t, int>> constants;  // step, and the first of its two words
  int count = 0;
};

// Assigns a position to each parameter of a pass.
PassWords place_parameters(const Pass &pass, const Shape &shape);

// Returns the kernels of a pass, in the order in which they run: one; two for a split Reduce; three for a split Scan.
// The entry functions are called `name`, with a number behind it if there are several.
std::vector<KernelSource> write_kernels(const gpuopt_step *steps, const Pass &pass, const Shape &shape,
                                        const std::string &name);

// The name of the kernels of all programs, so that equal passes have equal texts, and share a kernel in every cache.
inline constexpr char kKernelName[] = "gpuopt_program";

// Returns the number of threads of a block of kernel number `kernel`, which the templates of plugins/cuda/text assume.
int block_threads(KernelKind kind, size_t kernel);

// Returns how often a thread reads before it computes: vectors of shape.vector elements of a Map's row, points of a
// Map, elements or vectors of a Reduce's row, or groups of four of a column. What hides the latency of memory is the
// number of bytes in flight, whatever the elements are: about 64 for each thread, unless the code, which is repeated
// for each read, becomes too long.
int reads_ahead(const Pass &pass, const Shape &shape);

}  // namespace gpuopt::cuda
