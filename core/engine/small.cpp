// core/engine/small.cpp -- see small.h.
#include "core/engine/small.h"

#include <algorithm>
#include <cstring>

#include "core/base/setting_values.h"
#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/program.h"
#include "core/engine/record.h"
#include "core/engine/submit.h"
#include "plugins/shared/program/op_table.h"

namespace gpuopt {
namespace {

// At most so many elements are computed at once. Operations that take long per element compute fewer, because programs
// share long work among threads; but never fewer than kAlways.
constexpr int32_t kMostElements = 4096, kAlways = 256, kMostAdditions = 1 << 16;

int32_t most_elements(int op) { return std::clamp(kMostAdditions / plugin::kOpCost[op], kAlways, kMostElements); }

// Returns the dtype of the results if operands of `dtype` are computed in that dtype, without a cast; 0 otherwise.
gpuopt_dtype uncast_result(gpuopt_op op, gpuopt_dtype dtype) {
  const LoopDtypes dtypes = loop_dtypes(op, dtype);
  const bool logical = op_info(op).result == ResultRule::LOGICAL;
  const bool uncast = dtypes.loop == dtype && dtypes.compute == dtype && (!logical || dtype == GPUOPT_BOOL);
  return uncast ? dtypes.result : 0;
}

}  // namespace

SmallLoops::SmallLoops(const gpuopt_device_s &device) {
  if (!device.synchronous() || !device.host_memory()) return;
  if (!setting_is(Setting::GPUOPT_SMALL_OPERATIONS, "on")) return;
  for (int op = 0; op < std::min<int>(GPUOPT_OP_COUNT, device.backend->op_count); ++op) {
    for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
      const gpuopt_dtype wanted = uncast_result(op, dtype);
      if (!wanted) continue;
      SlotError error;
      int32_t result = 0;
      gpuopt_elementwise_loop loop = nullptr;
      if (call_plugin("open", device.api().elementwise_loop, device.handle, op, dtype, &loop, &result, &error)) return;
      if (!loop || result != wanted) continue;
      loops_[op][dtype] = {loop, wanted, most_elements(op)};
      enabled_ = true;
    }
  }
}

