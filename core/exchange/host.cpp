// core/exchange/host.cpp -- see host.h; and gpuopt_from_host, gpuopt_array_data and gpuopt_to_host.
#include "core/exchange/host.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/engine/small.h"
#include "core/engine/transfer.h"

namespace gpuopt {
namespace {

constexpr int64_t kPieceBytes = int64_t{8} << 20;

// The range of bytes that a strided layout covers, as offsets from element [0,...,0]; `high` is one past the last byte.
struct Extent {
  int64_t low = 0, high = 0;
};

// Throws ERR_INVALID_ARGUMENT if the range overflows 64 bits, or the address space.
Extent extent_of(const ForeignMemory &m) {
  if (!m.size) return {};
  Extent e{0, dtype_size(m.dtype)};
  for (int k = 0; k < m.ndim; ++k) {
    int64_t reach;
    if (__builtin_mul_overflow(m.shape[k] - 1, m.strides[k], &reach) ||
        __builtin_add_overflow(reach < 0 ? e.low : e.high, reach, reach < 0 ? &e.low : &e.high))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "axis %d reaches further than 64 bits (size %lld, stride %lld)", k,
           static_cast<long long>(m.shape[k]), static_cast<long long>(m.strides[k]));
  }
  const auto first = reinterpret_cast<uintptr_t>(m.data);
  if (first < -static_cast<uint64_t>(e.low) || first + static_cast<uint64_t>(e.high) < first)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "the elements reach from byte %lld to byte %lld, out of the address space",
         static_cast<long long>(e.low), static_cast<long long>(e.high));
  return e;
}

