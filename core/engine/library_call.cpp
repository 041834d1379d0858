// core/engine/library_call.cpp -- turns operands into a gpuopt_call; see library_call.h.
#include "core/engine/library_call.h"

#include "core/engine/access.h"

namespace gpuopt {

LibraryCall &LibraryCall::input(gpuopt_array x) {
  evaluate(x);
  if (!stream_->device->synchronous()) {
    const EngineLock lock(engine_of(stream_->device));
    order_read(*x->storage, *stream_);
  }
  arrays_.push_back(x);
  written_.push_back(false);
  return *this;
}

LibraryCall &LibraryCall::output(gpuopt_array x) {
  deref_strong(x, "write");
  check_usable(*x->device(), "write");
  Access access(x->device(), {}, x);
  access.prepare_write();
  order_write(*x->storage, *stream_);
  arrays_.push_back(x);
  written_.push_back(true);
  return *this;
}

LibraryCall &LibraryCall::state(void *memory, size_t bytes) {
  state_ = memory;
  state_bytes_ = bytes;
  return *this;
}

void LibraryCall::run(const char *operation, CallSlot gpuopt_plugin_api::*slot) {
  std::vector<gpuopt_tensor> tensors;
  for (const gpuopt_array x : arrays_) tensors.push_back({address(*x), x->dtype, x->ndim, x->shape, x->strides});
  gpuopt_call call{};
  call.struct_size = sizeof call;
  call.kind = kind_;
  call.ntensors = static_cast<int32_t>(tensors.size());
  call.nints = static_cast<int32_t>(ints_.size());
  call.nfloats = static_cast<int32_t>(floats_.size());
  call.tensors = tensors.data();
  call.ints = ints_.data();
  call.floats = floats_.data();
  call.state = state_;
  call.state_bytes = state_bytes_;
  run_call(stream_, operation, slot, call, written_);
  enter_again();
}

void LibraryCall::launch(const char *operation, gpuopt_plugin_kernel *kernel, const gpuopt_kernel_launch &launch) {
  call_stream(stream_, operation, stream_->device->api().kernel_launch, kernel, &launch);
  enter_again();
}

// Registers the call, now submitted, with the storages of its operands once more. Since input() or output() registered
// it, another thread may have written another part of a storage on another stream, which is then the storage's stream
// and waited for work that did not include the call.
void LibraryCall::enter_again() {
  if (stream_->device->synchronous()) return;
  const EngineLock lock(engine_of(stream_->device));
  for (size_t k = 0; k < arrays_.size(); ++k) {
    Storage &storage = *arrays_[k]->storage;
    written_[k] ? join_streams(*storage.stream, *stream_) : order_read(storage, *stream_);
  }
}

void check_same_device(const char *operation, std::initializer_list<gpuopt_array> arrays) {
  const gpuopt_array first = *arrays.begin();
  for (const gpuopt_array x : arrays) {
    if (x->weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a weak scalar is not accepted here", operation);
    if (x->device() != first->device())
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: one array is on %s, another on %s", operation,
           first->device()->name.c_str(), x->device()->name.c_str());
  }
}

}  // namespace gpuopt
