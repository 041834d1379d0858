// plugins/cuda/library/library.cpp -- kernels of library operations, made from headers and launched.
#include "plugins/cuda/library/library.h"

#include "plugins/cuda/compile/launch.h"
#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

constexpr int64_t kMostBlocks = INT32_MAX;         // of a grid, which is one-dimensional
constexpr int64_t kMoves = 4, kMoveThreads = 256;  // moves and move_threads of text/walk.h

KernelSource source_of(const Work &work, const char *header, const std::string &function, int words, uint32_t threads) {
  const std::string entry = std::string("gpuopt_") + work.operation;
  const std::string text = std::string("#include \"plugins/cuda/text/") + header + "\"\n" +
                           kernel_head(entry, words, static_cast<int>(threads)) + " { " + function + "(p); }\n";
  return {entry, work.operation, text, words, static_cast<int>(threads)};
}

}  // namespace

void launch_library(const Work &work, const char *header, const std::string &function, const KernelWords &parameters,
                    int64_t blocks, uint32_t threads) {
  if (blocks > kMostBlocks)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: %lld blocks are more than a grid has", work.operation,
         static_cast<long long>(blocks));
  const std::vector<uint64_t> &words = parameters.words();
  KernelStore &store = *work.device.kernels;
  const std::string key = std::string(work.operation) + ": " + function;
  const Kernel *kernel = store.find(key);
  if (!kernel) kernel = &store.add(key, source_of(work, header, function, static_cast<int>(words.size()), threads));
  launch(work.device, work.stream, *kernel, {static_cast<uint32_t>(blocks), 1, 1}, words.data());
}

void launch_starts(const Work &work, int64_t n, uint64_t counts) {
  launch_library(work, "gather.h", "gpo::mask_starts", {static_cast<uint64_t>(n), counts}, 1, kStartsThreads);
}

void launch_moves(const Work &work, const char *header, const std::string &function, const KernelWords &parameters,
                  int64_t n) {
  constexpr int64_t per_block = kMoves * kMoveThreads;
  launch_library(work, header, function, parameters, (n - 1) / per_block + 1, kMoveThreads);
}

std::string instance(const char *name, std::initializer_list<std::string> arguments) {
  std::string text = std::string("gpo::") + name;
  char separator = '<';
  for (const std::string &argument : arguments) {
    text += separator;
    text += argument;
    separator = ',';
  }
  return text + '>';
}

const char *count_type(int64_t n) noexcept { return n <= INT32_MAX ? "gpo::u32" : "gpo::u64"; }

const char *unit_type(int64_t bytes) noexcept {
  switch (bytes) {
    case 1:
      return "gpo::u8";
    case 2:
      return "gpo::u16";
    case 4:
      return "gpo::u32";
    case 8:
      return "gpo::u64";
    default:
      return "gpo::Bytes16";
  }
}

const char *element_type(int32_t dtype) noexcept {
  static constexpr const char *kTypes[GPUOPT_DTYPE_COUNT] = {
      "",         "bool",     "gpo::i8",      "gpo::i16",      "gpo::i32", "gpo::i64", "gpo::u8",  "gpo::u16",
      "gpo::u32", "gpo::u64", "gpo::float16", "gpo::bfloat16", "float",    "double",   "gpo::c64", "gpo::c128"};
  return kTypes[dtype];
}

void fill_bytes(const Work &work, CUdeviceptr to, unsigned char value, uint64_t bytes) {
  check_stream(work.device, work.stream, driver().cuMemsetD8Async(to, value, bytes, work.stream.handle),
               work.operation);
}

void read_words(const Work &work, CUdeviceptr from, uint64_t *words, int64_t n) {
  slots::copy_to_host(&work.device, &work.stream, words, reinterpret_cast<const void *>(from),
                      static_cast<uint64_t>(n) * sizeof *words, nullptr);
}

RowUnits::RowUnits(int32_t ndim, const int64_t *row_shape, const int64_t *to_strides, const int64_t *from_strides,
                   int64_t element, uint64_t grain) {
  int64_t run = element;  // bytes that are contiguous in both layouts
  for (; ndim > 0; ndim--) {
    const int32_t axis = ndim - 1;
    if (row_shape[axis] != 1 && (to_strides[axis] != run || from_strides[axis] != run)) break;
    run *= row_shape[axis];
  }
  for (int32_t axis = 0; axis < ndim; axis++) axes.append(row_shape[axis], {to_strides[axis], from_strides[axis]});
  const uint64_t bits = grain | static_cast<uint64_t>(axes.grain(0) | axes.grain(1) | run | 16);
  unit = static_cast<int64_t>(bits & (~bits + 1));
  axes.append(run / unit, {unit, unit});
}

void copy_elements(const Work &work, int32_t ndim, const int64_t *shape, const gpuopt_tensor &to,
                   const gpuopt_tensor &from) {
  const RowUnits units(ndim, shape, to.strides, from.strides, element_size(to.dtype),
                       address_of(to) | address_of(from));
  const Walk<2> walk = units.axes.walk();
  const int64_t n = walk.size();
  if (!n) return;
  KernelWords parameters{static_cast<uint64_t>(n), address_of(to), address_of(from)};
  launch_moves(work, "matmul.h",
               instance("copy_units", {count_type(n), unit_type(units.unit), std::to_string(walk.ndim())}),
               parameters.add(walk), n);
}

}  // namespace gpuopt::cuda
