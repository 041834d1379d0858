// core/kernel_raw.cpp -- launches of raw kernels.
#include <algorithm>

#include "engine.h"
#include "kernel_call.h"
#include "kernel_calls.h"
#include "node.h"

namespace gpuopt {
namespace {

Ref<gpuopt_stream_s> stream_of(const char *name, std::span<const gpuopt_raw_argument> arguments,
                               const gpuopt_raw_launch_options &options) {
  gpuopt_stream stream = options.stream;
  for (const gpuopt_raw_argument &argument : arguments) {
    if (!argument.array) continue;
    if (argument.array->weak)
      fail(GPUOPT_ERR_TYPE, "%s: a weak scalar has no address; pass the bytes of a number", name);
    if (!stream) stream = argument.array->stream.get();
    if (argument.array->device() != stream->device)
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: one array is on %s, another on %s", name,
           deref(stream->device, name).name.c_str(), deref(argument.array->device(), name).name.c_str());
  }
  if (!stream && options.device) stream = options.device->default_stream;
  if (!stream) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no argument is an array, and the options name no device", name);
  return Ref<gpuopt_stream_s>::share(stream);
}

void check_extents(const char *name, const char *what, const uint32_t *extents) {
  for (int d = 0; d < 3; ++d)
    if (extents[d] == 0)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the %s is %u x %u x %u", name, what, extents[0], extents[1], extents[2]);
}

}  // namespace

void launch_raw(gpuopt_kernel_s &kernel, const uint32_t *grid, const uint32_t *block, uint32_t shared_bytes,
                std::span<const gpuopt_raw_argument> arguments, const gpuopt_raw_launch_options &options) {
  const UserKernel &source = kernel.source;
  const char *const name = source.name.c_str();
  check_extents(name, "grid", grid);
  check_extents(name, "block", block);
  const Ref<gpuopt_stream_s> stream = stream_of(name, arguments, options);
  gpuopt_plugin_kernel *const compiled =
      kernel.compiled_for(stream->device, stream->device->name, [&] { return raw_text(source); });
  LibraryCall order(0, stream.get());
  for (const gpuopt_raw_argument &argument : arguments) {
    if (argument.array) argument.array->read_only ? order.input(argument.array) : order.output(argument.array);
  }
  ArgumentBytes bytes;
  for (const gpuopt_raw_argument &argument : arguments) {
    if (argument.array) {
      bytes.add_word(reinterpret_cast<int64_t>(address(*argument.array)));
    } else {
      bytes.add(argument.value, argument.bytes);
    }
  }
  const std::vector<gpuopt_kernel_argument> list = bytes.list();
  gpuopt_kernel_launch launch{};
  launch.struct_size = sizeof launch;
  std::copy_n(grid, 3, launch.grid);
  std::copy_n(block, 3, launch.block);
  launch.shared_bytes = shared_bytes;
  launch.narguments = static_cast<int32_t>(list.size());
  launch.arguments = list.data();
  order.launch(name, compiled, launch);
}

}  // namespace gpuopt
