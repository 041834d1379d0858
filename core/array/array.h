// core/array/array.h -- storage (bytes on a device) and array (a view of a storage).
#pragma once
#include <atomic>
#include <span>
#include <vector>

#include "core/array/dtype.h"
#include "core/base/refcount.h"
#include "core/device/device.h"

namespace gpuopt {

struct Node;  // node.h: a recorded value

// Bytes on a device. Memory is allocated when first needed: a recorded result has a storage with `memory` NULL and
// `pending` set. `pending` is the recorded value that one view of this storage will hold; any other view is read only
// after it ran. All but the constant members are the engine's, under its lock.
struct Storage : RefCounted<Storage> {
  gpuopt_device device = nullptr;
  Ref<gpuopt_stream_s> stream;                // the one that wrote the memory last; it is freed there
  std::vector<Ref<gpuopt_stream_s>> readers;  // other streams that read it since
  void *memory = nullptr;
  uint64_t bytes = 0;
  bool external = false;  // somebody else's memory: work on it is submitted before the recording call returns
  bool exported = false;  // somebody else may use it too (DLPack): treated likewise, and never exchanged
  bool read_only = false;
  void (*release_external)(void *context) = nullptr;
  void *context = nullptr;
  std::atomic<Node *> pending{nullptr};  // one reference to it; changes under the lock
  // Arrays over this storage. With the last of them nobody can see what is pending any more, though recorded operations
  // may still read the memory.
  std::atomic<int64_t> arrays{0};
  std::atomic<int32_t> downloads{0};  // transfer.h: threads that read the memory now; rises under the lock
  void add_array();
  bool drop_array();  // whether it was the last
  bool is_volatile() const { return external || exported; }
  static void destroy(Storage *storage);
};

}  // namespace gpuopt

// A typed, strided view of a storage, or a weak scalar. Immutable after creation: in-place operations change the
// storage, not the array. Made by make_view and make_weak only.
struct gpuopt_array_s : gpuopt::RefCounted<gpuopt_array_s> {
  gpuopt_dtype dtype = 0;
  int32_t ndim = 0;
  int64_t size = 1;    // elements
  int64_t offset = 0;  // bytes from storage->memory to element [0,...,0]
  bool contiguous = true, weak = false, read_only = false;
  gpuopt::Ref<gpuopt::Storage> storage;  // empty for a weak scalar
  gpuopt::Ref<gpuopt_stream_s> stream;   // empty for a weak scalar
  gpuopt_scalar scalar{};                // a weak scalar's value
  gpuopt::Node *leaf = nullptr;          // the elements in memory as a recorded value, once read; the engine's
  int64_t *shape = nullptr;              // ndim sizes, then ndim byte strides, behind the object itself
  int64_t *strides = nullptr;
  gpuopt_device device() const { return storage ? storage->device : nullptr; }
  std::span<const int64_t> sizes() const { return {shape, static_cast<size_t>(ndim)}; }
  int64_t bytes() const { return size * gpuopt::dtype_size(dtype); }
  static void destroy(gpuopt_array_s *array);
};

namespace gpuopt {

using ArrayRef = Ref<gpuopt_array_s>;

// Elements of a shape; throws ERR_SHAPE for negative sizes, ndim out of range, ERR_OUT_OF_MEMORY if bytes would
// overflow.
int64_t checked_size(int ndim, const int64_t *shape, int itemsize);
// Byte strides of C order.
void contiguous_strides(int ndim, const int64_t *shape, int itemsize, int64_t *strides);
// Whether strides are those of C order; axes of size 1 and arrays without elements do not matter.
bool is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int itemsize);

// A storage without memory, to be written on `stream`.
Ref<Storage> make_storage(gpuopt_stream stream, uint64_t bytes);
// Gives a storage its memory; throws ERR_OUT_OF_MEMORY.
void allocate(Storage &storage);
// Takes it back.
void release_memory(Storage &storage) noexcept;
// A view object over `storage`. strides NULL: C order.
ArrayRef make_view(Ref<Storage> storage, Ref<gpuopt_stream_s> stream, gpuopt_dtype dtype, int ndim,
                   const int64_t *shape, const int64_t *strides, int64_t offset, bool read_only);
// A fresh C-contiguous array. `with_memory` false leaves memory to the engine (a recorded result).
ArrayRef make_array(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, bool with_memory = true);
ArrayRef make_weak(const gpuopt_scalar &value);

// Throws ERR_INVALID_ARGUMENT naming `what` if x is NULL; returns it as a reference otherwise.
gpuopt_array_s &deref(gpuopt_array x, const char *what);
// The same, and for a weak scalar, which has no device.
gpuopt_array_s &deref_strong(gpuopt_array x, const char *what);
// An axis counted from the front; throws ERR_INDEX.
int checked_axis(int64_t axis, int ndim, const char *what);
// The dtype arrays promote to together, weak scalars counted as NEP 50 says.
gpuopt_dtype common_dtype(std::span<const gpuopt_array> arrays);

// The C functions that make an array: *result is NULL unless body() returned one.
template <class Body>
gpuopt_status giving(gpuopt_array *result, gpuopt_error *error, Body &&body) noexcept {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "the result pointer is NULL");
    *result = body().leave();
  });
}

}  // namespace gpuopt
