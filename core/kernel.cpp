// core/kernel.cpp -- user kernels at the C boundary.
#include "kernel.h"

#include <algorithm>

#include "device.h"
#include "error.h"
#include "kernel_calls.h"

namespace gpuopt {
namespace {

void compile(Compiled &made, const UserKernel &kernel, const std::string &code) {
  const std::string symbol = kernel_symbol(kernel);
  gpuopt_kernel_source source{};
  source.struct_size = sizeof source;
  source.flags = kernel.raw ? uint32_t{GPUOPT_KERNEL_RAW} : 0;
  source.name = symbol.c_str();
  source.code = code.c_str();
  try {
    call_slot(made.device, kernel.name.c_str(), made.device->api().kernel_compile,
              static_cast<const gpuopt_kernel_source *>(&source), &made.handle);
  } catch (Failure &failure) {
    if (failure.code == GPUOPT_ERR_UNSUPPORTED) failure.code = GPUOPT_ERR_JIT_UNAVAILABLE;
    throw;
  }
}

std::string text_or_empty(const char *text) { return text ? text : ""; }

// What all kinds have.
Ref<gpuopt_kernel_s> make_kernel(const char *in_params, const char *out_params, const char *operation, const char *name,
                                 const gpuopt_kernel_options &options) {
  const std::string title = text_or_empty(name);
  check_kernel_name(title);
  auto kernel = Ref<gpuopt_kernel_s>::adopt(new gpuopt_kernel_s);
  UserKernel &source = kernel->source;
  source.name = title;
  source.parameters = parse_parameters(title, in_params, out_params);
  source.operation = text_or_empty(operation);
  source.preamble = text_or_empty(options.preamble);
  source.loop_prep = text_or_empty(options.loop_prep);
  source.after_loop = text_or_empty(options.after_loop);
  return kernel;
}

void check_reduction(const UserKernel &source) {
  const char *const name = source.name.c_str();
  if (source.parameters.outputs.empty()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a reduction has an output", name);
  if (source.operation.empty() || source.combine.empty() || source.finish.empty())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: map_expr, reduce_expr and post_map_expr cannot be empty", name);
  for (const KernelParameter &p : source.parameters.outputs)
    if (p.raw) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: output %s of a reduction cannot be raw", name, p.name.c_str());
  for (size_t k = 0; k < source.parameters.count(); ++k)
    if (source.parameters.at(k).name == "a" || source.parameters.at(k).name == "b")
      fail(GPUOPT_ERR_INVALID_ARGUMENT,
           "%s: Can not use \"%s\" as a parameter name: reduce_expr and post_map_expr have it", name,
           source.parameters.at(k).name.c_str());
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

Compiled::~Compiled() {
  if (handle && !device->forked()) device->api().kernel_release(device->handle, handle);
}

gpuopt_plugin_kernel *gpuopt_kernel_s::compiled_for(gpuopt_device device, const std::string &key,
                                                    const std::function<std::string()> &text) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Compiled> &place = compiled_[key];
  if (place) return place->handle;
  auto made = std::make_unique<Compiled>();
  made->device = device;
  compile(*made, source, text());
  place = std::move(made);
  return place->handle;
}

extern "C" {

gpuopt_status gpuopt_elementwise_kernel(const char *in_params, const char *out_params, const char *operation,
                                        const char *name, const gpuopt_kernel_options *options, gpuopt_kernel *kernel,
                                        gpuopt_error *error) {
  if (kernel) *kernel = nullptr;
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "elementwise_kernel: the kernel pointer is NULL");
    auto made =
        make_kernel(in_params, out_params, operation, name, options_or_default(options, "gpuopt_kernel_options"));
    made->source.indexed = wants_index(made->source);
    *kernel = made.leave();
  });
}

gpuopt_status gpuopt_reduction_kernel(const char *in_params, const char *out_params, const char *map_expr,
                                      const char *reduce_expr, const char *post_map_expr, const char *identity,
                                      const char *name, const gpuopt_kernel_options *given, gpuopt_kernel *kernel,
                                      gpuopt_error *error) {
  if (kernel) *kernel = nullptr;
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "reduction_kernel: the kernel pointer is NULL");
    const auto options = options_or_default(given, "gpuopt_kernel_options");
    auto made = make_kernel(in_params, out_params, map_expr, name, options);
    UserKernel &source = made->source;
    source.reduces = true;
    source.combine = text_or_empty(reduce_expr);
    source.finish = text_or_empty(post_map_expr);
    source.identity = text_or_empty(identity);
    source.has_identity = !source.identity.empty();
    source.reduce_type = text_or_empty(options.reduce_type);
    check_reduction(source);
    *kernel = made.leave();
  });
}

