// core/comm/staging.cpp -- see staging.h.
#include "core/comm/staging.h"

#include "core/engine/record.h"
#include "core/engine/transfer.h"

namespace gpuopt {

Outgoing::Outgoing(gpuopt_array x, Where where) {
  evaluate(x);
  x_ = contiguous(x);
  if (where == Where::kHost) {
    bring_to_host();
  } else if (x_->size) {
    await_memory(*x_);
    data_ = address(*x_);
  }
}

void Outgoing::bring_to_host() {
  if (!x_ || !x_->size) return;
  if (x_->device()->host_memory()) {
    await_memory(*x_);
    data_ = address(*x_);
    return;
  }
  buffer_ = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(x_->bytes()));
  copy_to_host(x_.get(), buffer_.get());
  data_ = buffer_.get();
}

Incoming::Incoming(gpuopt_stream stream, gpuopt_dtype dtype, std::span<const int64_t> shape, Where where)
    : x_(make_array(stream, dtype, static_cast<int>(shape.size()), shape.data())) {
  if (!x_->size) return;
  if (where == Where::kDevice || stream->device->host_memory()) {
    wait_for(stream);  // earlier work on it may still use the memory
    data_ = address(*x_);
    return;
  }
  buffer_ = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(x_->bytes()));
  data_ = buffer_.get();
}

void Incoming::copy(int64_t at, const char *from, int64_t bytes) {
  if (!bytes) return;
  gpuopt_device device = x_->device();
  if (buffer_ || device->host_memory()) {
    std::memcpy(data_ + at, from, static_cast<size_t>(bytes));
    return;
  }
  call_stream(x_->stream.get(), "copy", device->api().copy_on_device, static_cast<void *>(data_ + at),
              static_cast<const void *>(from), static_cast<uint64_t>(bytes));
  wait_for(x_->stream.get());
}

ArrayRef Incoming::finish() {
  if (buffer_) copy_from_host(x_.get(), buffer_.get());
  return std::move(x_);
}

gpuopt_stream stream_for(const Call &call, gpuopt_array x, gpuopt_array out) {
  const gpuopt_array with_device = out ? out : x;
  return with_device && with_device->stream ? with_device->stream.get() : call.world().device->default_stream;
}

bool can_stay(const Call &call, gpuopt_array x, gpuopt_array out) {
  const World &world = call.world();
  const auto lies_there = [&](gpuopt_stream stream) { return stream && stream->device == world.device; };
  return world.plugin && world.plugin->moves_device_memory() && (!x || lies_there(x->stream.get())) &&
         lies_there(stream_for(call, x, out));
}

Intents agree_where(Call &call, Intent &own, gpuopt_array x, gpuopt_array out) {
  own.on_device = own.status == GPUOPT_OK && can_stay(call, x, out);
  Intents all = call.agree(own);
  call.move_on_device(call.all_can_stay());
  return all;
}

void check_out(const char *name, gpuopt_array out, gpuopt_dtype dtype, std::span<const int64_t> shape) {
  if (!out) return;
  deref_strong(out, name);
  if (out->read_only) fail(GPUOPT_ERR_READ_ONLY, "%s: output array is read-only", name);
  if (out->dtype != dtype)
    fail(GPUOPT_ERR_TYPE, "%s: the result is %s, output array is %s", name, dtype_name(dtype), dtype_name(out->dtype));
  if (!std::equal(shape.begin(), shape.end(), out->shape, out->shape + out->ndim))
    fail(GPUOPT_ERR_SHAPE, "%s: the result has shape %s, output array has shape %s", name,
         shape_text(static_cast<int>(shape.size()), shape.data()).c_str(), shape_text(out->ndim, out->shape).c_str());
}

ArrayRef delivered(const char *name, ArrayRef made, gpuopt_array out) {
  if (out) {
    check_out(name, out, made->dtype, made->sizes());
    record_assign(out, made.get());
    made = ArrayRef::share(out);
  }
  evaluate(made.get());
  return made;
}

void describe(Intent &intent, gpuopt_array x) {
  intent.dtype = x->dtype;
  intent.ndim = x->ndim;
  std::copy_n(x->shape, x->ndim, intent.shape);
}

std::string described(const Intent &intent) {
  return std::string(dtype_name(intent.dtype)) + " of shape " + shape_text(intent.ndim, intent.shape);
}

std::vector<int64_t> part_bounds(int64_t n, int32_t parts) {
  std::vector<int64_t> bounds;
  for (int64_t r = 0; r <= parts; ++r) bounds.push_back(r * (n / parts) + std::min(r, n % parts));
  return bounds;
}

}  // namespace gpuopt
