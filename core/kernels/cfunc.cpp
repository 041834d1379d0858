// core/kernels/cfunc.cpp -- native functions: compiled by the CPU backend for a C signature, and kept in memory as long
// as there is a reference.
#include <cctype>
#include <cstring>

#include "core/base/error.h"
#include "core/device/discovery.h"
#include "core/device/policy.h"
#include "core/kernels/kernel.h"

struct gpuopt_cfunc_s : gpuopt::RefCounted<gpuopt_cfunc_s> {
  gpuopt::Ref<gpuopt_kernel_s> kernel;  // owns the code
  void *address = nullptr;
  static void destroy(gpuopt_cfunc_s *function) { delete function; }
};

namespace gpuopt {
namespace {

constexpr int kFirstMinor = 3;  // the first minor version of the plugin ABI with native functions

// Parses a type such as "float64", "const int32*" or "void". Throws ERR_INVALID_ARGUMENT.
CType c_type(const std::string &function, std::string text) {
  CType type;
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  if (text.rfind("const", 0) == 0) {
    type.constant = true;
    text.erase(0, std::strlen("const"));
  }
  if (!text.empty() && text.back() == '*') {
    type.address = true;
    text.pop_back();
  }
  if (type.constant && !type.address)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: const stands before the elements of an address, not before a number",
         function.c_str());
  if (text != "void") type.dtype = dtype_named(function, text);
  if (!type.address && (type.dtype == GPUOPT_FLOAT16 || type.dtype == GPUOPT_BFLOAT16))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s is passed by address only", function.c_str(), text.c_str());
  return type;
}

// Parses a signature such as "float64,int64*->void". Throws ERR_INVALID_ARGUMENT.
CSignature c_signature(const std::string &function, const std::string &text) {
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: the signature \"%s\" is not ARGUMENTS->RESULT",
         function.c_str(), text.c_str());
  CSignature signature;
  signature.result = c_type(function, text.substr(arrow + 2));
  const std::string list = text.substr(0, arrow);
  if (list.find_first_not_of(" \t\n") == std::string::npos) return signature;
  for (const std::string &item : split_list(list)) {
    signature.arguments.push_back(c_type(function, item));
    if (!signature.arguments.back().address && !signature.arguments.back().dtype)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no argument is void; without arguments the signature is ->RESULT",
           function.c_str());
  }
  return signature;
}

KernelParameter parameter_of(const CType &type) {
  KernelParameter parameter;
  parameter.dtype = type.dtype;
  return parameter;
}

Ref<gpuopt_cfunc_s> compile_function(const char *code, const std::string &name, const char *text) {
  check_kernel_name(name);
  const CSignature signature = c_signature(name, text ? text : "");
  auto made = Ref<gpuopt_cfunc_s>::adopt(new gpuopt_cfunc_s);
  made->kernel = Ref<gpuopt_kernel_s>::adopt(new gpuopt_kernel_s);
  UserKernel &source = made->kernel->source;
  source.name = name;
  source.function = true;
  source.operation = code ? code : "";
  for (const CType &type : signature.arguments) source.parameters.inputs.push_back(parameter_of(type));
  source.parameters.outputs.push_back(parameter_of(signature.result));
  gpuopt_device const cpu = open_device("cpu", nullptr, nullptr);
  if (cpu->backend->minor < kFirstMinor)
    fail(GPUOPT_ERR_JIT_UNAVAILABLE, "%s: this CPU backend is older than native functions", name.c_str());
  gpuopt_plugin_kernel *const compiled =
      made->kernel->compiled_for(cpu, "", [&] { return function_text(source, signature); });
  made->address =
      call_maker<void>(cpu, name.c_str(), "it has compiled a function", cpu->api().kernel_function, compiled);
  return made;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_compile_cfunc(const char *code, const char *name, const char *signature, gpuopt_cfunc *function,
                                   gpuopt_error *error) {
  if (function) *function = nullptr;
  return guarded(error, [&] {
    if (!function) fail(GPUOPT_ERR_INVALID_ARGUMENT, "compile_cfunc: the function pointer is NULL");
    *function = compile_function(code, name ? name : "", signature).leave();
  });
}

void *gpuopt_cfunc_address(gpuopt_cfunc function) { return function ? function->address : nullptr; }

gpuopt_cfunc gpuopt_cfunc_retain(gpuopt_cfunc function) {
  if (function) function->retain();
  return function;
}

void gpuopt_cfunc_release(gpuopt_cfunc function) {
  if (function) function->release();
}

}  // extern "C"
