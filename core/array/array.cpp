// core/array/array.cpp -- storages and arrays: creating, destroying and querying them.
#include "core/array/array.h"

#include <limits>
#include <new>

#include "core/base/blocks.h"
#include "core/engine/engine.h"

namespace gpuopt {

void release_memory(Storage &s) noexcept {
  if (!s.memory || s.in_block) return;
  void *memory = std::exchange(s.memory, nullptr);
  if (s.device->forked()) return;
  StreamLock lock(*s.stream);
  free_memory(s.stream.get(), memory, s.bytes);
}

namespace {

// The bytes of an array with its sizes and strides.
size_t view_bytes(int ndim) { return sizeof(gpuopt_array_s) + 2 * sizeof(int64_t) * static_cast<size_t>(ndim); }

// End an object and give its block back; that of an array which lies in its storage's block goes with the storage.
void give_back(Storage *storage) noexcept {
  const size_t bytes = storage->block_bytes;
  storage->~Storage();
  give_block(storage, bytes);
}
void give_back(gpuopt_array_s *array) noexcept {
  const size_t bytes = array->in_storage ? 0 : view_bytes(array->ndim);
  array->~gpuopt_array_s();
  if (bytes) give_block(array, bytes);
}

// Blocks until no submitted work uses the memory. Errors are ignored: they mean that the device is lost. Consumers to
// whom the memory was exported have finished: the deleter of each DLPack tensor has waited for them.
void finish_work(Storage &s) noexcept {
  await_readers(s);
  try {
    wait_for(s.stream.get());
  } catch (...) {
  }
}

}  // namespace

void Storage::destroy(Storage *storage) {
  if (storage->external && storage->release_external && release_later(*storage)) return;
  if (storage->external) {
    if (storage->release_external) {
      finish_work(*storage);
      storage->release_external(storage->context);
    }
  } else {
    await_readers(*storage);
    release_memory(*storage);
  }
  give_back(storage);
}

// There is no short cut for the owner of the only reference, as RefCounted::release() has one: until forget_pending(),
// a thread that computes the pending value can add a reference.
bool Storage::drop_array() {
  int64_t count = references.load(std::memory_order_relaxed);
  bool last;
  do {
    last = count < 2 * kArray;
  } while (!references.compare_exchange_weak(count, count - kArray + last, std::memory_order_acq_rel,
                                             std::memory_order_relaxed));
  return last;
}

Ref<Storage> make_storage(gpuopt_stream stream, uint64_t bytes) {
  void *const block = take_block(sizeof(Storage));
  if (!block) throw std::bad_alloc();
  auto storage = Ref<Storage>::adopt(new (block) Storage);
  storage->block_bytes = sizeof(Storage);
  storage->device = stream->device;
  storage->stream = Ref<gpuopt_stream_s>::share(stream);
  storage->bytes = bytes;
  return storage;
}

void allocate(Storage &s) {
  if (s.memory || s.bytes == 0) return;
  s.memory = allocate_memory(s.stream.get(), "allocate", s.bytes);
}

int64_t checked_size(int ndim, const int64_t *shape, int itemsize) {
  if (ndim < 0 || ndim > GPUOPT_MAX_NDIM) {
    fail(GPUOPT_ERR_SHAPE, "%d dimensions are not between 0 and %d", ndim, GPUOPT_MAX_NDIM);
  }
  if (ndim > 0 && !shape) fail(GPUOPT_ERR_INVALID_ARGUMENT, "the shape is NULL");
  int64_t size = 1, bytes = itemsize;  // `bytes` skips sizes of 0: strides of an empty array must not overflow either
  bool overflow = false;
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] < 0) fail(GPUOPT_ERR_SHAPE, "shape %s has a negative size", shape_text(ndim, shape).c_str());
    if (shape[i] > 0) overflow |= __builtin_mul_overflow(bytes, shape[i], &bytes);
    if (!overflow) size *= shape[i];
  }
  if (overflow) fail(GPUOPT_ERR_OUT_OF_MEMORY, "shape %s has too many elements", shape_text(ndim, shape).c_str());
  return size;
}

void contiguous_strides(int ndim, const int64_t *shape, int itemsize, int64_t *strides) {
  int64_t stride = itemsize;
  for (int i = ndim - 1; i >= 0; --i) {
    strides[i] = stride;
    if (shape[i] > 1) stride *= shape[i];
  }
}

bool is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int itemsize) {
  int64_t expected = itemsize;
  bool same = true;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    same &= strides[i] == expected;
    expected *= shape[i];
  }
  return same;
}

namespace {

// Makes a view in the block, whose sizes are set and whose strides are not.
gpuopt_array_s *view_in(void *block, gpuopt_dtype dtype, int ndim, const int64_t *shape) noexcept {
  auto *const x = new (block) gpuopt_array_s;
  x->dtype = dtype;
  x->ndim = ndim;
  x->shape = reinterpret_cast<int64_t *>(x + 1);
  x->strides = x->shape + ndim;
  for (int i = 0; i < ndim; ++i) x->size *= x->shape[i] = shape[i];
  return x;
}

}  // namespace

