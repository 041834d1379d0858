// core/array/array.h -- storages (bytes on a device) and arrays (views of a storage).
#pragma once
#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "core/array/dtype.h"
#include "core/base/refcount.h"
#include "core/device/stream.h"

namespace gpuopt {

struct Node;  // node.h: a recorded value

// Bytes on a device, shared by all views of them. Memory is allocated when it is first needed: a recorded result has a
// storage with `memory` NULL and `pending` set. `pending` is the recorded value that one view of this storage will
// hold; before any other view is read, it is computed. The device, the size, and the members that describe external
// memory do not change after creation. All others are atomic, or belong to the recorders that `users` names
// (core/engine/access.h), under whose lock they are read and changed.
struct Storage : RefCounted<Storage> {
  gpuopt_device device = nullptr;
  Ref<gpuopt_stream_s> stream;                // the stream that wrote the memory last, on which it is also freed
  std::vector<Ref<gpuopt_stream_s>> readers;  // other streams that have read the memory since
  void *memory = nullptr;
  uint64_t bytes = 0;
  bool external = false;              // the memory is not ours (from a host pointer or DLPack)
  bool in_block = false;              // the memory lies in the Storage's own block (make_small_array)
  uint32_t block_bytes = 0;           // of the Storage's own block (blocks.h)
  std::atomic<bool> exported{false};  // the memory was handed out by DLPack, so that others may use it, too
  void (*release_external)(void *context) = nullptr;  // called by destroy() for external memory; may be NULL
  void *context = nullptr;
  std::atomic<Node *> pending{nullptr};  // owns one reference; changes only under the lock of the writer in `users`
  std::atomic<uint64_t> users{0};        // the recorders that may write or read the memory (access.h)
  Storage *next_unwanted = nullptr;      // list of release_later()
  std::atomic<int32_t> downloads{0};  // transfer.h: copies to the host in progress; incremented under a recorder's lock
  // The references of arrays are counted in the upper half of `references`, all others in the lower half, so that a
  // view takes one atomic operation when it is made and one when it ends.
  static constexpr int64_t kArray = int64_t{1} << 32;
  // Whether there are arrays over this storage. If not, no user can read the pending value any more, although recorded
  // operations may still use it and the memory.
  bool has_arrays() const { return references.load() >= kArray; }
  void add_array() { references.fetch_add(kArray, std::memory_order_relaxed); }
  // Gives up an array's reference. If it was that of the last array, the caller owns a reference of the other kind
  // instead, and true is returned.
  bool drop_array();
  // Returns whether others may read or write the memory at any time. Operations on it are submitted before the call
  // that records them returns, and its memory is never exchanged with that of another storage.
  bool is_volatile() const { return external || exported; }
  // Frees the memory, ordered on the stream. External memory is passed back by release_external instead, if that is
  // set, after waiting until no submitted work uses it.
  static void destroy(Storage *storage);
};

// The storage of an array, or NULL: a reference that the functions which make and destroy arrays count by add_array()
// and drop_array().
class StorageOfArray {
 public:
  Storage *get() const { return p_; }
  Storage *operator->() const { return p_; }
  Storage &operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  Ref<Storage> share() const { return Ref<Storage>::share(p_); }
  void set(Storage *counted) { p_ = counted; }
  Storage *leave() { return std::exchange(p_, nullptr); }

 private:
  Storage *p_ = nullptr;
};

}  // namespace gpuopt

// A typed, strided view of a storage, or a weak scalar: a number without a device, whose dtype adapts to the arrays
// beside it (NEP 50). Immutable after creation, except `leaf`: in-place operations change the storage, not the array.
// Only make_view and make_weak create arrays.
struct gpuopt_array_s : gpuopt::RefCounted<gpuopt_array_s> {
  gpuopt_dtype dtype = 0;
  int32_t ndim = 0;
  int64_t size = 1;    // number of elements
  int64_t offset = 0;  // bytes from storage->memory to element [0,...,0]
  bool contiguous = true, weak = false, read_only = false;
  bool in_storage = false;                    // the object lies in the storage's block (make_unwritten)
  gpuopt::StorageOfArray storage;             // empty for a weak scalar
  gpuopt::Ref<gpuopt_stream_s> stream;        // where operations on this array run; empty for a weak scalar
  gpuopt_scalar scalar{};                     // a weak scalar's value
  std::atomic<gpuopt::Node *> leaf{nullptr};  // node for the elements in memory, once a recorder has read them; owned
  int64_t *shape = nullptr;                   // ndim sizes, in the same block of memory as the object
  int64_t *strides = nullptr;                 // ndim strides in bytes, behind the sizes
  gpuopt_device device() const { return storage ? storage->device : nullptr; }
  std::span<const int64_t> sizes() const { return {shape, static_cast<size_t>(ndim)}; }
  int64_t bytes() const { return size * gpuopt::dtype_size(dtype); }
  static void destroy(gpuopt_array_s *array);
};

