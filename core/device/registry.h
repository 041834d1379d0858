// core/device/registry.h -- the loaded backends and opened devices of the process, and what came of trying to open one.
#pragma once
#include <string>
#include <vector>

#include "core/device/discovery.h"

namespace gpuopt {

// A backend of the default search list, best first. All others are reached by their names alone.
struct KnownBackend {
  const char *name;
  const char *vendor;  // whose hardware it drives; "" for the host processor
  int (*hardware)();   // whether that hardware is there: 1, 0, -1 unknown; without touching a driver
};
const std::vector<KnownBackend> &known_backends();

// The search list of one call, made when first needed: opening a device that is open already touches no file.
class Search {
 public:
  explicit Search(const gpuopt_device_options &options) : options_(options) {}
  const std::vector<SearchPlace> &places();

 private:
  const gpuopt_device_options &options_;
  std::vector<SearchPlace> places_;
  bool done_ = false;
};

// What came of trying one device of one backend.
struct Attempt {
  std::string name;
  int32_t index = 0;
  gpuopt_device device = nullptr;  // NULL: it cannot be used, and the next four say why
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  int32_t backend_code = 0;
  std::string detail = {};
  std::string plugin = {};            // the file concerned, "" if none was found
  std::vector<Candidate> tried = {};  // files, at the last search for this backend
  const Backend *backend = nullptr;
  int32_t device_count = 0;  // at the last probe
  std::string driver = {};   // in words, at the last probe
  int hardware = -1;         // 1 there, 0 not, -1 unknown
};

// Opens device `index` of backend `name`, or gives the one opened before. Never throws for what is wrong with a plugin.
Attempt attempt_device(const std::string &name, int32_t index, Search &search);

// The devices of a backend opened so far, by number.
std::vector<gpuopt_device> opened_devices(const std::string &name);

// Has `call` called with each backend that is loaded from now on, within the time that opening it may take. There is
// one such function; the file that has it sets it when the library is loaded.
void on_backend_loaded(void (*call)(const Backend &) noexcept) noexcept;

// Those whose plugins were loaded, whether or not they can work here.
std::vector<const Backend *> loaded_backends();

// "nvidia-present", "absent", "unknown": the hw= of a log line.
std::string hardware_text(const Attempt &attempt);

}  // namespace gpuopt
