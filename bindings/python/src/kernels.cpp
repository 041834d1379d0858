// bindings/python/src/kernels.cpp -- the calls of user kernels, whose options are structs.
#include <deque>
#include <vector>

#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

gpuopt_kernel_options kernel_options(const Argument<const char *> *texts) {
  gpuopt_kernel_options options = GPUOPT_KERNEL_OPTIONS_INIT;
  options.preamble = texts[0].get();
  options.loop_prep = texts[1].get();
  options.after_loop = texts[2].get();
  options.reduce_type = texts[3].get();
  return options;
}

template <int count>
bool read_texts(Argument<const char *> *texts, PyObject *const *arguments, Py_ssize_t given) {
  if (!takes(given, count)) return false;
  for (int at = 0; at < count; ++at) {
    if (!texts[at].read(arguments[at])) return false;
  }
  return true;
}

// elementwise_kernel(in, out, operation, name, preamble, loop_prep, after_loop, reduce_type)
PyObject *elementwise_kernel(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<const char *> texts[8];
  if (!read_texts<8>(texts, arguments, given)) return nullptr;
  const gpuopt_kernel_options options = kernel_options(texts + 4);
  gpuopt_kernel kernel = nullptr;
  const bool made = run([&](gpuopt_error *error) {
    return gpuopt_elementwise_kernel(texts[0].get(), texts[1].get(), texts[2].get(), texts[3].get(), &options, &kernel,
                                     error);
  });
  return made ? capsule(kernel) : nullptr;
}

// reduction_kernel(in, out, map, reduce, post_map, identity, name, preamble, loop_prep, after_loop, reduce_type)
PyObject *reduction_kernel(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<const char *> texts[11];
  if (!read_texts<11>(texts, arguments, given)) return nullptr;
  const gpuopt_kernel_options options = kernel_options(texts + 7);
  gpuopt_kernel kernel = nullptr;
  const bool made = run([&](gpuopt_error *error) {
    return gpuopt_reduction_kernel(texts[0].get(), texts[1].get(), texts[2].get(), texts[3].get(), texts[4].get(),
                                   texts[5].get(), texts[6].get(), &options, &kernel, error);
  });
  return made ? capsule(kernel) : nullptr;
}

PyObject *result_tuple(const std::vector<gpuopt_array> &results) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(results.size()));
  for (size_t at = 0; tuple && at < results.size(); ++at) {
    PyObject *array = new_array(results[at]);
    if (!array) return nullptr;
    PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(at), array);
  }
  return tuple;
}

// kernel_call(kernel, arguments, device, size, block_size, axes, keepdims): a tuple of the outputs; size and axes may
// be None.
PyObject *kernel_call(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_kernel> kernel;
  Argument<const gpuopt_array *> arrays;
  Argument<gpuopt_device> device;
  Argument<int64_t> size;
  Argument<int32_t> block_size, keepdims;
  Argument<const int64_t *> axes;
  if (!takes(given, 7) || !kernel.read(arguments[0]) || !arrays.read(arguments[1]) ||
      (arguments[2] != Py_None && !device.read(arguments[2])) ||
      (arguments[3] != Py_None && !size.read(arguments[3])) || !block_size.read(arguments[4]) ||
      !axes.read(arguments[5]) || !keepdims.read(arguments[6])) {
    return nullptr;
  }
  gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
  options.device = device.get();
  options.size = size.get();
  options.has_size = arguments[3] != Py_None;
  options.block_size = block_size.get();
  options.axes = axes.get();
  options.naxes = axes.given ? static_cast<int32_t>(axes.values.size() - 1) : 0;
  options.keepdims = keepdims.get();
  std::vector<gpuopt_array> results(static_cast<size_t>(gpuopt_kernel_nout(kernel.get())));
  const int32_t count = static_cast<int32_t>(arrays.values.size() - 1);
  const bool done = run([&](gpuopt_error *error) {
    return gpuopt_kernel_call(kernel.get(), count, arrays.get(), &options, results.data(), error);
  });
  return done ? result_tuple(results) : nullptr;
}

// ---- Raw kernels ---------------------------------------------------------------------------------------------------

// What a launch takes: arrays, and (dtype, bytes) for numbers.
struct RawArguments {
  std::vector<gpuopt_raw_argument> values;
  std::vector<gpuopt_dtype> dtypes;
  std::deque<std::string> bytes;
  bool add(PyObject *object) {
    if (is_array(object)) {
      values.push_back({handle_of(object), nullptr, 0});
      dtypes.push_back(0);
      return true;
    }
    Argument<int32_t> dtype;
    char *data = nullptr;
    Py_ssize_t length = 0;
    PyObject *first = PyTuple_GetItem(object, 0), *second = first ? PyTuple_GetItem(object, 1) : nullptr;
    if (!second || !dtype.read(first) || PyBytes_AsStringAndSize(second, &data, &length) < 0) return false;
    bytes.emplace_back(data, static_cast<size_t>(length));
    values.push_back({nullptr, bytes.back().data(), static_cast<uint64_t>(length)});
    dtypes.push_back(dtype.get());
    return true;
  }
};