namespace gpuopt {

using ArrayRef = Ref<gpuopt_array_s>;

// Returns the number of elements of a shape. Throws ERR_SHAPE if a size is negative or ndim out of range,
// ERR_INVALID_ARGUMENT if the shape is missing, ERR_OUT_OF_MEMORY if the number of bytes would overflow.
int64_t checked_size(int ndim, const int64_t *shape, int itemsize);
// Sets `strides` to the byte strides of C order.
void contiguous_strides(int ndim, const int64_t *shape, int itemsize, int64_t *strides);
// Returns whether the strides are those of C order. The strides of axes of size 1, and all strides of an array without
// elements, are ignored.
bool is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int itemsize);

inline bool same_sizes(int ndim, const int64_t *a, const int64_t *b) {
  for (int i = 0; i < ndim; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}
inline bool same_shape(const gpuopt_array_s &a, const gpuopt_array_s &b) {
  return &a == &b || (a.ndim == b.ndim && a.size == b.size && same_sizes(a.ndim, a.shape, b.shape));
}

// Returns a new storage without memory, which will be written on `stream`. Throws std::bad_alloc.
Ref<Storage> make_storage(gpuopt_stream stream, uint64_t bytes);
// Allocates the storage's memory on its stream, unless it has some or needs none. Throws ERR_OUT_OF_MEMORY.
void allocate(Storage &storage);
// Frees the storage's memory on its stream. Does nothing if it has none, or if the device did not survive a fork.
void release_memory(Storage &storage) noexcept;
// Returns a new array over `storage`, which is NULL for a weak scalar. Shape and strides are copied and not checked;
// `strides` and `offset` are in bytes, and strides NULL means C order. Throws std::bad_alloc.
ArrayRef make_view(Storage *storage, Ref<gpuopt_stream_s> stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                   const int64_t *strides, int64_t offset, bool read_only);
// Returns a new C-contiguous array with a storage of its own, not initialized. If `with_memory` is false, the engine
// allocates the memory later, when the recorded result is computed.
ArrayRef make_array(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, bool with_memory = true);
// Returns the same, whose storage has no memory yet, for a shape that has been checked and has `size` elements. The
// array and its storage are one block of memory. Throws std::bad_alloc.
ArrayRef make_unwritten(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, int64_t size);
// Returns the same with memory that the host has, or NULL if there is none: the array, its storage and the elements are
// one block. For small results of synchronous devices with host memory; `size` is that of the shape, which is not
// checked. The backend does not count such memory in its statistics.
gpuopt_array make_small_array(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                              int64_t size) noexcept;
// Returns a weak scalar. Throws ERR_INVALID_ARGUMENT if the kind of `value` is not one of gpuopt_scalar's.
ArrayRef make_weak(const gpuopt_scalar &value);

// Returns x as a reference. Throws ERR_INVALID_ARGUMENT if x is NULL. `what`, here and below, names the operation in
// messages.
gpuopt_array_s &deref(gpuopt_array x, const char *what);
// Does the same, but also throws if x is a weak scalar, which has no device.
gpuopt_array_s &deref_strong(gpuopt_array x, const char *what);
// Returns the axis in 0..ndim-1; a negative `axis` counts from the end. Throws ERR_INDEX if it is out of range.
int checked_axis(int64_t axis, int ndim, const char *what);
// Returns the dtype that operands, none of which is NULL, promote to; weak scalars follow NEP 50.
gpuopt_dtype common_dtype(std::span<const gpuopt_array> arrays);

// Implements a C function that returns a new array: runs `body`, which returns an ArrayRef, by guarded(). *result gets
// its reference, or NULL if the call fails.
template <class Body>
gpuopt_status giving(gpuopt_array *result, gpuopt_error *error, Body &&body) noexcept {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "the result pointer is NULL");
    *result = body().leave();
  });
}

// Does what giving() does for a `body` that takes no lock and runs nothing on a backend, as one that makes a view: the
// thread need not enter the library (fork.h), which takes as long as such a body. If it throws, giving() runs it anew.
template <class Body>
gpuopt_status giving_at_once(gpuopt_array *result, gpuopt_error *error, Body &&body) noexcept {
  if (result && InLibrary::usable()) {
    try {
      *result = body().leave();
      return GPUOPT_OK;
    } catch (...) {
    }
  }
  return giving(result, error, body);
}

// Implements a C function that writes `count` new arrays to `results`, by a `body` that returns that many: all of them,
// or NULL to all if the call fails.
template <class Body>
gpuopt_status giving_all(int64_t count, gpuopt_array *results, gpuopt_error *error, Body &&body) noexcept {
  if (results && count > 0) std::fill_n(results, count, nullptr);
  return guarded(error, [&] {
    if (count < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "the number of results is negative");
    if (!results && count > 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "the pointer to the results is NULL");
    std::vector<ArrayRef> made = body();
    for (size_t i = 0; i < made.size(); ++i) results[i] = made[i].leave();
  });
}

}  // namespace gpuopt