namespace {

// Whether the storage's memory holds what the array should hold, and will not change while nobody writes to the array.
bool is_in_memory(const Storage &storage) {
  return !storage.pending.load(std::memory_order_acquire) && storage.memory &&
         users::writer_of(storage.users.load(std::memory_order_acquire)) < 0;
}

// Whether no recorded operation has yet to read the storage's memory, and nobody copies it to the host.
bool is_unread(const Storage &storage) {
  if (storage.downloads.load(std::memory_order_acquire)) return false;
  const uint64_t readers = storage.users.load(std::memory_order_acquire) & users::kReaders;
  if (!readers) return true;
  const Engine *const own = storage.device->engines->own_if_made();
  return own && readers == users::reader(own->number) && !own->pending_first.load(std::memory_order_acquire);
}

bool is_usable(const gpuopt_device_s &device) {
  return InLibrary::usable() && !device.forked() && !device.lost.load(std::memory_order_acquire);
}

// Whether the array can be the operand of a loop: elements of `dtype` side by side in memory, aligned to their size.
bool is_plain(const gpuopt_array_s &x, gpuopt_dtype dtype) {
  return x.dtype == dtype && x.contiguous && is_in_memory(*x.storage) &&
         (reinterpret_cast<uintptr_t>(address(x)) & static_cast<uintptr_t>(dtype_size(dtype) - 1)) == 0;
}

// Whether the inputs are arrays of one dtype, shape and device whose elements are in memory, as those of most calls
// are.
bool are_alike(std::span<const gpuopt_array> inputs) {
  const gpuopt_array_s *const first = inputs[0];
  if (!first || first->weak || !is_plain(*first, first->dtype)) return false;
  for (const gpuopt_array x : inputs.subspan(1)) {
    if (x == first) continue;
    if (!x || x->weak || x->device() != first->device() || !same_shape(*x, *first) || !is_plain(*x, first->dtype))
      return false;
  }
  return first->size > 0;
}

// Whether a loop with results of `dtype` may write them to `out`, an array like x.
bool may_write(const gpuopt_array_s &out, const gpuopt_array_s &x, gpuopt_dtype dtype) {
  return !out.weak && !out.read_only && out.device() == x.device() && same_shape(out, x) && is_plain(out, dtype) &&
         is_unread(*out.storage);
}

// Whether none of such inputs is read at another place of `out` than where it is written.
bool is_apart(const gpuopt_array_s &out, std::span<const gpuopt_array> inputs) {
  const auto to = reinterpret_cast<uintptr_t>(address(out)), bytes = static_cast<uintptr_t>(out.bytes());
  for (const gpuopt_array x : inputs) {
    const auto from = reinterpret_cast<uintptr_t>(address(*x)), read = static_cast<uintptr_t>(x->bytes());
    if (from == to && read == bytes) continue;
    if (from < to + bytes && to < from + read) return false;
  }
  return true;
}

// apply_small() of such inputs.
gpuopt_array apply_alike(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out) noexcept {
  const gpuopt_array_s &x = *inputs[0];
  const gpuopt_device_s &device = *x.device();
  const SmallLoops::Loop loop = device.engines->small_loops().at(op, x.dtype);
  if (!loop.run || x.size > loop.most || !is_usable(device)) return nullptr;
  if (out && !(may_write(*out, x, loop.result) && is_apart(*out, inputs))) return nullptr;
  const gpuopt_array result = out ? out : make_small_array(x.stream.get(), loop.result, x.ndim, x.shape, x.size);
  if (!result) return nullptr;
  const VectorEnvironment environment;
  const void *const second = inputs.size() > 1 ? address(*inputs[1]) : nullptr;
  loop.run(address(*result), address(x), second, inputs.size() > 2 ? address(*inputs[2]) : nullptr, x.size);
  return result;
}

// Fills n elements, at least one, with the one at `element`: copies of what is filled follow it, until all are.
void fill(void *memory, const void *element, size_t itemsize, size_t n) {
  char *const to = static_cast<char *>(memory);
  std::memcpy(to, element, itemsize);
  for (size_t filled = itemsize; filled < n * itemsize; filled *= 2)
    std::memcpy(to + filled, to, std::min(filled, n * itemsize - filled));
}

// The sources of one call of a loop.
class Sources {
 public:
  // Finds the shape and the dtype that the operands have in common. Returns false if no loop can compute them.
  bool find(gpuopt_op op, std::span<const gpuopt_array> inputs) {
    selects_ = op_info(op).result == ResultRule::SELECT;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const gpuopt_array x = inputs[i];
      if (!x) return false;
      if (x->weak) continue;
      if (!first_) first_ = x;
      if (!shape_ || x->ndim > shape_->ndim || (x->ndim == shape_->ndim && x->size > shape_->size)) shape_ = x;
      if (!selects_ || i > 0) dtype_ = x->dtype;
    }
    return first_ && dtype_ && shape_->size > 0;
  }

  // Finds the addresses. Returns false if an operand does not have the common shape or dtype, or is not in memory.
  bool read(std::span<const gpuopt_array> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const gpuopt_dtype wanted = selects_ && i == 0 ? GPUOPT_BOOL : dtype_;
      if (!(inputs[i]->weak ? read_weak(i, *inputs[i], wanted) : read_array(i, *inputs[i], wanted))) return false;
    }
    return true;
  }

  // Whether `out` may be written by the loop: it is not read at another place than where it is written.
  bool allow(const char *out, int itemsize) const {
    const auto begin = reinterpret_cast<uintptr_t>(out), bytes = static_cast<uintptr_t>(shape_->size) * itemsize;
    for (int i = 0; i < 3; ++i) {
      const auto source = reinterpret_cast<uintptr_t>(at_[i]);
      if (!source || (source == begin && sizes_[i] == itemsize)) continue;
      if (source < begin + bytes && begin < source + static_cast<uintptr_t>(shape_->size) * sizes_[i]) return false;
    }
    return true;
  }

  const gpuopt_array_s &first() const { return *first_; }
  const gpuopt_array_s &shape() const { return *shape_; }
  gpuopt_dtype dtype() const { return dtype_; }

  // Runs the loop over all elements: in one call, or in blocks if a source is an element that is repeated.
  void run(gpuopt_elementwise_loop loop, char *out, int itemsize) const {
    const int64_t n = shape_->size, block = repeats_ ? kRepeated : n;
    for (int64_t begin = 0; begin < n; begin += block) {
      loop(out + begin * itemsize, at(0, begin), at(1, begin), at(2, begin), std::min(block, n - begin));
    }
  }

 private:
  bool read_array(size_t i, const gpuopt_array_s &x, gpuopt_dtype wanted) {
    if (x.device() != first_->device() || !is_plain(x, wanted)) return false;
    sizes_[i] = dtype_size(wanted);
    at_[i] = address(x);
    if (same_shape(x, *shape_)) return true;
    if (x.size != 1) return false;
    repeat(i, address(x));
    return true;
  }

  bool read_weak(size_t i, const gpuopt_array_s &x, gpuopt_dtype wanted) {
    unsigned char element[16];
    if (promote_weak(wanted, x.scalar.kind) != wanted) return false;
    try {
      store_scalar(x.scalar, wanted, element, wanted == GPUOPT_BOOL);
    } catch (...) {
      return false;  // recording it fails in the same way, and reports it
    }
    sizes_[i] = dtype_size(wanted);
    repeat(i, element);
    return true;
  }

  // Makes source i copies of one element, for a block or as many as the result has elements.
  void repeat(size_t i, const void *element) {
    fill(copies_[i], element, static_cast<size_t>(sizes_[i]), static_cast<size_t>(std::min(shape_->size, kRepeated)));
    at_[i] = copies_[i];
    repeats_ = true;
  }

  // Returns the address of element `begin` of source i. All blocks of a repeated element read the same copies.
  const void *at(int i, int64_t begin) const {
    const bool repeated = at_[i] == copies_[i];
    return at_[i] && !repeated ? static_cast<const char *>(at_[i]) + begin * sizes_[i] : at_[i];
  }

  static constexpr int64_t kRepeated = 256;

  const gpuopt_array_s *first_ = nullptr, *shape_ = nullptr;  // the first array; an array of the result's shape
  gpuopt_dtype dtype_ = 0;
  bool selects_ = false, repeats_ = false;
  int sizes_[3] = {};
  const void *at_[3] = {};
  alignas(16) unsigned char copies_[3][kRepeated * 16];
};

