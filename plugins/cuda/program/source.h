// plugins/cuda/program/source.h -- the text of the kernels that run a pass, and the words they take.
#pragma once

#include <string>
#include <vector>

#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/program/layout.h"

namespace gpuopt::cuda {

// Words every kernel of a program begins with.
enum HeaderWord {
  kRowsWord,     // rows; for points, elements
  kLengthWord,   // elements of a row
  kCutWord,      // blocks of a row; chunks of a group; chunks of a scan
  kGroupsWord,   // groups of a sequence
  kScratchWord,  // address of partial results or totals
  kHeaderWords
};

// Where the parameters of a pass are among its words.
struct PassWords {
  static constexpr int kNone = -1;

  int outer_sizes = 0, inner_sizes = 0;
  // Per operand: its address, and its strides over either group of dimensions where these matter.
  std::vector<int> address, outer_strides, inner_strides;
  std::vector<std::pair<uint16_t, int>> constants;  // step, word
  int count = 0;
};

PassWords place_parameters(const Pass &pass, const Shape &shape);

// The kernels of a pass, in the order in which they run: one; two of a split reduction; three of a split scan. The
// entry functions are called `name`, with a number where there are several, so that several passes may share a text.
std::vector<KernelSource> write_kernels(const gpuopt_step *steps, const Pass &pass, const Shape &shape,
                                        const std::string &name);

// The name of the kernels of all programs: equal texts are one kernel, in every cache.
inline constexpr char kKernelName[] = "gpuopt_program";

// Threads of the blocks that the kernel of this number runs in: what the templates of plugins/cuda/text count on.
int block_threads(KernelKind kind, size_t kernel);

// How often a thread reads before it computes: vectors of shape.vector elements of a Map's row, points of a Map,
// elements of a Reduce's row, or four of a column. What hides the latency of memory is the number of bytes on their
// way, whatever the elements are: about 64, as far as the code allows that is repeated for each.
int reads_ahead(const Pass &pass, const Shape &shape);

}  // namespace gpuopt::cuda
