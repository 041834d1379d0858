// core/tools/info.cpp -- gpuopt info: what is installed here, what was tried, the devices, the libraries they use.
#include <cstdlib>
#include <mutex>

#include "command.h"
#include "devices.h"
#include "output.h"

namespace gpuopt::tools {
namespace {

// What the CPU backend says of its BLAS when it first looks for one: its log record is the only place that tells.
class BlasRecord {
 public:
  BlasRecord() {
#if defined(_WIN32)
    _putenv_s("GPUOPT_LOG", "info");
#else
    setenv("GPUOPT_LOG", "info", 1);
#endif
    gpuopt_log_set_callback(
        [](const gpuopt_log_record *record, void *user) {
          BlasRecord *self = static_cast<BlasRecord *>(user);
          const std::lock_guard lock(self->mutex_);
          if (std::string(record->event) == "cpu.blas") self->text_ = record->detail;
        },
        this);
  }
  ~BlasRecord() { keep_log_quiet(); }

  std::string of(const device &cpu) try {
    const array x = ones({64, 64}, float32, cpu);
    matmul(x, x).eval();
    cpu.synchronize();
    const std::lock_guard lock(mutex_);
    return text_;
  } catch (const error &) {
    return {};  // a backend that calls itself cpu and multiplies no matrices
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

struct CpuFacts {
  std::string level, blas;
  int threads = 0;
};

CpuFacts cpu_facts() {
  BlasRecord record;
  const Outcome opened = open_required("cpu");
  if (!opened.device) return {};
  const device cpu{device::handle_type(opened.device)};
  const gpuopt_device_info info = cpu.info();
  const std::string detail = info.detail;
  return {detail.substr(0, detail.find(',')), record.of(cpu), info.processors};
}

using Members = std::vector<std::pair<const char *, std::string>>;

std::string cpu_json(const CpuFacts &cpu) {
  return json::object(
      {{"level", json::string(cpu.level)}, {"threads", json::number(cpu.threads)}, {"blas", json::string(cpu.blas)}});
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
  keep_log_quiet();
  open_devices(kUsualDevices);  // so that the report can name them all
  std::string report = discovery_report(arguments.json());
  const CpuFacts cpu = cpu_facts();
  if (!arguments.json()) {
    report += "cpu backend: " + cpu.level + ", " + std::to_string(cpu.threads) +
              " threads, BLAS: " + (cpu.blas.empty() ? "none" : cpu.blas) + "\n" + own_settings;
    print(report);
    return kFine;
  }
  report.resize(report.rfind('}'));  // its object goes on
  print(report + ", \"cpu\": " + cpu_json(cpu) + ", \"settings\": " + own_settings + "}\n");
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
    "backends [{name, state, reason, detail, hint, backend_code, hardware, driver, plugin, candidates, device_count,\n"
    "devices [{name, processor, detail, memory_bytes, processors, host_memory}]}], also_present,\n"
    "cpu {level, threads, blas}, settings {those that are set}.\n",
    {{"--json", nullptr, "print one JSON object"}},
    info};

}  // namespace gpuopt::tools
