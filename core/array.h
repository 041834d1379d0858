// core/array.h -- storage (bytes on a device) and array (a view of a storage).
#pragma once
#include <span>
#include <vector>

#include "device.h"
#include "dtype.h"
#include "refcount.h"

namespace gpuopt {

struct Node;  // engine.h: a recorded value

// Bytes on a device. Memory is allocated when first needed: a recorded result has a storage with `memory` NULL and `pending` set.
// `pending` is the recorded value that the view `pending_view` of this storage will hold; any other view is read only after it ran.
struct Storage : RefCounted<Storage> {
  gpuopt_device device = nullptr;
  Ref<gpuopt_stream_s> stream;  // where the memory was allocated and last written
  void *memory = nullptr;
  uint64_t bytes = 0;
  bool external = false;   // somebody else's memory: work on it is submitted before the recording call returns
  bool read_only = false;
  void (*release_external)(void *context) = nullptr;
  void *context = nullptr;
  Node *pending = nullptr;  // owned reference, managed by the engine under its lock
  static void destroy(Storage *storage);
};

// A shape and byte strides of up to GPUOPT_MAX_NDIM dimensions, short ones in place.
using Dims = std::vector<int64_t>;

}  // namespace gpuopt

// A typed, strided view of a storage. Immutable after creation: in-place operations change the storage, not the array.
struct gpuopt_array_s : gpuopt::RefCounted<gpuopt_array_s> {
  gpuopt_dtype dtype = 0;
  int32_t ndim = 0;
  int64_t size = 1;    // elements
  int64_t offset = 0;  // bytes from storage->memory to element [0,...,0]
  bool contiguous = true, weak = false, read_only = false;
  gpuopt::Ref<gpuopt::Storage> storage;  // empty for a weak scalar
  gpuopt::Ref<gpuopt_stream_s> stream;   // empty for a weak scalar
  gpuopt_scalar scalar{};                // a weak scalar's value
  int64_t *shape = nullptr;              // ndim sizes, then ndim byte strides, behind the object itself
  int64_t *strides = nullptr;
  gpuopt_device device() const { return storage ? storage->device : nullptr; }
  static void destroy(gpuopt_array_s *array);
};

namespace gpuopt {

using ArrayRef = Ref<gpuopt_array_s>;

// Elements of a shape; throws ERR_SHAPE for negative sizes, ndim out of range, ERR_OUT_OF_MEMORY if bytes would overflow.
int64_t checked_size(int ndim, const int64_t *shape, int itemsize);
// A view object over `storage`. strides NULL: C order.
ArrayRef make_view(Ref<Storage> storage, Ref<gpuopt_stream_s> stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                   const int64_t *strides, int64_t offset, bool read_only);
// A fresh C-contiguous array. `allocate` false leaves memory to the engine (a recorded result).
ArrayRef make_array(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, bool allocate = true);
ArrayRef make_weak(const gpuopt_scalar &value);

// Throws ERR_INVALID_ARGUMENT naming `what` if x is NULL; returns it as a reference otherwise.
gpuopt_array_s &deref(gpuopt_array x, const char *what);

}  // namespace gpuopt