// apply_small() where the inputs are not alike.
gpuopt_array apply_sources(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out) noexcept {
  Sources sources;
  if (!sources.find(op, inputs)) return nullptr;
  const gpuopt_device_s &device = *sources.first().device();
  const SmallLoops::Loop loop = device.engines->small_loops().at(op, sources.dtype());
  const VectorEnvironment environment;  // also for the conversion of weak scalars
  if (!loop.run || sources.shape().size > loop.most || !is_usable(device) || !sources.read(inputs)) return nullptr;
  if (out && !(may_write(*out, sources.shape(), loop.result) && sources.allow(address(*out), dtype_size(loop.result))))
    return nullptr;
  const gpuopt_array_s &shape = sources.shape();
  const gpuopt_array result =
      out ? out : make_small_array(sources.first().stream.get(), loop.result, shape.ndim, shape.shape, shape.size);
  if (!result) return nullptr;
  sources.run(loop.run, address(*result), dtype_size(loop.result));
  return result;
}
}  // namespace

gpuopt_array apply_small(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out) noexcept {
  for (const gpuopt_array x : inputs) {
    if (!x || (!x->weak && x->storage->pending.load(std::memory_order_relaxed))) return nullptr;
  }
  // A condition of the values' dtype is first converted to bool.
  const bool converts = op_info(op).result == ResultRule::SELECT && inputs[0]->dtype != GPUOPT_BOOL;
  if (!converts && are_alike(inputs)) return apply_alike(op, inputs, out);
  return apply_sources(op, inputs, out);
}

gpuopt_array make_small_constant(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                                 const void *element) noexcept {
  const gpuopt_device_s &device = *stream->device;
  if (ndim == 0 || !device.engines->small_loops().enabled() || !is_usable(device)) return nullptr;
  int64_t size = 1;
  for (int i = 0; i < ndim && size <= kMostElements; ++i) size *= shape[i];
  if (size < 1 || size > kMostElements) return nullptr;
  const gpuopt_array result = make_small_array(stream, dtype, ndim, shape, size);
  if (result) fill(address(*result), element, static_cast<size_t>(dtype_size(dtype)), static_cast<size_t>(size));
  return result;
}

namespace {

// The program that reduces one contiguous array.
class ReductionProgram {
 public:
  // `axes`: those that are reduced, as a bit mask, at least one.
  ReductionProgram(gpuopt_reduction reduction, const gpuopt_array_s &x, const LoopDtypes &dtypes, uint64_t axes)
      : x_(x), axes_(axes) {
    steps_[0] = make_step(GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, x.dtype, x.dtype, 0);
    steps_[1] = make_step(GPUOPT_STEP_REDUCE, GPUOPT_LEVEL_REDUCED, dtypes.result, dtypes.compute, reduction);
    steps_[2] = make_step(GPUOPT_STEP_OUTPUT, GPUOPT_LEVEL_REDUCED, dtypes.result, dtypes.result, 0);
    steps_[1].nsrc = steps_[2].nsrc = 1;
    steps_[2].src[0] = 1;
  }