ArrayRef make_view(Storage *storage, Ref<gpuopt_stream_s> stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                   const int64_t *strides, int64_t offset, bool read_only) {
  void *const block = take_block(view_bytes(ndim));
  if (!block) throw std::bad_alloc();
  gpuopt_array_s *const x = view_in(block, dtype, ndim, shape);
  x->offset = offset;
  x->read_only = read_only;
  if (storage) storage->add_array();
  x->storage.set(storage);
  x->stream = std::move(stream);
  if (strides) {
    for (int i = 0; i < ndim; ++i) x->strides[i] = strides[i];
    x->contiguous = is_contiguous(ndim, x->shape, x->strides, dtype_size(dtype));
  } else {
    contiguous_strides(ndim, x->shape, dtype_size(dtype), x->strides);
  }
  return ArrayRef::adopt(x);
}

namespace {

// Returns a new C-contiguous array of this size, whose storage has no memory yet, in one block of memory: the storage,
// the array, and `room` bytes. NULL if there is no memory.
gpuopt_array_s *make_in_one_block(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                                  int64_t size, size_t room) noexcept {
  const size_t block_bytes = sizeof(Storage) + view_bytes(ndim) + room;
  void *const block = take_block(block_bytes);
  if (!block) return nullptr;
  auto *const storage = new (block) Storage;
  gpuopt_array_s *const x = view_in(storage + 1, dtype, ndim, shape);
  x->in_storage = true;
  storage->block_bytes = static_cast<uint32_t>(block_bytes);
  storage->device = stream->device;
  storage->stream = Ref<gpuopt_stream_s>::share(stream);
  storage->bytes = static_cast<uint64_t>(size) * static_cast<uint64_t>(dtype_size(dtype));
  storage->references.store(Storage::kArray, std::memory_order_relaxed);
  x->storage.set(storage);
  x->stream = Ref<gpuopt_stream_s>::share(stream);
  contiguous_strides(ndim, x->shape, dtype_size(dtype), x->strides);
  return x;
}

}  // namespace

gpuopt_array make_small_array(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                              int64_t size) noexcept {
  constexpr size_t kAlignment = 64;
  const size_t bytes = static_cast<size_t>(size) * static_cast<size_t>(dtype_size(dtype));
  gpuopt_array_s *const x = make_in_one_block(stream, dtype, ndim, shape, size, kAlignment + bytes);
  if (!x) return nullptr;
  const auto end = reinterpret_cast<uintptr_t>(x) + view_bytes(ndim);
  x->storage->memory = reinterpret_cast<void *>((end + kAlignment - 1) & -kAlignment);
  x->storage->in_block = true;
  return x;
}

ArrayRef make_unwritten(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, int64_t size) {
  gpuopt_array_s *const x = make_in_one_block(stream, dtype, ndim, shape, size, 0);
  if (!x) throw std::bad_alloc();
  return ArrayRef::adopt(x);
}

namespace {

// Ends an array, which is not used any more, and returns its storage, whose reference is the caller's to give up: the
// array may lie in its block.
Storage *end_array(gpuopt_array_s *array) noexcept {
  Storage *const storage = array->storage.leave();
  give_back(array);
  return storage;
}

}  // namespace

void gpuopt_array_destroy(gpuopt_array_s *array) {
  if (array->leaf) forget_leaf(*array);
  Storage *const storage = end_array(array);
  if (!storage || !storage->drop_array()) return;
  const auto last = Ref<Storage>::adopt(storage);
  forget_pending(*storage);
}

namespace {

// Destroys an array without locks, so that the thread need not enter the library (fork.h). Returns false if that cannot
// be done: others have references to it, or recorders know it or the storage that it alone keeps alive.
bool destroy_at_once(gpuopt_array_s *array) noexcept {
  if (array->references.load(std::memory_order_acquire) != 1 || array->leaf.load(std::memory_order_relaxed))
    return false;
  Storage *const s = array->storage.get();
  if (s && s->references.load(std::memory_order_acquire) == Storage::kArray) {
    // The array has the only reference to its storage. If make_small_array() made that, it has no readers.
    if (!s->in_block || s->users.load(std::memory_order_acquire)) return false;
    end_array(array);
    give_back(s);
    return true;
  }
  end_array(array);
  if (!s || !s->drop_array()) return true;
  if (s->users.load(std::memory_order_acquire)) {
    const InLibrary inside;
    if (!inside.usable()) return true;
    forget_pending(*s);
  }
  s->release();  // enters the library if it is the last reference after all
  return true;
}

// Allocates the memory of a new array. If there is not enough, and recorded operations keep memory alive that no array
// refers to, they are run first.
void allocate_for_array(Storage &storage) {
  try {
    allocate(storage);
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY || !run_what_pins(storage.device)) throw;
    allocate(storage);
  }
}

}  // namespace

