// core/device/registry.h -- the loaded backends and opened devices of the process, and the results of trying to open
// one.
#pragma once
#include <string>
#include <vector>

#include "core/device/discovery.h"

namespace gpuopt {

// A backend of the default list, which is what "auto" tries. Other backends are used only if a request names them.
struct KnownBackend {
  const char *name;
  const char *vendor;  // of the hardware; "" for the host processor
  int (*hardware)();   // returns whether the hardware is present: 1 yes, 0 no, -1 unknown; loads no driver
};
// Returns the default list, best first.
const std::vector<KnownBackend> &known_backends();

// The search list for one call, built when it is first needed, so that opening a device of a default backend again
// reads no file. Refers to `options`.
class Search {
 public:
  explicit Search(const gpuopt_device_options &options) : options_(options) {}
  const std::vector<SearchPlace> &places();

 private:
  const gpuopt_device_options &options_;
  std::vector<SearchPlace> places_;
  bool done_ = false;
};

// The result of trying to open one device of one backend.
struct Attempt {
  std::string name;
  int32_t index = 0;
  gpuopt_device device = nullptr;  // NULL if it cannot be used; the next four members then say why
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  int32_t backend_code = 0;
  std::string detail = {};
  std::string plugin = {};            // the plugin file; "" if none was found, or the device was open already
  std::vector<Candidate> tried = {};  // the files of the last search for this backend
  const Backend *backend = nullptr;   // may be NULL if `device` is
  int32_t device_count = 0;           // as of the last probe
  std::string driver = {};            // in words, as of the last probe
  int hardware = -1;                  // 1 present, 0 absent, -1 unknown, or the device was open already
};

// Opens device `index` of backend `name`, or returns it if it is open already. Problems of plugins are in the result,
// not thrown. Like opened_devices() and loaded_backends(), this takes the registry's lock, and throws ERR_UNAVAILABLE
// if called by a plugin while it is being loaded or opened.
Attempt attempt_device(const std::string &name, int32_t index, Search &search);

// Returns the devices of a backend that have been opened, in the order of their indices.
std::vector<gpuopt_device> opened_devices(const std::string &name);

// Sets the one function that is called with each backend after it has been loaded, under the time limit of opening it.
// To be called by a static initializer, before any backend is loaded.
void on_backend_loaded(void (*call)(const Backend &) noexcept) noexcept;

// Returns the backends whose plugins were loaded, whether or not they work on this machine.
std::vector<const Backend *> loaded_backends();

// Returns "nvidia-present", "nvidia-absent", "present", "absent" or "unknown", for hw= in a log line.
std::string hardware_text(const Attempt &attempt);

}  // namespace gpuopt
