// core/tools/info.cpp -- gpuopt info: what is installed here, what was tried, the devices, the libraries they use.
#include <cstdlib>
#include <map>
#include <mutex>

#include "command.h"
#include "devices.h"
#include "output.h"

namespace gpuopt::tools {
namespace {

// What backends say of the libraries they use when they first look for one: their log records are the only place that
// tells, so this listens from before the first device is opened.
class LibraryRecords {
 public:
  LibraryRecords() {
    set_environment("GPUOPT_LOG", "info");
    gpuopt_log_set_callback(
        [](const gpuopt_log_record *record, void *user) {
          LibraryRecords *self = static_cast<LibraryRecords *>(user);
          const std::lock_guard lock(self->mutex_);
          self->texts_[record->event] = record->detail;
        },
        this);
  }
  ~LibraryRecords() { keep_log_quiet(); }
  LibraryRecords(const LibraryRecords &) = delete;

  // Of an event such as "cpu.blas"; "" if there was none.
  std::string of(const char *event) {
    const std::lock_guard lock(mutex_);
    return texts_[event];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

// Makes the backend look for the libraries it multiplies matrices and compiles kernels with. What fails has said why.
void use_libraries(const device &used) {
  try {
    const array x = ones({64, 64}, float32, used);
    matmul(x, x).eval();
  } catch (const error &) {
  }
  try {
    const array x = ones({64}, int8, used);  // no package has kernels of this dtype compiled ahead
    (x + x).eval();
  } catch (const error &) {
  }
}

struct CpuFacts {
  std::string level, blas;
  int threads = 0;
};

CpuFacts cpu_facts(LibraryRecords &records) {
  const Outcome opened = open_required("cpu");
  if (!opened.device) return {};
  const device cpu{device::handle_type(opened.device)};
  use_libraries(cpu);
  const gpuopt_device_info info = cpu.info();
  const std::string detail = info.detail;
  return {detail.substr(0, detail.find(',')), records.of("cpu.blas"), info.processors};
}

// What the CUDA backend uses; "" for what it did not come to look for, without a driver both.
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

std::string cpu_json(const CpuFacts &cpu) {
  return json::object(
      {{"level", json::string(cpu.level)}, {"threads", json::number(cpu.threads)}, {"blas", json::string(cpu.blas)}});
}

std::string cuda_json(const CudaFacts &cuda) {
  if (!cuda.known()) return "null";
  return json::object({{"nvrtc", json::string(cuda.nvrtc)}, {"cublas", json::string(cuda.cublas)}});
}

std::string backends_text(const CpuFacts &cpu, const CudaFacts &cuda) {
  const auto or_else = [](const std::string &text, const char *otherwise) { return text.empty() ? otherwise : text; };
  std::string text = "cpu backend: " + cpu.level + ", " + std::to_string(cpu.threads) +
                     " threads, BLAS: " + or_else(cpu.blas, "none") + "\n";
  if (cuda.known())
    text += "cuda backend:\n  NVRTC: " + or_else(cuda.nvrtc, "not looked for") +
            "\n  cuBLAS: " + or_else(cuda.cublas, "not looked for") + "\n";
  return text;
}

std::string settings_json() {
  Members set;
  for (const Setting &setting : settings()) {
    if (const char *value = std::getenv(setting.name)) set.emplace_back(setting.name, json::string(value));
  }
  return json::object(set);
}

std::string settings_text() {
  std::string text;
  for (const Setting &setting : settings()) {
    if (const char *value = std::getenv(setting.name)) text += std::string("  ") + setting.name + "=" + value + "\n";
  }
  return text.empty() ? "settings: none\n" : "settings:\n" + text;
}

int info(const Arguments &arguments) {
  const std::string own_settings = arguments.json() ? settings_json() : settings_text();  // before we set one
  LibraryRecords records;
  open_devices(kUsualDevices);  // so that the report can name them all
  std::string report = discovery_report(arguments.json());
  const CpuFacts cpu = cpu_facts(records);
  const CudaFacts cuda = cuda_facts(records);
  if (!arguments.json()) {
    print(report + backends_text(cpu, cuda) + own_settings);
    return kFine;
  }
  report.resize(report.rfind('}'));  // its object goes on
  print(report + ", \"cpu\": " + cpu_json(cpu) + ", \"cuda\": " + cuda_json(cuda) + ", \"settings\": " + own_settings +
        "}\n");
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
    "cpu {level, threads, blas}, cuda {nvrtc, cublas} or null, settings {those that are set}.\n",
    {{"--json", nullptr, "print one JSON object"}},
    info};

}  // namespace gpuopt::tools