// raw_kernel_launch(kernel, grid, block, shared_bytes, arguments, stream, device)
PyObject *raw_kernel_launch(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_kernel> kernel;
  Argument<const uint32_t *> grid, block;
  Argument<uint32_t> shared_bytes;
  Argument<gpuopt_stream> stream;
  Argument<gpuopt_device> device;
  if (!takes(given, 7) || !kernel.read(arguments[0]) || !grid.read(arguments[1]) || !block.read(arguments[2]) ||
      !shared_bytes.read(arguments[3]) || !stream.read(arguments[5]) || !device.read(arguments[6])) {
    return nullptr;
  }
  RawArguments raw;
  const Py_ssize_t count = PyTuple_Size(arguments[4]);
  for (Py_ssize_t at = 0; at < count; ++at) {
    if (!raw.add(PyTuple_GetItem(arguments[4], at))) return nullptr;
  }
  if (count < 0) return nullptr;
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  options.stream = stream.get();
  options.device = device.get();
  options.dtypes = raw.dtypes.data();
  const bool done = run([&](gpuopt_error *error) {
    return gpuopt_raw_kernel_launch(kernel.get(), grid.get(), block.get(), shared_bytes.get(),
                                    static_cast<int32_t>(count), raw.values.data(), &options, error);
  });
  return done ? Py_NewRef(Py_None) : nullptr;
}

// raw_module(code, names): a tuple of kernels
PyObject *raw_module(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<const char *> code;
  Argument<const char *const *> names;
  if (!takes(given, 2) || !code.read(arguments[0]) || !names.read(arguments[1])) return nullptr;
  const auto count = static_cast<int32_t>(names.values.size() - 1);
  std::vector<gpuopt_kernel> kernels(static_cast<size_t>(count) + 1);
  const bool made = run(
      [&](gpuopt_error *error) { return gpuopt_raw_module(code.get(), count, names.get(), kernels.data(), error); });
  PyObject *tuple = made ? PyTuple_New(count) : nullptr;
  for (int32_t at = 0; tuple && at < count; ++at) PyTuple_SetItem(tuple, at, capsule(kernels[at]));
  return tuple;
}

PyObject *kernel_sizes(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_kernel> kernel;
  if (!takes(given, 1) || !kernel.read(arguments[0])) return nullptr;
  return Py_BuildValue("ii", static_cast<int>(gpuopt_kernel_nin(kernel.get())),
                       static_cast<int>(gpuopt_kernel_nout(kernel.get())));
}

// ---- Textures ------------------------------------------------------------------------------------------------------

// texture_create(array, channels, layered, surface, address_x, address_y, address_z, linear, normalized_coordinates,
// normalized_float): a capsule, and the object that kernels get.
PyObject *texture_create(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  gpuopt_texture_options options = GPUOPT_TEXTURE_OPTIONS_INIT;
  int32_t *const members[] = {
      &options.channels,        &options.layered,   &options.surface, &options.address_x,
      &options.address_y,       &options.address_z, &options.linear,  &options.normalized_coordinates,
      &options.normalized_float};
  constexpr Py_ssize_t count = std::size(members);
  Argument<gpuopt_array> array;
  if (!takes(given, 1 + count) || !array.read(arguments[0])) return nullptr;
  for (Py_ssize_t at = 0; at < count; ++at) {
    Argument<int32_t> number;
    if (!number.read(arguments[1 + at])) return nullptr;
    *members[at] = number.get();
  }
  gpuopt_texture made = nullptr;
  if (!run([&](gpuopt_error *error) { return gpuopt_texture_create(array.get(), &options, &made, error); }))
    return nullptr;
  const unsigned long long object = gpuopt_texture_object(made);
  PyObject *const handle = capsule(made);
  if (!handle) {
    gpuopt_texture_release(made);
    return nullptr;
  }
  return Py_BuildValue("NK", handle, object);
}

}  // namespace

PyMethodDef kernel_functions[] = {
    {"elementwise_kernel", method(elementwise_kernel), METH_FASTCALL, nullptr},
    {"reduction_kernel", method(reduction_kernel), METH_FASTCALL, nullptr},
    {"kernel_call", method(kernel_call), METH_FASTCALL, nullptr},
    {"kernel_sizes", method(kernel_sizes), METH_FASTCALL, nullptr},
    {"raw_kernel_launch", method(raw_kernel_launch), METH_FASTCALL, nullptr},
    {"raw_module", method(raw_module), METH_FASTCALL, nullptr},
    {"texture_create", method(texture_create), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python
