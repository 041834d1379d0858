// core/library_call.cpp -- operands into a gpuopt_call, and the order between streams around it.
#include "library_call.h"

#include "log.h"

namespace gpuopt {

LibraryCall &LibraryCall::tensor(gpuopt_array x) {
  arrays_.push_back(x);
  return *this;
}

LibraryCall &LibraryCall::input(gpuopt_array x) {
  evaluate(x);
  return tensor(x);
}

LibraryCall &LibraryCall::output(gpuopt_array x) {
  prepare_write(x);
  return tensor(x);
}

LibraryCall &LibraryCall::state(void *memory, size_t bytes) {
  state_ = memory;
  state_bytes_ = bytes;
  return *this;
}

// Operands that other streams still work on are rare here, so waiting for those streams is good enough.
void LibraryCall::wait_for_other_streams(const char *operation) const {
  for (const gpuopt_array x : arrays_)
    for (const gpuopt_stream other : {x->stream.get(), x->storage->stream.get()})
      if (other && other != stream_) call_stream(other, operation, stream_->device->api().stream_synchronize);
}

bool LibraryCall::run(const char *operation, CallSlot slot) {
  std::vector<gpuopt_tensor> tensors;
  bool shared = false;
  for (const gpuopt_array x : arrays_) {
    tensors.push_back({address(*x), x->dtype, x->ndim, x->shape, x->strides});
    shared |= x->stream.get() != stream_ || x->storage->stream.get() != stream_;
  }
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
  if (shared) wait_for_other_streams(operation);
  try {
    call_stream(stream_, operation, slot, &call);
  } catch (const Failure &failure) {
    if (failure.code == GPUOPT_ERR_UNSUPPORTED) return false;
    throw;
  }
  if (shared) call_stream(stream_, operation, stream_->device->api().stream_synchronize);
  return true;
}

void warn_host_fallback(gpuopt_device device, const char *operation) {
  const std::string key = device->backend->name + " " + operation;
  warn_once("backend.host_fallback", GPUOPT_REASON_NONE, key.c_str(),
            ("the backend " + device->backend->name + " does not offer " + operation + "; it is done on the host, slowly").c_str());
}

void check_same_device(const char *operation, std::initializer_list<gpuopt_array> arrays) {
  const gpuopt_array first = *arrays.begin();
  for (const gpuopt_array x : arrays) {
    if (x->weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a weak scalar is not accepted here", operation);
    if (x->device() != first->device())
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: one array is on %s, another on %s", operation, first->device()->name.c_str(),
           x->device()->name.c_str());
  }
}

}  // namespace gpuopt
