// tests/fuzz/targets/core_kernel_explain_fuzzer.cpp -- what is said of the text of a raw kernel that no compiler
// accepts. The first byte chooses the compiler's error; the first line is the kernel's name, the rest its text.
#include <algorithm>
#include <iterator>

#include "core/kernels/text/kernel_explain.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

// Errors about the generated text, as the compilers of the two backends report them, with the kernel's name at `@`.
constexpr const char *kErrors[] = {
    "gpuopt:6:43: error: use of undeclared identifier '@'\n  6 | const auto f = &@;\n",
    "gpuopt:6:43: error: reference to overloaded function could not be resolved\n  6 | const auto f = &@;\n",
    "gpuopt:2:9: error: '@' does not name a kernel\n  2 | GPUOPT_ENTRY(@)\n",
    "__nv_name_map(1): error: no instance of @\n  decltype(&@) nv_mangled_name @;\n",
    "k:3:1: error: expected '}'\n",
    "",
};

std::string log_of(uint8_t which, const std::string &name) {
  std::string log = kErrors[which % std::size(kErrors)];
  for (size_t at = log.find('@'); at != std::string::npos; at = log.find('@', at + name.size()))
    log.replace(at, 1, name);
  return log;
}

// A message names the kernel, a line that the text has, and ends with a line feed.
void require_message(const std::string &message, const std::string &name, const std::string &text) {
  fuzz::require(message.compare(0, name.size() + 1, name + ":") == 0, "the message begins with the kernel's name",
                message);
  fuzz::require(message.back() == '\n', "the message ends with a line feed", message);
  const long line = std::strtol(message.c_str() + name.size() + 1, nullptr, 10);
  const long lines = 1 + std::count(text.begin(), text.end(), '\n');
  fuzz::require(line >= 1 && line <= lines, "the message names a line of the text", message);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const auto which = input.number<uint8_t>();
  gpuopt::UserKernel kernel;
  kernel.raw = true;
  kernel.name = input.line();
  if (kernel.name.empty() || kernel.name.find('@') != std::string::npos) return 0;
  kernel.names = {kernel.name};
  kernel.operation = input.rest_as_text();
  const std::string message = gpuopt::explain_failure(kernel, log_of(which, kernel.name));
  fuzz::note_outcome(!message.empty());
  if (!message.empty()) require_message(message, kernel.name, kernel.operation);
  return 0;
}
