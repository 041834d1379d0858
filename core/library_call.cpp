// core/library_call.cpp -- operands into a gpuopt_call.
#include "library_call.h"

#include "log.h"
#include "node.h"

namespace gpuopt {

LibraryCall &LibraryCall::input(gpuopt_array x) {
  evaluate(x);
  EngineLock lock(engine_of(stream_->device).mutex);
  order_read(*x->storage, *stream_);
  arrays_.push_back(x);
  return *this;
}

LibraryCall &LibraryCall::output(gpuopt_array x) {
  prepare_write(x);
  EngineLock lock(engine_of(stream_->device).mutex);
  order_write(*x->storage, *stream_);
  arrays_.push_back(x);
  return *this;
}

LibraryCall &LibraryCall::state(void *memory, size_t bytes) {
  state_ = memory;
  state_bytes_ = bytes;
  return *this;
}

bool LibraryCall::run(const char *operation, CallSlot slot) {
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
  try {
    call_stream(stream_, operation, slot, &call);
    return true;
  } catch (const Failure &failure) {
    if (failure.code == GPUOPT_ERR_UNSUPPORTED) return false;
    throw;
  }
}

void warn_host_fallback(gpuopt_device device, const char *operation) {
  const std::string key = device->backend->name + " " + operation;
  if (!first_time("backend.host_fallback", GPUOPT_REASON_NONE, key)) return;
  LogRecord record{GPUOPT_LOG_WARN, "backend.host_fallback"};
  record.detail =
      "the backend " + device->backend->name + " does not offer " + operation + "; it is done on the host, slowly";
  log(record);
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
