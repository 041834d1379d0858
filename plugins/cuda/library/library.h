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

  // A walk: its sizes, then each operand's strides.
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

// A stream and what is done on it.
struct Work {
  Device &device;
  Stream &stream;
  const char *operation;  // for messages, a static string
};

// Launches `function`, an instance of a kernel template of plugins/cuda/text/<header>: "gpo::take<gpo::u32, 2>".
void launch_library(const Work &work, const char *header, const std::string &function, const KernelWords &parameters,
                    int64_t blocks, uint32_t threads);

// The same with the blocks for_moves of walk.h needs for n > 0 positions.
void launch_moves(const Work &work, const char *header, const std::string &function, const KernelWords &parameters,
                  int64_t n);

// Turns `n` counts into where each begins, and the total behind them, in place: gpo::mask_starts, in one block of so
// many threads (starts_threads of text/gather.h).
inline constexpr uint32_t kStartsThreads = 1024;
void launch_starts(const Work &work, int64_t n, uint64_t counts);

// "<name><a, b, c>" of template arguments.
std::string instance(const char *name, std::initializer_list<std::string> arguments);
// As kernels name them: the integer that counts n elements, the unit of so many bytes, a dtype's own type.
const char *count_type(int64_t n) noexcept;
const char *unit_type(int64_t bytes) noexcept;
const char *element_type(int32_t dtype) noexcept;

void fill_bytes(const Work &work, CUdeviceptr to, unsigned char value, uint64_t bytes);
// Waits for the stream.
void read_words(const Work &work, CUdeviceptr from, uint64_t *words, int64_t n);

// An iteration space before its axes are merged.
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
  // All strides that matter or'ed: its lowest bit is what every offset is a multiple of.
  int64_t grain(size_t operand) const noexcept {
    int64_t bits = 0;
    for (size_t axis = 0; axis < shape.size(); axis++) bits |= shape[axis] > 1 ? strides[operand][axis] : 0;
    return bits;
  }
};

// A row that lies in two layouts, cut into the largest units of up to 16 bytes that are whole and aligned in both.
struct RowUnits {
  // `grain` has all that the addresses of rows are made of or'ed in: the first ones, and the steps between them.
  RowUnits(int32_t ndim, const int64_t *row_shape, const int64_t *to_strides, const int64_t *from_strides,
           int64_t element, uint64_t grain);

  int64_t unit;  // bytes
  Axes<2> axes;
  int64_t size() const noexcept { return product(static_cast<int32_t>(axes.shape.size()), axes.shape.data()); }
};

}  // namespace gpuopt::cuda
