// bindings/python/src/dlpack.h -- the structs of DLPack 1.x, as its specification lays them out, and their deleters.
#ifndef GPUOPT_BINDINGS_PYTHON_SRC_DLPACK_H_
#define GPUOPT_BINDINGS_PYTHON_SRC_DLPACK_H_

#include <cstdint>

struct DLDevice {
  int32_t type, id;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};

namespace gpuopt_python {

// The library calls the deleter from any thread and with locks of its own held, and deleters of Python's objects want
// the interpreter's lock: end(tensor) runs later, on a thread that has it.
void call_later(void (*end)(void *), void *tensor);  // exchange.cpp

// A producer's tensor as the library sees it.
template <class Tensor>
struct Borrowed {
  Tensor tensor;  // first: what the library sees
  Tensor *producer;
  explicit Borrowed(Tensor *from) : tensor(*from), producer(from) { tensor.deleter = end; }
  static void end(Tensor *self) {
    Borrowed *borrowed = reinterpret_cast<Borrowed *>(self);
    const auto end_producer = [](void *pointer) {
      Tensor *mine = static_cast<Tensor *>(pointer);
      if (mine->deleter) mine->deleter(mine);
    };
    call_later(end_producer, borrowed->producer);
    delete borrowed;
  }
};

}  // namespace gpuopt_python

#endif
