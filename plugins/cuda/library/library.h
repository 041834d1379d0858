// plugins/cuda/library/library.h -- what the library operations share: kernels by name, their parameters, layouts for
// them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/shared/host/tensor.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cuda {
using plugin::bytes_of;
using plugin::dtype_kind;
using plugin::dtype_name;
using plugin::element_size;
using plugin::product;
using plugin::size_of;
using plugin::Walk;

inline uint64_t address_of(const gpuopt_tensor &tensor) noexcept { return reinterpret_cast<uint64_t>(tensor.data); }

// A kernel's parameters, in the order its header lists them.
class KernelWords {
 public:
  KernelWords(std::initializer_list<uint64_t> words) : words_(words) {}

  // Appends a walk: its sizes, then each operand's strides.
  template <size_t operands>
  KernelWords &add(const Walk<operands> &walk) {
    for (int32_t axis = 0; axis < walk.ndim(); axis++) words_.push_back(static_cast<uint64_t>(walk.size(axis)));
    for (size_t j = 0; j < operands; j++) {
      for (int32_t axis = 0; axis < walk.ndim(); axis++) words_.push_back(static_cast<uint64_t>(walk.stride(axis, j)));
    }
    return *this;
  }
  KernelWords &add(int64_t word) {
    words_.push_back(static_cast<uint64_t>(word));
    return *this;
  }
  const std::vector<uint64_t> &words() const noexcept { return words_; }

 private:
  std::vector<uint64_t> words_;
};

// A stream, and the operation that runs on it.
struct Work {
  Device &device;
  Stream &stream;
  const char *operation;  // for messages, a static string
};

// Launches `function`, an instance of a kernel template of plugins/cuda/text/<header>: "gpo::take<gpo::u32, 2>". It is
// compiled on a miss. The context is current. Throws ERR_UNSUPPORTED if a grid cannot have so many blocks.
void launch_library(const Work &work, const char *header, const std::string &function, const KernelWords &parameters,
                    int64_t blocks, uint32_t threads);

// Launches a kernel that calls for_moves() (text/walk.h) for n > 0 positions, with the number of blocks that it needs.
void launch_moves(const Work &work, const char *header, const std::string &function, const KernelWords &parameters,
                  int64_t n);

// Replaces the `n` u64 at address `counts` by their exclusive prefix sums, and the one behind them by their total. One
// block of this many threads (starts_threads of text/gather.h) runs gpo::mask_starts.
inline constexpr uint32_t kStartsThreads = 1024;
void launch_starts(const Work &work, int64_t n, uint64_t counts);

// Returns "gpo::<name><a,b,c>", the name of an instance of a template.
std::string instance(const char *name, std::initializer_list<std::string> arguments);
// Returns a template's argument.
inline const char *flag(bool value) noexcept { return value ? "true" : "false"; }
// Return the names that kernels have for the integer that counts n elements, the unit of 1, 2, 4, 8 or 16 bytes, and
// the type of a dtype's elements.
const char *count_type(int64_t n) noexcept;
const char *unit_type(int64_t bytes) noexcept;
const char *element_type(int32_t dtype) noexcept;

// Sets bytes of device memory, in stream order.
void fill_bytes(const Work &work, CUdeviceptr to, unsigned char value, uint64_t bytes);
// Copies n words to the host, and waits for the stream.
void read_words(const Work &work, CUdeviceptr from, uint64_t *words, int64_t n);

// An iteration space before its axes are merged, with byte strides for each operand.
template <size_t operands>
struct Axes {
  using Steps = std::array<int64_t, operands>;
  std::vector<int64_t> shape;
  std::array<std::vector<int64_t>, operands> strides;

  void append(int64_t size, const Steps &steps) {
    shape.push_back(size);
    for (size_t j = 0; j < operands; j++) strides[j].push_back(steps[j]);
  }
  Walk<operands> walk() const {
    typename Walk<operands>::Strides all;
    for (size_t j = 0; j < operands; j++) all[j] = strides[j].data();
    return Walk<operands>(static_cast<int32_t>(shape.size()), shape.data(), all);
  }
  // Returns the OR of an operand's strides, without those of axes of size 1. Its lowest bit divides every offset.
  int64_t grain(size_t operand) const noexcept {
    int64_t bits = 0;
    for (size_t axis = 0; axis < shape.size(); axis++) bits |= shape[axis] > 1 ? strides[operand][axis] : 0;
    return bits;
  }
};

// Cuts a row, of which there are two layouts, into the largest units of up to 16 bytes that are contiguous and aligned
// in both.
struct RowUnits {
  // `grain` is the OR of all base addresses and strides between rows, in both layouts; its trailing zeros give the
  // alignment of the rows. `element` is the size of an element in bytes.
  RowUnits(int32_t ndim, const int64_t *row_shape, const int64_t *to_strides, const int64_t *from_strides,
           int64_t element, uint64_t grain);

  int64_t unit;  // bytes
  Axes<2> axes;
  int64_t size() const noexcept { return product(static_cast<int32_t>(axes.shape.size()), axes.shape.data()); }
};

// Copies all elements from one layout to another of the same dtype; `shape` is that of both. They must not overlap.
void copy_elements(const Work &work, int32_t ndim, const int64_t *shape, const gpuopt_tensor &to,
                   const gpuopt_tensor &from);

}  // namespace gpuopt::cuda