gpuopt_status gpuopt_raw_kernel(const char *code, const char *name, gpuopt_kernel *kernel, gpuopt_error *error) {
  if (kernel) *kernel = nullptr;
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw_kernel: the kernel pointer is NULL");
    const std::string title = text_or_empty(name);
    check_kernel_name(title);
    auto made = Ref<gpuopt_kernel_s>::adopt(new gpuopt_kernel_s);
    made->source.name = title;
    made->source.raw = true;
    made->source.operation = text_or_empty(code);
    *kernel = made.leave();
  });
}

gpuopt_status gpuopt_raw_kernel_launch(gpuopt_kernel kernel, const uint32_t *grid, const uint32_t *block,
                                       uint32_t shared_bytes, int32_t count, const gpuopt_raw_argument *arguments,
                                       const gpuopt_raw_launch_options *options, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!kernel || !grid || !block) fail(GPUOPT_ERR_INVALID_ARGUMENT, "raw_kernel_launch: a pointer is NULL");
    const char *const name = kernel->source.name.c_str();
    if (!kernel->source.raw) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s is no raw kernel: it is called, not launched", name);
    if (count < 0 || (count && !arguments))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d arguments at %p", name, count, static_cast<const void *>(arguments));
    launch_raw(*kernel, grid, block, shared_bytes, {arguments, static_cast<size_t>(count)},
               options_or_default(options, "gpuopt_raw_launch_options"));
  });
}

gpuopt_kernel gpuopt_kernel_retain(gpuopt_kernel kernel) {
  if (kernel) kernel->retain();
  return kernel;
}

void gpuopt_kernel_release(gpuopt_kernel kernel) {
  if (kernel) kernel->release();
}

int32_t gpuopt_kernel_nin(gpuopt_kernel kernel) {
  return static_cast<int32_t>(kernel->composite ? kernel->composite->nin() : kernel->source.parameters.inputs.size());
}
int32_t gpuopt_kernel_nout(gpuopt_kernel kernel) {
  return static_cast<int32_t>(kernel->composite ? kernel->composite->nout() : kernel->source.parameters.outputs.size());
}

gpuopt_status gpuopt_kernel_call(gpuopt_kernel kernel, int32_t count, const gpuopt_array *arguments,
                                 const gpuopt_kernel_call_options *given, gpuopt_array *results, gpuopt_error *error) {
  if (kernel && results) std::fill_n(results, gpuopt_kernel_nout(kernel), nullptr);
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "kernel_call: the kernel is NULL");
    const UserKernel &source = kernel->source;
    const char *const name = source.name.c_str();
    if (count < 0 || (count && !arguments))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d arguments at %p", name, count, static_cast<const void *>(arguments));
    if (source.raw) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s is a raw kernel: it is launched, not called", name);
    const auto options = options_or_default(given, "gpuopt_kernel_call_options");
    if (!results && count != gpuopt_kernel_nin(kernel) + gpuopt_kernel_nout(kernel))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the results pointer is NULL, and no outputs are given", name);
    if (options.block_size < 0 || options.block_size > 1024 || options.block_size % 32)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: block_size is %d, not a multiple of 32 up to 1024", name,
           options.block_size);
    if (!source.reduces && options.axes)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: an elementwise kernel has no axes to reduce", name);
    const std::span<const gpuopt_array> given_arguments(arguments, static_cast<size_t>(count));
    if (kernel->composite) return kernel->composite->call(given_arguments, options, results);
    const auto call = source.reduces ? call_reduction : call_elementwise;
    call(*kernel, given_arguments, options, results);
  });
}

}  // extern "C"
