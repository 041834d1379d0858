// core/kernels/kernel_raw.cpp -- raw kernels: made, launched, their global variables and attributes. Their C functions.
#include <gpuopt/kernel_next.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/kernels/kernel_call.h"
#include "core/kernels/text/kernel_overloads.h"
#include "core/kernels/texture.h"

namespace gpuopt {
namespace {

// Throws ERR_INVALID_ARGUMENT unless `whole` is the name of a function, possibly in a namespace and with template
// arguments, or with its parameters.
void check_raw_name(const std::string &whole) {
  const std::string name = OverloadName(whole).path;
  const size_t begin = std::min(name.find('<'), name.size());
  bool right = begin == name.size() || name.back() == '>';
  for (const char c : whole) right &= c >= ' ' && c != 127 && !std::strchr(";{}#\"\\", c);
  for (size_t k = 0; k < begin; ++k)
    right &= std::isalnum(static_cast<unsigned char>(name[k])) || name[k] == '_' || name[k] == ':';
  if (!right || name.empty() || name[0] == '<' || std::isdigit(static_cast<unsigned char>(name[0])))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw kernel: \"%s\" names no function, nor an instance of a template",
         whole.c_str());
}

// Returns the kernels `given` of one raw module.
std::vector<Ref<gpuopt_kernel_s>> raw_kernels(const char *code, std::span<const char *const> given) {
  std::vector<std::string> names;
  for (const char *name : given) {
    names.emplace_back(name ? name : "");
    check_raw_name(names.back());
  }
  std::vector<Ref<gpuopt_kernel_s>> kernels;
  for (const std::string &name : names) {
    UserKernel &source = kernels.emplace_back(Ref<gpuopt_kernel_s>::adopt(new gpuopt_kernel_s))->source;
    source.name = name;
    source.names = names;
    source.raw = true;
    source.operation = code ? code : "";
  }
  return kernels;
}

// Returns the textures among the values.
std::vector<TextureUse> textures_of(std::span<const gpuopt_raw_argument> arguments) {
  std::vector<TextureUse> textures;
  for (const gpuopt_raw_argument &argument : arguments)
    if (!argument.array) find_textures(argument.value, argument.bytes, textures);
  return textures;
}

// Returns the stream of a launch: the options', else that of the first array, else that of the first texture's array,
// else the default stream of the options' device. Throws ERR_DEVICE_MISMATCH if an array is on another device.
Ref<gpuopt_stream_s> stream_of(const char *name, std::span<const gpuopt_raw_argument> arguments,
                               std::span<const TextureUse> textures, const gpuopt_raw_launch_options &options) {
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
  for (const TextureUse &texture : textures) {
    if (!stream) stream = texture.array->stream.get();
    if (texture.array->device() != stream->device)
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the array of a texture is on %s, the launch on %s", name,
           texture.array->device()->name.c_str(), deref(stream->device, name).name.c_str());
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

// A copy of `bytes` bytes between host memory and a variable of a raw kernel's text, from byte `offset` of the variable
// on. gpuopt_raw_kernel_get_global() copies to `to`, gpuopt_raw_kernel_set_global() from `from`; the other is NULL.
struct GlobalCopy {
  const char *variable;
  uint64_t offset, bytes;
  void *to;
  const void *from;
};

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

void copy_global(gpuopt_kernel_s &kernel, const GlobalCopy &copy, const gpuopt_raw_launch_options &options) {
  const char *const name = kernel.source.name.c_str();
  const Ref<gpuopt_stream_s> stream = stream_of(name, {}, {}, options);
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
  const std::vector<TextureUse> textures = textures_of(arguments);
  const Ref<gpuopt_stream_s> stream = stream_of(name, arguments, textures, options);
  const Compiled &compiled = compiled_on(kernel, stream->device);
  if (compiled.signature && !(options.flags & GPUOPT_RAW_REINTERPRET))
    check_types(source, *compiled.signature, arguments, options.dtypes);
  LibraryCall order(0, stream.get());
  for (const gpuopt_raw_argument &argument : arguments) {
    if (argument.array) argument.array->read_only ? order.input(argument.array) : order.output(argument.array);
  }
  for (const TextureUse &texture : textures) {
    order.input(texture.layout.get());
    texture.written ? order.output(texture.array.get()) : order.input(texture.array.get());
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

// Returns the kernel's name. Throws ERR_INVALID_ARGUMENT, naming the C function, unless it is a raw kernel.
const char *check_raw(gpuopt_kernel kernel, const char *function) {
  if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the kernel is NULL", function);
  const char *const name = kernel->source.name.c_str();
  if (!kernel->source.raw) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s is not a raw kernel", function, name);
  return name;
}

gpuopt_status copy_checked(gpuopt_kernel kernel, const char *function, const GlobalCopy &copy,
                           const gpuopt_raw_launch_options *options, gpuopt_error *error) {
  return guarded(error, [&] {
    const char *const name = check_raw(kernel, function);
    if (!copy.variable || (copy.bytes && !copy.to && !copy.from))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s: a pointer is NULL", function, name);
    const auto known = options_or_default(options, "gpuopt_raw_launch_options");
    kernel->keeping_log([&] { copy_global(*kernel, copy, known); });
  });
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_raw_kernel(const char *code, const char *name, gpuopt_kernel *kernel, gpuopt_error *error) {
  if (kernel) *kernel = nullptr;
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw_kernel: the kernel pointer is NULL");
    *kernel = raw_kernels(code, {&name, 1}).front().leave();
  });
}

gpuopt_status gpuopt_raw_module(const char *code, int32_t count, const char *const *names, gpuopt_kernel *kernels,
                                gpuopt_error *error) {
  if (kernels && count > 0) std::fill_n(kernels, count, nullptr);
  return guarded(error, [&] {
    if (count <= 0 || !names || !kernels)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw_module: %d names, or a pointer that is NULL", count);
    auto made = raw_kernels(code, {names, static_cast<size_t>(count)});
    for (size_t k = 0; k < made.size(); ++k) kernels[k] = made[k].leave();
  });
}

gpuopt_status gpuopt_raw_kernel_get_global(gpuopt_kernel kernel, const char *variable, uint64_t offset, void *data,
                                           uint64_t bytes, const gpuopt_raw_launch_options *options,
                                           gpuopt_error *error) {
  return copy_checked(kernel, "raw_kernel_get_global", {variable, offset, bytes, data, nullptr}, options, error);
}

gpuopt_status gpuopt_raw_kernel_set_global(gpuopt_kernel kernel, const char *variable, uint64_t offset,
                                           const void *data, uint64_t bytes, const gpuopt_raw_launch_options *options,
                                           gpuopt_error *error) {
  return copy_checked(kernel, "raw_kernel_set_global", {variable, offset, bytes, nullptr, data}, options, error);
}

gpuopt_status gpuopt_raw_kernel_attributes(gpuopt_kernel kernel, gpuopt_device device,
                                           gpuopt_kernel_attributes *attributes, gpuopt_error *error) {
  return guarded(error, [&] {
    const char *const name = check_raw(kernel, "raw_kernel_attributes");
    if (!device) fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw_kernel_attributes: %s: the device is NULL", name);
    kernel->keeping_log([&] { give(raw_attributes(*kernel, device), attributes, "raw_kernel_attributes"); });
  });
}

gpuopt_status gpuopt_raw_kernel_launch(gpuopt_kernel kernel, const uint32_t *grid, const uint32_t *block,
                                       uint32_t shared_bytes, int32_t count, const gpuopt_raw_argument *arguments,
                                       const gpuopt_raw_launch_options *options, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!kernel || !grid || !block) fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw_kernel_launch: a pointer is NULL");
    const char *const name = kernel->source.name.c_str();
    if (!kernel->source.raw)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s is not a raw kernel: it is called, not launched", name);
    if (count < 0 || (count && !arguments))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d arguments at %p", name, count, static_cast<const void *>(arguments));
    const auto known = options_or_default(options, "gpuopt_raw_launch_options");
    kernel->keeping_log([&] {
      launch_raw(*kernel, grid, block, shared_bytes, {arguments, static_cast<size_t>(count)}, known);
    });
  });
}

}  // extern "C"
