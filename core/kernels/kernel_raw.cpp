// core/kernels/kernel_raw.cpp -- launches raw kernels, and accesses their global variables and attributes.
#include <gpuopt/kernel_next.h>

#include <algorithm>

#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/kernels/kernel_call.h"
#include "core/kernels/kernel_calls.h"

namespace gpuopt {
namespace {

// Returns the stream of a launch: the options', else that of the first array, else the default stream of the options'
// device. Throws ERR_DEVICE_MISMATCH if an array is on another device.
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

// Returns the memory that a kernel may access through x. That is all of its storage, since x may be a view of which the
// kernel uses more; of external memory the extent is not known.
gpuopt_kernel_range range_of(const gpuopt_array_s &x) {
  const Storage &storage = *x.storage;
  return storage.external ? gpuopt_kernel_range{} : gpuopt_kernel_range{storage.memory, storage.bytes};
}

void check_extents(const char *name, const char *what, const uint32_t *extents) {
  for (int d = 0; d < 3; ++d)
    if (extents[d] == 0)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the %s is %u x %u x %u", name, what, extents[0], extents[1], extents[2]);
}

const Compiled &compiled_on(gpuopt_kernel_s &kernel, gpuopt_device device) {
  return kernel.compiled(device, device->name, [&] { return raw_text(kernel.source); });
}

// Returns the device address of the first byte to copy. A variable has a mangled name or, if it is extern "C", its own.
// Throws ERR_INVALID_ARGUMENT if there is no such variable or the bytes are not all in it.
char *find_variable(gpuopt_device device, gpuopt_plugin_kernel *compiled, const char *kernel, const GlobalCopy &copy) {
  const std::string name = copy.variable ? copy.variable : "";
  void *address = nullptr;
  uint64_t bytes = 0;
  for (const std::string &symbol : {variable_symbol(name), name}) {
    if (!symbol.empty() && !address)
      call_slot(device, kernel, device->api().kernel_variable, compiled, symbol.c_str(), &address, &bytes);
  }
  if (!address)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: its text has no __device__ or __constant__ variable \"%s\"", kernel,
         name.c_str());
  if (copy.offset > bytes || copy.bytes > bytes - copy.offset)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %llu bytes from byte %llu on of the variable %s, which has %llu", kernel,
         static_cast<unsigned long long>(copy.bytes), static_cast<unsigned long long>(copy.offset), name.c_str(),
         static_cast<unsigned long long>(bytes));
  return static_cast<char *>(address) + copy.offset;
}

}  // namespace

void copy_global(gpuopt_kernel_s &kernel, const GlobalCopy &copy, const gpuopt_raw_launch_options &options) {
  const char *const name = kernel.source.name.c_str();
  const Ref<gpuopt_stream_s> stream = stream_of(name, {}, options);
  gpuopt_device device = stream->device;
  char *const address = find_variable(device, compiled_on(kernel, device).handle, name, copy);
  if (copy.bytes == 0) return;
  if (copy.to) {
    call_stream(stream.get(), name, device->api().copy_to_host, copy.to, static_cast<const void *>(address),
                copy.bytes);
  } else {
    call_stream(stream.get(), name, device->api().copy_from_host, static_cast<void *>(address), copy.from, copy.bytes);
  }
  wait_for(stream.get(), name);
}

gpuopt_kernel_attributes raw_attributes(gpuopt_kernel_s &kernel, gpuopt_device device) {
  gpuopt_kernel_info info{};
  info.struct_size = sizeof info;
  call_slot(device, kernel.source.name.c_str(), device->api().kernel_info, compiled_on(kernel, device).handle, &info);
  gpuopt_kernel_attributes attributes = GPUOPT_KERNEL_ATTRIBUTES_INIT;
  attributes.max_threads_per_block = info.max_threads;
  attributes.registers = info.registers;
  attributes.shared_bytes = info.shared_bytes;
  attributes.local_bytes = info.local_bytes;
  return attributes;
}

void launch_raw(gpuopt_kernel_s &kernel, const uint32_t *grid, const uint32_t *block, uint32_t shared_bytes,
                std::span<const gpuopt_raw_argument> arguments, const gpuopt_raw_launch_options &options) {
  const UserKernel &source = kernel.source;
  const char *const name = source.name.c_str();
  check_extents(name, "grid", grid);
  check_extents(name, "block", block);
  const Ref<gpuopt_stream_s> stream = stream_of(name, arguments, options);
  const Compiled &compiled = compiled_on(kernel, stream->device);
  if (compiled.signature && !(options.flags & GPUOPT_RAW_REINTERPRET))
    check_types(source, *compiled.signature, arguments, options.dtypes);
  LibraryCall order(0, stream.get());
  for (const gpuopt_raw_argument &argument : arguments) {
    if (argument.array) argument.array->read_only ? order.input(argument.array) : order.output(argument.array);
  }
  ArgumentBytes bytes;
  std::vector<gpuopt_kernel_range> ranges(arguments.size());
  for (size_t k = 0; k < arguments.size(); ++k) {
    const gpuopt_raw_argument &argument = arguments[k];
    if (argument.array) {
      bytes.add_word(reinterpret_cast<int64_t>(address(*argument.array)));
      ranges[k] = range_of(*argument.array);
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
  const gpuopt_kernel_memory memory{{sizeof memory, GPUOPT_KERNEL_NEXT_MEMORY, nullptr}, ranges.data()};
  launch.next = &memory;
  order.launch(name, compiled.handle, launch);
}

}  // namespace gpuopt