  // Returns the shape of the result.
  Shape shape(bool keepdims) const {
    Shape shape;
    for (int i = 0; i < x_.ndim; ++i) {
      const bool reduced = axes_ >> i & 1;
      if (!reduced || keepdims) shape.sizes[shape.ndim++] = reduced ? 1 : x_.shape[i];
    }
    return shape;
  }

  // Runs the program, which writes the result, of that shape and contiguous. Throws Failure.
  void run(const char *name, const gpuopt_array_s &result) {
    int64_t stride = dtype_size(result.dtype);
    for (int i = x_.ndim - 1; i >= 0; --i) {
      const bool varies = x_.shape[i] != 1, kept = varies && !(axes_ >> i & 1);
      strides_[0][i] = varies ? x_.strides[i] : 0;
      strides_[1][i] = kept ? stride : 0;
      if (kept) stride *= x_.shape[i];
    }
    gpuopt_operand operands[] = {{address(x_), strides_[0], x_.dtype, 0},
                                 {address(result), strides_[1], result.dtype, 0}};
    // Member by member: to fill it with zeros first takes longer.
    const gpuopt_program program = {.struct_size = sizeof(gpuopt_program),
                                    .flags = 0,
                                    .key = program_key(steps_, 3),
                                    .reduced_axes = axes_,
                                    .ndim = x_.ndim,
                                    .nsteps = 3,
                                    .ninputs = 1,
                                    .noutputs = 1,
                                    .nconstants = 0,
                                    .reserved = 0,
                                    .shape = x_.shape,
                                    .steps = steps_,
                                    .inputs = operands,
                                    .outputs = operands + 1,
                                    .constants = nullptr,
                                    .next = nullptr};
    run_program(x_.stream.get(), name, program);
  }

 private:
  const gpuopt_array_s &x_;
  const uint64_t axes_;
  gpuopt_step steps_[3];
  int64_t strides_[2][GPUOPT_MAX_NDIM];
};

}  // namespace

ArrayRef reduce_small(gpuopt_reduction reduction, gpuopt_array x, uint64_t axes, bool keepdims, gpuopt_dtype dtype) {
  axes &= x->ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << x->ndim) - 1;
  if (x->weak || x->size < 1 || x->size > kMostElements || axes == 0 || !is_plain(*x, x->dtype)) return {};
  const gpuopt_device_s &device = *x->device();
  if (!device.engines->small_loops().enabled() || !is_usable(device) || x->stream.get() != x->storage->stream.get())
    return {};
  const LoopDtypes dtypes = reduction_dtypes(reduction, x->dtype, dtype);
  if (dtypes.loop != x->dtype || dtypes.compute != x->dtype || (dtype && dtype != dtypes.result)) return {};
  ReductionProgram program(reduction, *x, dtypes, axes);
  const Shape shape = program.shape(keepdims);
  int64_t size = 1;
  for (int i = 0; i < shape.ndim; ++i) size *= shape.sizes[i];
  auto result = ArrayRef::adopt(make_small_array(x->stream.get(), dtypes.result, shape.ndim, shape.sizes, size));
  if (!result) return {};
  try {
    program.run(reduction_info(reduction).name, *result);
  } catch (const Failure &) {
    return {};  // recording it fails in the same way, and reports it
  }
  return result;
}

bool evaluated_at_once(std::span<const gpuopt_array> arrays) noexcept {
  gpuopt_device device = nullptr;
  for (const gpuopt_array x : arrays) {
    if (!x || x->weak || users::writer_of(x->storage->users.load(std::memory_order_acquire)) >= 0) return false;
    if (!device) device = x->device();
    if (device != x->device()) return false;
  }
  return device && is_usable(*device);
}

const void *readable_at_once(gpuopt_array x) noexcept {
  if (!x || x->weak) return nullptr;
  const gpuopt_device_s &device = *x->device();
  if (!device.synchronous() || !device.host_memory() || !is_usable(device)) return nullptr;
  return is_in_memory(*x->storage) ? address(*x) : nullptr;
}

void *address_at_once(gpuopt_array x) noexcept {
  return readable_at_once(x) && is_unread(*x->storage) ? address(*x) : nullptr;
}

}  // namespace gpuopt
