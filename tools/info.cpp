// tools/info.cpp -- gpuopt info: prints what is installed, what was tried, the devices and the libraries they use.
#include <cstdlib>

#include "plugins/shared/host/settings.h"
#include "tools/command.h"
#include "tools/compiler.h"
#include "tools/devices.h"
#include "tools/output.h"
#include "tools/settings.h"

namespace gpuopt::tools {
namespace {

// Makes the backend look for its BLAS and its compiler. Failures are ignored: the log records that this causes
// (LibraryRecords) say why.
void use_libraries(const device &used) {
  try {
    const array x = ones({64, 64}, float32, used);
    matmul(x, x, product_mode::fast).eval();
  } catch (const error &) {
  }
  try {
    const array x = ones({64}, int8, used);  // no package has precompiled kernels for this dtype
    (x + x).eval();
  } catch (const error &) {
  }
}

struct CpuFacts {
  std::string level, blas;
  int threads = 0;
  CompilerFacts compiler;
};

CpuFacts cpu_facts(LibraryRecords &records) {
  const Outcome opened = open_required("cpu");
  if (!opened.device) return {};
  const device cpu{device::handle_type(opened.device)};
  use_libraries(cpu);
  const gpuopt_device_info info = cpu.info();
  const std::string detail = info.detail;
  CompilerFacts compiler = look_at_compiler();
  compiler.description = compiler.works ? records.of("cpu.jit") : "";
  compiler.isolation = records.of("cpu.jit_isolation");
  return {detail.substr(0, detail.find(',')), records.of("cpu.blas"), info.processors, std::move(compiler)};
}

// The libraries that the CUDA backend uses; "" for one that it has not looked for. Without a driver it looks for none.
struct CudaFacts {
  std::string nvrtc, cublas;
  bool known() const { return !nvrtc.empty() || !cublas.empty(); }
};

CudaFacts cuda_facts(LibraryRecords &records) {
  const Outcome opened = open_required("cuda");
  if (opened.device) use_libraries(device{device::handle_type(opened.device)});
  return {records.of("cuda.nvrtc"), records.of("cuda.cublas")};
}

using Members = std::vector<std::pair<const char *, std::string>>;

std::string compiler_json(const CompilerFacts &compiler) {
  return json::object({{"works", json::boolean(compiler.works)},
                       {"description", json::string(compiler.description)},
                       {"problem", json::string(compiler.problem)},
                       {"policy", json::string(compiler.policy)},
                       {"tier_up", json::string(compiler.tier_up)},
                       {"isolation", json::string(compiler.isolation)}});
}

std::string compiler_text(const CompilerFacts &compiler) {
  std::string text = "  compiler: " + (compiler.works ? compiler.description : "none: " + compiler.problem) + "\n";
  if (!compiler.isolation.empty()) text += "    " + compiler.isolation + "\n";
  if (compiler.policy != "on") text += "    GPUOPT_JIT_POLICY=" + compiler.policy + " limits what it compiles\n";
  if (compiler.tier_up == "off") text += "    GPUOPT_CPU_TIER_UP=off: recorded programs stay interpreted\n";
  return text;
}

std::string cpu_json(const CpuFacts &cpu) {
  return json::object({{"level", json::string(cpu.level)},
                       {"threads", json::number(cpu.threads)},
                       {"blas", json::string(cpu.blas)},
                       {"compiler", compiler_json(cpu.compiler)}});
}

std::string cuda_json(const CudaFacts &cuda) {
  if (!cuda.known()) return "null";
  return json::object({{"nvrtc", json::string(cuda.nvrtc)}, {"cublas", json::string(cuda.cublas)}});
}

std::string backends_text(const CpuFacts &cpu, const CudaFacts &cuda) {
  const auto or_else = [](const std::string &text, const char *otherwise) { return text.empty() ? otherwise : text; };
  std::string text = "cpu backend: " + cpu.level + ", " + std::to_string(cpu.threads) +
                     " threads, BLAS: " + or_else(cpu.blas, "none") + "\n" + compiler_text(cpu.compiler);
  if (cuda.known())
    text += "cuda backend:\n  compiler: " + or_else(cuda.nvrtc, "not looked for") +
            "\n  cuBLAS: " + or_else(cuda.cublas, "not looked for") + "\n";
  return text;
}

std::string settings_json() {
  Members set;
  for (const SettingRow &setting : kSettings) {
    if (const char *value = std::getenv(setting.name)) set.emplace_back(setting.name, json::string(value));
  }
  return json::object(set);
}

std::string problem_of(const std::vector<BadSetting> &bad, const std::string &name) {
  for (const BadSetting &one : bad)
    if (one.name == name) return one.problem;
  return {};
}

std::string settings_text() {
  const std::vector<BadSetting> bad = bad_settings();
  std::string text;
  for (const SettingRow &setting : kSettings) {
    const char *const value = std::getenv(setting.name);
    if (!value) continue;
    const std::string problem = problem_of(bad, setting.name);
    text +=
        std::string("  ") + setting.name + "=" + value + (problem.empty() ? "" : "  (ignored: " + problem + ")") + "\n";
  }
  for (const BadSetting &one : bad)
    if (text.find("  " + one.name + "=") == std::string::npos)
      text += "  " + one.name + "=" + one.value + "  (ignored: " + one.problem + ")\n";
  return text.empty() ? "settings: none\n" : "settings:\n" + text;
}

std::string bad_settings_json() {
  std::vector<std::string> list;
  for (const BadSetting &bad : bad_settings())
    list.push_back(json::object({{"name", json::string(bad.name)},
                                 {"value", json::string(bad.value)},
                                 {"problem", json::string(bad.problem)}}));
  return json::array(list);
}

int info(const Arguments &arguments) {
  const std::string own_settings = arguments.json() ? settings_json() : settings_text();  // before one is set below
  const std::string bad = bad_settings_json();
  LibraryRecords records;
  open_devices(kUsualDevices);  // so that they are in the report
  std::string report = discovery_report(arguments.json());
  const CpuFacts cpu = cpu_facts(records);
  const CudaFacts cuda = cuda_facts(records);
  if (!arguments.json()) {
    print(report + backends_text(cpu, cuda) + own_settings);
    return kFine;
  }
  report.resize(report.rfind('}'));  // more members follow in the same object
  print(report + ", \"cpu\": " + cpu_json(cpu) + ", \"cuda\": " + cuda_json(cuda) + ", \"settings\": " + own_settings +
        ", \"bad_settings\": " + bad + "}\n");
  return kFine;
}

}  // namespace

const Command kInfo = {
    "info",
    "",
    0,
    0,
    "what is installed here: version, plugins found and tried, devices, libraries",
    "JSON keys: version, plugin_abi, request {text, source, error}, search [{path, origin, verdict, reason, detail}],\n"
    "backends [{name, state, reason, detail, hint, backend_code, hardware, driver, plugin {path, version, build_id,\n"
    "toolkit, abi_minor}, candidates [{path, reason, detail}], device_count,\n"
    "devices [{name, processor, detail, memory_bytes, processors, host_memory}]}], also_present,\n"
    "cpu {level, threads, blas, compiler {works, description, problem, policy, tier_up, isolation}},\n"
    "cuda {nvrtc, cublas} or null, settings {those that are set}, bad_settings [{name, value, problem}].\n",
    {kJson},
    info};

}  // namespace gpuopt::tools