void check_arguments(gpuopt_device device, const ForeignMemory &memory, gpuopt_copy copy) {
  if (!device) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_host: device is NULL");
  if (!memory.data && memory.size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_host: data is NULL");
  if (copy < GPUOPT_COPY_IF_NEEDED || copy > GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_host: copy is %d", copy);
}

// Returns why `device` cannot use the memory in place, as text for a message, or NULL if it can.
const char *obstacle(gpuopt_device device, const ForeignMemory &memory) {
  if (!device->host_memory()) return "the device cannot use host memory";
  return memory.is_aligned() ? nullptr : "the data is not aligned to its dtype";
}

// Copies the elements along axes `axis` and up, the first of which is at `from`, to `to` in C order, and advances `to`.
void gather_host(const ForeignMemory &b, int axis, const char *from, char *&to) {
  const size_t item = static_cast<size_t>(dtype_size(b.dtype));
  if (axis == b.ndim) {
    std::copy_n(from, item, to);
    to += item;
    return;
  }
  const bool dense = axis == b.ndim - 1 && b.strides[axis] == static_cast<int64_t>(item);
  if (dense) {
    const size_t bytes = static_cast<size_t>(b.shape[axis]) * item;
    std::copy_n(from, bytes, to);
    to += bytes;
    return;
  }
  for (int64_t k = 0; k < b.shape[axis]; ++k) gather_host(b, axis + 1, from + k * b.strides[axis], to);
}

ArrayRef from_host(gpuopt_device device, void *data, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                   const int64_t *strides, gpuopt_copy copy, void (*release)(void *), void *context) {
  if (!valid_dtype(dtype)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_host: %d is not a dtype", dtype);
  const int64_t size = checked_size(ndim, shape, dtype_size(dtype));
  Dims dense(static_cast<size_t>(ndim));
  contiguous_strides(ndim, shape, dtype_size(dtype), dense.data());
  const ForeignMemory memory{static_cast<char *>(data), dtype, ndim, shape, strides ? strides : dense.data(), size};
  check_arguments(device, memory, copy);
  const char *reason = obstacle(device, memory);
  if (copy == GPUOPT_COPY_NEVER && reason) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_host: a copy is needed: %s", reason);
  const bool wraps = copy == GPUOPT_COPY_NEVER || (copy == GPUOPT_COPY_IF_NEEDED && !reason && release);
  if (wraps) return wrap_memory(device, memory, false, release, context);
  ArrayRef x = copy_host_memory(device, memory);
  if (release) release(context);
  return x;
}

// Calls `visit` with C-contiguous arrays that, one after the other, hold the elements of x in C order: x itself, or, if
// it is strided, copies of slabs of at most kPieceBytes each, cut along the outermost axes.
void visit_slabs(gpuopt_array x, const std::function<void(gpuopt_array)> &visit) {
  int axis = 0;
  while (axis < x->ndim && x->shape[axis] == 1) ++axis;
  if (x->contiguous || axis == x->ndim || x->bytes() <= kPieceBytes) return visit(contiguous(x).get());
  Dims shape(x->shape, x->shape + x->ndim);
  const int64_t rows = std::max<int64_t>(1, kPieceBytes / (x->bytes() / x->shape[axis]));
  for (int64_t k = 0; k < x->shape[axis]; k += rows) {
    shape[static_cast<size_t>(axis)] = std::min(rows, x->shape[axis] - k);
    const int64_t offset = x->offset + k * x->strides[axis];
    visit_slabs(make_view(x->storage.get(), x->stream, x->dtype, x->ndim, shape.data(), x->strides, offset, true).get(),
                visit);
  }
}

// Calls `step(offset, bytes)` for consecutive pieces of `total` bytes. Each holds whole elements, since kPieceBytes is
// a multiple of every dtype's size.
template <class Step>
void in_pieces(int64_t total, Step step) {
  for (int64_t at = 0; at < total; at += kPieceBytes) step(at, static_cast<size_t>(std::min(kPieceBytes, total - at)));
}

// Passes the elements of x, which is C-contiguous and evaluated, to `consume`.
void consume_contiguous(gpuopt_array x, const std::function<void(const char *, size_t)> &consume) {
  const gpuopt_device device = x->device();
  if (device->host_memory()) {
    await_memory(*x);
    return in_pieces(x->bytes(), [&](int64_t at, size_t bytes) { consume(address(*x) + at, bytes); });
  }
  const auto buffer = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(std::min(kPieceBytes, x->bytes())));
  // Each piece has a Download of its own, which ends before the piece is consumed: consume() may take long, as when it
  // writes to a pipe, and other threads that want to write to this memory must not wait for it.
  in_pieces(x->bytes(), [&](int64_t at, size_t bytes) {
    Download(*x).copy(buffer.get(), at, bytes);
    consume(buffer.get(), bytes);
  });
}

}  // namespace

bool ForeignMemory::is_aligned() const {
  const int64_t mask = dtype_size(real_component(dtype)) - 1;
  int64_t bits = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
  for (int k = 0; k < ndim; ++k)
    if (shape[k] > 1) bits |= strides[k];
  return (bits & mask) == 0;
}

ArrayRef wrap_memory(gpuopt_device device, const ForeignMemory &memory, bool read_only, void (*release)(void *),
                     void *context) {
  const Extent extent = extent_of(memory);
  Ref<Storage> storage = make_storage(device->default_stream, static_cast<uint64_t>(extent.high - extent.low));
  storage->external = true;
  storage->memory = memory.data + extent.low;
  ArrayRef x = make_view(storage.get(), storage->stream, memory.dtype, memory.ndim, memory.shape, memory.strides,
                         -extent.low, read_only);
  storage->release_external = release;  // last, so that a failure above leaves the memory to the caller
  storage->context = context;
  return x;
}

ArrayRef copy_host_memory(gpuopt_device device, const ForeignMemory &memory) {
  extent_of(memory);  // throws if the extent overflows
  ArrayRef x = make_array(device->default_stream, memory.dtype, memory.ndim, memory.shape);
  if (!memory.size) return x;
  if (std::equal(x->strides, x->strides + x->ndim, memory.strides)) {
    copy_from_host(x.get(), memory.data);
    return x;
  }
  const auto dense = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(x->bytes()));
  char *to = dense.get();
  gather_host(memory, 0, memory.data, to);
  copy_from_host(x.get(), dense.get());
  return x;
}