ArrayRef make_array(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, bool with_memory) {
  const int64_t size = checked_size(ndim, shape, dtype_size(dtype));
  ArrayRef x = make_unwritten(stream, dtype, ndim, shape, size);
  if (with_memory) allocate_for_array(*x->storage);
  return x;
}

ArrayRef make_weak(const gpuopt_scalar &value) {
  check_scalar(value, "weak");
  auto x = make_view(nullptr, {}, promote_weak(0, value.kind), 0, nullptr, nullptr, 0, true);
  x->weak = true;
  x->scalar = value;
  return x;
}

gpuopt_array_s &deref(gpuopt_array x, const char *what) {
  if (!x) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: an array is NULL", what);
  return *x;
}

gpuopt_array_s &deref_strong(gpuopt_array x, const char *what) {
  if (deref(x, what).weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a weak scalar has no device to run on", what);
  return *x;
}

int checked_axis(int64_t axis, int ndim, const char *what) {
  if (axis < -ndim || axis >= ndim) {
    fail(GPUOPT_ERR_INDEX, "%s: axis %lld is out of range for %d dimensions", what, static_cast<long long>(axis), ndim);
  }
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

namespace {

// Complex numbers come before real ones, these before integers, and bool is last.
int rank_of_kind(gpuopt_dtype dtype) {
  switch (dtype_kind(dtype)) {
    case 'c':
      return 0;
    case 'f':
      return 1;
    case '?':
      return 3;
    default:
      return 2;
  }
}

}  // namespace

// Promotion is not associative: int8 with uint16 gives int32, which gives float64 with float32, although float32 holds
// the values of either. As NumPy, this begins with the greatest kind, so that the three give float32 in any order.
gpuopt_dtype common_dtype(std::span<const gpuopt_array> arrays) {
  gpuopt_dtype dtype = 0;
  const int ranks = arrays.size() > 2 ? 4 : 1;
  for (int rank = 0; rank < ranks; ++rank) {
    for (gpuopt_array x : arrays) {
      if (x->weak || (ranks > 1 && rank_of_kind(x->dtype) != rank)) continue;
      dtype = dtype ? promote(dtype, x->dtype) : x->dtype;
    }
  }
  for (gpuopt_array x : arrays) {
    if (x->weak) dtype = promote_weak(dtype, x->scalar.kind);
  }
  return dtype;
}

}  // namespace gpuopt

void gpuopt_array_s::destroy(gpuopt_array_s *array) { gpuopt::gpuopt_array_destroy(array); }

using namespace gpuopt;

extern "C" {

gpuopt_array gpuopt_array_retain(gpuopt_array x) {
  if (x) x->retain();
  return x;
}
void gpuopt_array_release(gpuopt_array x) {
  if (!x) return;
  if (!destroy_at_once(x)) x->release();
}
gpuopt_dtype gpuopt_array_dtype(gpuopt_array x) { return x ? x->dtype : 0; }
int32_t gpuopt_array_ndim(gpuopt_array x) { return x ? x->ndim : 0; }
const int64_t *gpuopt_array_shape(gpuopt_array x) { return x ? x->shape : nullptr; }
const int64_t *gpuopt_array_strides(gpuopt_array x) { return x ? x->strides : nullptr; }
int64_t gpuopt_array_size(gpuopt_array x) { return x ? x->size : 0; }
int64_t gpuopt_array_nbytes(gpuopt_array x) { return x ? x->bytes() : 0; }
int32_t gpuopt_array_is_contiguous(gpuopt_array x) { return x ? x->contiguous : 0; }
int32_t gpuopt_array_is_read_only(gpuopt_array x) { return x ? x->read_only : 0; }
int32_t gpuopt_array_is_weak(gpuopt_array x) { return x ? x->weak : 0; }
gpuopt_device gpuopt_array_device(gpuopt_array x) { return x ? x->device() : nullptr; }

gpuopt_status gpuopt_weak(gpuopt_scalar value, gpuopt_array *result, gpuopt_error *error) {
  return giving_at_once(result, error, [&] { return make_weak(value); });
}

gpuopt_status gpuopt_array_on_stream(gpuopt_array x, gpuopt_stream stream, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    deref_strong(x, "array_on_stream");
    if (deref(stream, "array_on_stream").device != x->device()) {
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "array_on_stream: the array is on %s, the stream on %s",
           x->device()->name.c_str(), stream->device->name.c_str());
    }
    return make_view(x->storage.get(), Ref<gpuopt_stream_s>::share(stream), x->dtype, x->ndim, x->shape, x->strides,
                     x->offset, x->read_only);
  });
}

}  // extern "C"
