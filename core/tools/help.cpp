// core/tools/help.cpp -- the help pages, made of the table of commands, and the settings read from the environment.
#include "command.h"

namespace gpuopt::tools {
namespace {

constexpr const char *kExit =
    "exit status: 0  done\n"
    "             1  done, and found what the command looks for: something to mend, damage, a difference\n"
    "             2  the command line was not understood\n"
    "             3  it could not be done (a file, memory, a device)\n";

std::string padded(const std::string &text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text + "  ";
}

// "gpuopt npy diff A B [--json] [--rtol X]"
std::string usage_line(const Command &command) {
  std::string line = std::string("gpuopt ") + command.name;
  if (*command.operands) line += std::string(" ") + command.operands;
  for (const Option &option : command.options)
    line += std::string(" [") + option.name + (option.placeholder ? std::string(" ") + option.placeholder : "") + "]";
  return line;
}

std::string command_page(const Command &command) {
  std::string page = "usage: " + usage_line(command) + "\n\n" + command.summary + "\n";
  if (*command.details) page += std::string("\n") + command.details;
  page += "\n";
  for (const Option &option : command.options) {
    const std::string left =
        std::string(option.name) + (option.placeholder ? std::string(" ") + option.placeholder : "");
    page += "  " + padded(left, 18) + option.help + "\n";
  }
  return page;
}

std::string main_page() {
  std::string page = "usage: gpuopt COMMAND [OPTION...]\n\n";
  for (const Command *command : commands()) page += "  " + padded(command->name, 14) + command->summary + "\n";
  page += "  " + padded("help", 14) + "tells about a command, or about the settings: gpuopt help environment\n";
  return page +
         "\n  --json      print one JSON object (every command)\n  --help      print this, or a command's help\n"
         "  --version   print the version of the library\n\n" +
         kExit;
}

std::string environment_page() {
  std::string page = "Settings read from the environment. Everything works with none of them set.\n\n";
  for (const Setting &setting : settings()) page += padded(setting.name, 24) + setting.meaning + "\n";
  return page;
}

}  // namespace

const std::vector<Setting> &settings() {
  static const std::vector<Setting> all = {
      {"GPUOPT_BACKEND", "the default request: cuda, cuda!, cpu, auto, ..."},
      {"ARRAY_MODULE", "the same where GPUOPT_BACKEND is not set; also numpy, cupy"},
      {"GPUOPT_DISABLE", "backends to leave out, with commas between"},
      {"GPUOPT_PLUGIN_PATH", "more plugin directories or files, absolute, searched first"},
      {"GPUOPT_LOG", "off, error, warn (default), info or debug"},
      {"GPUOPT_EAGER", "1: operations run at once instead of being recorded"},
      {"GPUOPT_PINNED_BYTES", "bytes recorded operations may keep alive; default: a quarter of the memory"},
      {"GPUOPT_NUM_THREADS", "threads of the CPU backend, 1 to 1024"},
      {"GPUOPT_CPU_LEVEL", "v2, v3 or v4: the highest x86-64 level used"},
      {"GPUOPT_BLAS", "a BLAS library, by absolute path, or none"},
      {"GPUOPT_JIT_POLICY", "user kernels on the CPU: on (default), cache_only: nothing is compiled, or off"},
      {"GPUOPT_CPU_TIER_UP", "hot programs on the CPU: on (default): compiled in the background; now, or off"},
      {"GPUOPT_JIT", "another libgpuopt_jit, which compiles both, by absolute path"},
      {"GPUOPT_JIT_ISOLATION", "process (default): it works in a process of its own, whose crash is an error; or off"},
      {"GPUOPT_JIT_TIMEOUT", "seconds, after which a compilation there is given up; default 300, 0: never"},
      {"GPUOPT_BUNDLES", "bundles of kernels compiled ahead of time (gpuopt-aot), absolute"},
      {"GPUOPT_RECORD_KERNELS", "a file to write down in which kernels are used, for gpuopt-aot"},
      {"GPUOPT_CPU_FISSION", "0: threads of raw kernels that wait are coroutines, never loops"},
      {"GPUOPT_CPU_CHECK", "1: raw kernels are checked for races, shared memory bounds and barriers; slow"},
      {"GPUOPT_CUDA_DRIVER", "the CUDA driver's library instead of libcuda.so.1, by absolute path"},
      {"GPUOPT_NVRTC", "NVIDIA's run-time compiler, or its directory, absolute"},
      {"GPUOPT_CUBLAS", "the same for cuBLAS"},
      {"GPUOPT_CUBLASLT", "the same for a library that no operation uses yet; so are GPUOPT_CUSOLVER and GPUOPT_CUFFT"},
      {"CONDA_PREFIX", "where else these are looked for, like CUDA_PATH and LD_LIBRARY_PATH"},
      {"CUDA_VISIBLE_DEVICES", "read by the driver: the devices there are"},
      {"GPUOPT_CACHE_DIR", "where compiled kernels are kept, absolute"},
      {"GPUOPT_CACHE_MAX_BYTES", "how large that may become; default 1 GiB, 0: no cache on disk"},
      {"GPUOPT_CACHE_SEED", "more directories of kernels compiled ahead, absolute"},
      {"NO_COLOR", "not empty: this command prints no colours"},
  };
  return all;
}

std::string help_page(const std::string &name) {
  if (name.empty()) return main_page();
  if (name == "environment") return environment_page();
  std::string page;
  for (const Command *command : commands()) {
    const std::string full = command->name;
    if (full != name && full.rfind(name + " ", 0) != 0) continue;
    page += (page.empty() ? "" : "\n") + command_page(*command);
  }
  return page;
}

}  // namespace gpuopt::tools