void produce_elements(gpuopt_array x, const std::function<void(char *, size_t)> &produce) {
  const gpuopt_device device = x->device();
  if (device->host_memory()) {
    // Earlier work on the stream may still use this memory, since the allocator reuses it in stream order.
    wait_for(x->stream.get());
    return in_pieces(x->bytes(), [&](int64_t at, size_t bytes) { produce(address(*x) + at, bytes); });
  }
  const auto buffer = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(std::min(kPieceBytes, x->bytes())));
  in_pieces(x->bytes(), [&](int64_t at, size_t bytes) {
    produce(buffer.get(), bytes);
    call_stream(x->stream.get(), "copy from host", device->api().copy_from_host, address(*x) + at, buffer.get(), bytes);
  });
}

void consume_elements(gpuopt_array x, const std::function<void(const char *, size_t)> &consume) {
  evaluate(x);
  if (x->size) visit_slabs(x, [&](gpuopt_array slab) { consume_contiguous(slab, consume); });
}

bool is_fortran_contiguous(const gpuopt_array_s &x) {
  const Dims shape(std::make_reverse_iterator(x.shape + x.ndim), std::make_reverse_iterator(x.shape));
  const Dims strides(std::make_reverse_iterator(x.strides + x.ndim), std::make_reverse_iterator(x.strides));
  return !x.contiguous && is_contiguous(x.ndim, shape.data(), strides.data(), dtype_size(x.dtype));
}

ArrayRef reversed_axes(const gpuopt_array_s &x) {
  Dims shape(x.shape, x.shape + x.ndim), strides(x.strides, x.strides + x.ndim);
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return make_view(x.storage.get(), x.stream, x.dtype, x.ndim, shape.data(), strides.data(), x.offset, x.read_only);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_from_host(gpuopt_device device, void *data, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                               const int64_t *strides, gpuopt_copy copy, void (*release)(void *context), void *context,
                               gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error,
                [&] { return from_host(device, data, dtype, ndim, shape, strides, copy, release, context); });
}

gpuopt_status gpuopt_array_from(gpuopt_device device, const void *data, gpuopt_dtype dtype, int32_t ndim,
                                const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return gpuopt_from_host(device, const_cast<void *>(data), dtype, ndim, shape, nullptr, GPUOPT_COPY_ALWAYS, nullptr,
                          nullptr, result, error);
}

gpuopt_status gpuopt_array_data(gpuopt_array x, void **data, gpuopt_error *error) {
  if (data && (*data = address_at_once(x))) return GPUOPT_OK;
  return guarded(error, [&] {
    const gpuopt_array_s &array = deref(x, "x");
    if (!data) fail(GPUOPT_ERR_INVALID_ARGUMENT, "array_data: data is NULL");
    if (array.weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "array_data: a weak scalar has no memory");
    prepare_write(x);
    if (array.device()->host_memory()) await_memory(array);
    *data = address(array);
  });
}

gpuopt_status gpuopt_to_host(gpuopt_array x, void *host, size_t bytes, gpuopt_error *error) {
  return guarded(error, [&] {
    const gpuopt_array_s &array = deref(x, "x");
    if (array.weak)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_host: a weak scalar has no device; read it with gpuopt_array_item");
    if (bytes != static_cast<uint64_t>(array.bytes()))
      fail(GPUOPT_ERR_INVALID_ARGUMENT,
           "to_host: %zu bytes given for an array of shape %s and dtype %s, which has %lld", bytes,
           shape_text(array.ndim, array.shape).c_str(), dtype_name(array.dtype), static_cast<long long>(array.bytes()));
    if (!host && bytes) fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_host: host is NULL");
    if (bytes) copy_to_host(x, host);
  });
}

}  // extern "C"
