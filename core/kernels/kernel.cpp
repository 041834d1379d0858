// core/kernels/kernel.cpp -- compiles user kernels, and implements their C functions.
#include "core/kernels/kernel.h"

#include <gpuopt/kernel_next.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/device/report.h"
#include "core/device/stream.h"
#include "core/kernels/bundle.h"
#include "core/kernels/cancel.h"
#include "core/kernels/kernel_elementwise.h"
#include "core/kernels/kernel_reduction.h"
#include "core/kernels/text/kernel_explain.h"
#include "core/kernels/text/kernel_overloads.h"

namespace gpuopt {
namespace {

// Compiles `code`, the generated text of `kernel`, for made.device and sets made.handle. Throws ERR_COMPILE with all
// that the compiler printed, ERR_JIT_UNAVAILABLE or ERR_CANCELLED.
void compile(Compiled &made, const UserKernel &kernel, const std::string &code, const Cancellation &cancellation) {
  const std::string symbol = kernel.raw ? function_expression(kernel.name, kernel.operation) : kernel_symbol(kernel);
  gpuopt_kernel_source source{};
  source.struct_size = sizeof source;
  source.flags = kernel.raw ? uint32_t{GPUOPT_KERNEL_RAW} : kernel.function ? uint32_t{GPUOPT_KERNEL_FUNCTION} : 0;
  source.name = symbol.c_str();
  source.code = code.c_str();
  std::vector<std::string> functions;
  for (const std::string &name : kernel.names) functions.push_back(function_expression(name, kernel.operation));
  std::vector<const char *> names;
  for (const std::string &function : functions) names.push_back(function.c_str());
  source.names = names.data();
  source.nnames = static_cast<int32_t>(names.size());
  std::string log;
  const gpuopt_kernel_stop stop = cancellation.link();
  const gpuopt_kernel_log wanted{{sizeof wanted, GPUOPT_KERNEL_NEXT_LOG, &stop},
                                 [](void *context, const char *text) {
                                   try {
                                     *static_cast<std::string *>(context) = text;
                                   } catch (const std::bad_alloc &) {  // the error itself has the beginning of the text
                                   }
                                 },
                                 &log};
  source.next = &wanted;
  try {
    made.handle = call_maker<gpuopt_plugin_kernel>(made.device, kernel.name.c_str(), "it has compiled a kernel",
                                                   made.device->api().kernel_compile,
                                                   static_cast<const gpuopt_kernel_source *>(&source));
    source.next = nullptr;
    record_source(source);
  } catch (Failure &failure) {
    if (failure.code == GPUOPT_ERR_UNSUPPORTED) failure.code = GPUOPT_ERR_JIT_UNAVAILABLE;
    if (failure.code == GPUOPT_ERR_COMPILE) {
      if (!log.empty()) failure.message = kernel.name + ": " + log;
      const std::string why = explain_failure(kernel, log.empty() ? failure.message : log);
      if (!why.empty()) failure.message = kernel.name + ": " + why + failure.message;
    }
    throw;
  }
}

// Reads the signature from the variable in which plugins/shared/user/signature.h stores it. Returns nothing if the
// backend does not support variables, or if the kernel's parameters are not known.
std::optional<KernelSignature> signature_of(const Compiled &compiled, const UserKernel &source) {
  const gpuopt_device device = compiled.device;
  const char *const name = source.name.c_str();
  void *address = nullptr;
  uint64_t bytes = 0;
  try {
    call_slot(device, name, device->api().kernel_variable, compiled.handle, signature_symbol(source).c_str(), &address,
              &bytes);
  } catch (const Failure &failure) {
    if (failure.code == GPUOPT_ERR_UNSUPPORTED) return std::nullopt;
    throw;
  }
  if (!address || bytes < 2 * sizeof(uint32_t)) return std::nullopt;
  std::vector<uint32_t> words(bytes / sizeof(uint32_t));
  gpuopt_stream const stream = device->default_stream;
  call_stream(stream, name, device->api().copy_to_host, static_cast<void *>(words.data()),
              static_cast<const void *>(address), bytes);
  wait_for(stream, name);
  const uint32_t count = words[0];
  if (count >= words.size()) return std::nullopt;  // not a function that returns void (signature.h)
  return read_signature(std::span(words).subspan(1, count));
}

std::string text_or_empty(const char *text) { return text ? text : ""; }

// Returns a kernel with what elementwise and reduction kernels have in common.
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
  if (handle && !device->forked()) call_void(device, "kernel_release", device->api().kernel_release, handle);
}

const Compiled &gpuopt_kernel_s::compiled(gpuopt_device device, const std::string &key,
                                          const std::function<std::string()> &text) {
  const Cancellation cancellation;  // before the lock, so that it also applies while another thread compiles
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Compiled> &place = compiled_[key];
  if (place) return *place;
  auto made = std::make_unique<Compiled>();
  made->device = device;
  compile(*made, source, text(), cancellation);
  if (source.raw) made->signature = signature_of(*made, source);
  place = std::move(made);
  return *place;
}

std::string gpuopt_kernel_s::build_log() {
  const std::lock_guard lock(log_mutex_);
  return log_;
}

void gpuopt_kernel_s::keep_log(const std::string &text) {
  const std::lock_guard lock(log_mutex_);
  log_ = text;
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

gpuopt_status gpuopt_kernel_build_log(gpuopt_kernel kernel, char **text, gpuopt_error *error) {
  if (text) *text = nullptr;
  return guarded(error, [&] {
    if (!kernel || !text) fail(GPUOPT_ERR_INVALID_ARGUMENT, "kernel_build_log: a pointer is NULL");
    *text = new_string(kernel->build_log());
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
  if (!kernel) return 0;
  return static_cast<int32_t>(kernel->composite ? kernel->composite->nin() : kernel->source.parameters.inputs.size());
}
int32_t gpuopt_kernel_nout(gpuopt_kernel kernel) {
  if (!kernel) return 0;
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
    kernel->keeping_log([&] {
      if (kernel->composite) return kernel->composite->call(given_arguments, options, results);
      const auto call = source.reduces ? call_reduction : call_elementwise;
      call(*kernel, given_arguments, options, results);
    });
  });
}

}  // extern "C"
