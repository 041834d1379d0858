// core/device/registry.cpp -- see registry.h. Each backend is loaded, and each device opened, once in the life of the
// process.
#include "core/device/registry.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "core/device/deadline.h"
#include "core/device/request.h"
#include "core/device/stream.h"
#include "core/engine/engine.h"

namespace gpuopt {
namespace {

// What is stored about each backend that was ever asked for.
struct Loaded {
  std::unique_ptr<Backend> backend;  // NULL if not loaded
  std::vector<Candidate> tried;      // the files of the last search
  int32_t device_count = 0;          // as of the last probe
  std::string driver;                // as of the last probe, in words
  std::string given_up;  // if a step timed out, the message; then no function of the backend is called any more
};

// Never destroyed, since arrays in other libraries' static objects may be released at any time until the process ends.
struct Registry {
  std::mutex mutex;  // guards all members; locked by RegistryLock
  std::map<std::string, Loaded> backends;
  std::map<std::pair<std::string, int32_t>, std::unique_ptr<gpuopt_device_s>> devices;
  std::map<std::string, std::string> hanging;  // by the path of a plugin file: "", or the message if loading timed out
};

using BackendHook = void (*)(const Backend &) noexcept;
constinit BackendHook backend_loaded = [](const Backend &) noexcept {};

Registry &registry() {
  static Registry *const kept = new Registry;
  return *kept;
}

// Whether this thread holds the registry's lock, or runs a step for a thread that does. A plugin that tries to open a
// device while it is being opened would deadlock; RegistryLock throws instead.
thread_local bool inside = false;

struct RegistryLock {
  RegistryLock() {
    if (inside)
      throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_PROBE_FAILED, 0,
                    "a plugin may not open devices while it is loaded or opened itself"};
    registry().mutex.lock();
    inside = true;
  }
  ~RegistryLock() {
    inside = false;
    registry().mutex.unlock();
  }
  RegistryLock(const RegistryLock &) = delete;
};

// Runs one step of opening a plugin, for at most GPUOPT_OPEN_TIMEOUT seconds. The caller holds the registry's lock.
// Returns "", or the message if the step times out; `body` then goes on, and must own all that it uses. Rethrows what
// `body` throws.
std::string run_step(const char *step, std::function<void()> body) {
  const uint32_t seconds = open_timeout();
  const auto work = [body = std::move(body)] {
    const InLibrary::OnBehalf of_the_caller;
    const bool before = std::exchange(inside, true);
    try {
      body();
    } catch (...) {
      inside = before;
      throw;
    }
    inside = before;
  };
  if (ends_within(seconds, work)) return {};
  return std::string(step) + ": the plugin has not answered within " + std::to_string(seconds) +
         (seconds == 1 ? " second" : " seconds") + " (GPUOPT_OPEN_TIMEOUT) and is not tried again in this process";
}

// Does the same for a loaded backend, but throws ERR_UNAVAILABLE if this step or an earlier one has timed out.
void run_step(Loaded &loaded, const char *step, std::function<void()> body) {
  if (loaded.given_up.empty()) loaded.given_up = run_step(step, std::move(body));
  if (!loaded.given_up.empty()) throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_PROBE_FAILED, 0, loaded.given_up};
}

void set_trouble(Attempt &attempt, gpuopt_reason reason, std::string detail) {
  attempt.reason = reason;
  attempt.detail = std::move(detail);
}

// Runs one step of opening a device. Returns false if `body` throws anything, which becomes the attempt's reason and
// detail.
template <class Body>
bool step(Attempt &attempt, const char *what, Body &&body) {
  try {
    body();
    return true;
  } catch (const Failure &failure) {
    const bool known = failure.reason > GPUOPT_REASON_NONE && failure.reason < GPUOPT_REASON_COUNT;
    set_trouble(attempt, known ? failure.reason : GPUOPT_REASON_PROBE_FAILED, failure.message);
    attempt.backend_code = failure.backend_code;
  } catch (const std::bad_alloc &) {
    set_trouble(attempt, GPUOPT_REASON_PROBE_FAILED, std::string(what) + ": no memory");
  } catch (...) {
    set_trouble(attempt, GPUOPT_REASON_PROBE_FAILED, std::string(what) + ": the plugin threw a C++ exception");
  }
  return false;
}

// Does what load_plugin() does, with the time limit. A file that has timed out is not tried again.
std::unique_ptr<Backend> load_in_time(const std::string &name, Candidate &candidate) {
  struct Load {
    Candidate candidate;
    std::unique_ptr<Backend> backend;
  };
  std::string &hanging = registry().hanging[candidate.path];
  const auto load = std::make_shared<Load>(Load{candidate, nullptr});
  if (hanging.empty())
    hanging = run_step("load", [load, name] { load->backend = load_plugin(name, &load->candidate); });
  if (!hanging.empty()) {
    candidate.reason = GPUOPT_REASON_PROBE_FAILED;
    candidate.detail = hanging;
    return nullptr;
  }
  candidate = load->candidate;
  return std::move(load->backend);
}

// Returns the backend, after loading it from the first valid plugin file on the search list if necessary. If there is
// none, returns NULL and sets the attempt's reason to that of the first file.
const Backend *find_backend(Attempt &attempt, Loaded &loaded, Search &search) {
  if (loaded.backend) return loaded.backend.get();
  loaded.tried = find_candidates(search.places(), attempt.name);
  for (Candidate &candidate : loaded.tried) {
    if (candidate.reason == GPUOPT_REASON_NONE) loaded.backend = load_in_time(attempt.name, candidate);
    if (!loaded.backend) continue;
    const Backend *const backend = loaded.backend.get();  // lives as long as the process, also if the step times out
    loaded.given_up = run_step("bundle_load", [backend] { backend_loaded(*backend); });
    return backend;
  }
  if (loaded.tried.empty()) {
    set_trouble(attempt, GPUOPT_REASON_NOT_FOUND, not_found_text(search.places(), attempt.name));
  } else {
    set_trouble(attempt, loaded.tried.front().reason, loaded.tried.front().detail);
    attempt.plugin = loaded.tried.front().path;
  }
  return nullptr;
}

// What a backend's probe slot has returned.
struct Probe {
  gpuopt_plugin_probe found{};
  SlotError error;
  gpuopt_status status = GPUOPT_OK;
};

std::shared_ptr<const Probe> ask_probe(const Backend &backend, Loaded &loaded) {
  const auto asked = std::make_shared<Probe>();
  asked->found.struct_size = sizeof asked->found;
  asked->found.hardware_present = -1;
  run_step(loaded, "probe", [asked, call = backend.api.probe] {
    asked->status = call_plugin("probe", call, &asked->found, static_cast<gpuopt_error *>(&asked->error));
  });
  return asked;
}

// Calls the probe slot and copies the results to `attempt` and `loaded`. Throws Failure if it fails, or if the backend
// has no device of the attempt's index.
void probe(Attempt &attempt, Loaded &loaded) {
  constexpr int32_t most = 4096;  // devices: more than any machine has, and few enough to be listed
  const std::shared_ptr<const Probe> asked = ask_probe(*attempt.backend, loaded);
  const gpuopt_plugin_probe &found = asked->found;
  if (found.hardware_present == 0 || found.hardware_present == 1) attempt.hardware = found.hardware_present;
  loaded.driver.assign(found.driver, strnlen(found.driver, sizeof found.driver));
  check_slot(asked->status, asked->error, "probe");
  if (found.device_count > most)
    fail(GPUOPT_ERR_UNAVAILABLE, "probe: the plugin claims to have %d devices", found.device_count);
  loaded.device_count = std::max(found.device_count, 0);
  if (found.device_count > 0) attempt.hardware = 1;  // whatever hardware_present says
  if (attempt.index < found.device_count) return;
  const std::string count = found.device_count > 0 ? std::to_string(found.device_count) : "no";
  throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_DEVICE, 0,
                "device " + std::to_string(attempt.index) + " was asked for, the backend finds " + count + " devices"};
}

void end_text(char *text, size_t capacity) { text[capacity - 1] = '\0'; }

// Fills device->info, and corrects what would be dangerous to use: struct_size, a negative number of processors, texts
// without an end.
void read_info(gpuopt_device device) {
  gpuopt_plugin_device_info &info = device->info;
  info.struct_size = sizeof info;
  call_slot(device, "open", device->api().device_info, &info);
  info.struct_size = sizeof info;
  info.processors = std::max(info.processors, 0);
  end_text(info.name, sizeof info.name);
  end_text(info.detail, sizeof info.detail);
}

// Opens a device and runs its self-test. Throws Failure. Uses nothing that the caller owns, except `backend`.
std::unique_ptr<gpuopt_device_s> make_device(const Backend &backend, int32_t index) {
  auto device = std::make_unique<gpuopt_device_s>();
  device->backend = &backend;
  device->index = index;
  device->name = backend.name + ":" + std::to_string(index);
  device->generation = fork_generation();
  SlotError error;
  gpuopt_plugin_device *handle = nullptr;
  check_slot(call_plugin("open", backend.api.device_open, index, &handle, static_cast<gpuopt_error *>(&error)), error,
             "open");
  if (!handle) fail_without_output("open", "the device is open");
  device->handle = handle;
  read_info(device.get());
  device->default_stream = make_stream(device.get()).leave();
  device->default_stream->make_permanent();
  self_test(device.get());
  device->engines = make_engines(device.get());
  return device;
}

std::unique_ptr<gpuopt_device_s> make_in_time(const Attempt &attempt, Loaded &loaded) {
  const auto made = std::make_shared<std::unique_ptr<gpuopt_device_s>>();
  run_step(loaded, "open",
           [made, &backend = *attempt.backend, index = attempt.index] { *made = make_device(backend, index); });
  return std::move(*made);
}

int known_hardware(const std::string &name) {
  for (const KnownBackend &known : known_backends()) {
    if (name == known.name) return known.hardware();
  }
  return -1;
}

// Loads the backend, probes it, and opens the device. Sets attempt.device, or the attempt's reason and detail. The
// caller holds the registry's lock.
void open_locked(Attempt &attempt, Loaded &loaded, Search &search) {
  attempt.backend = find_backend(attempt, loaded, search);
  if (!attempt.backend) return;
  attempt.plugin = attempt.backend->path;
  if (!step(attempt, "probe", [&] { probe(attempt, loaded); })) return;
  std::unique_ptr<gpuopt_device_s> device;
  if (!step(attempt, "open", [&] { device = make_in_time(attempt, loaded); })) return;
  attempt.device = (registry().devices[{attempt.name, attempt.index}] = std::move(device)).get();
}

}  // namespace

const std::vector<KnownBackend> &known_backends() {
  // The hardware is looked for once: a program may ask for an absent device again and again.
  static const auto nvidia = [] {
    static const int found = nvidia_hardware();
    return found;
  };
  static const auto *const list =
      new std::vector<KnownBackend>{{"cuda", "nvidia", nvidia}, {"cpu", "", [] { return 1; }}};
  return *list;
}

const std::vector<SearchPlace> &Search::places() {
  if (!done_) places_ = search_places(options_);
  done_ = true;
  return places_;
}

Attempt attempt_device(const std::string &name, int32_t index, Search &search) {
  Attempt attempt{name, index};
  if (disabled(name)) {
    set_trouble(attempt, GPUOPT_REASON_DISABLED, "GPUOPT_DISABLE lists " + name);
  } else {
    const RegistryLock lock;
    Loaded &loaded = registry().backends[name];
    const auto known = registry().devices.find({name, index});
    if (known == registry().devices.end()) {
      open_locked(attempt, loaded, search);
    } else if (known->second->forked()) {
      set_trouble(attempt, GPUOPT_REASON_FORKED, known->second->name + " was opened before this process forked");
      attempt.plugin = known->second->backend->path;
      attempt.hardware = 1;  // it was in use
    } else if (known->second->lost) {
      set_trouble(attempt, GPUOPT_REASON_DEVICE_LOST, known->second->lost_because);
      attempt.plugin = known->second->backend->path;
      attempt.hardware = 1;
    } else {
      attempt.device = known->second.get();
      attempt.backend = attempt.device->backend;
      attempt.hardware = 1;
    }
    attempt.tried = loaded.tried;
    attempt.device_count = loaded.device_count;
    attempt.driver = loaded.driver;
  }
  if (!attempt.device && attempt.hardware < 0) attempt.hardware = known_hardware(name);
  return attempt;
}

void on_backend_loaded(void (*call)(const Backend &) noexcept) noexcept { backend_loaded = call; }

std::vector<gpuopt_device> opened_devices(const std::string &name) {
  const RegistryLock lock;
  std::vector<gpuopt_device> found;
  for (const auto &[key, device] : registry().devices) {
    if (key.first == name) found.push_back(device.get());
  }
  return found;
}

std::vector<const Backend *> loaded_backends() {
  const RegistryLock lock;
  std::vector<const Backend *> found;
  for (const auto &[name, loaded] : registry().backends) {
    if (loaded.backend) found.push_back(loaded.backend.get());
  }
  return found;
}

std::string hardware_text(const Attempt &attempt) {
  std::string vendor;
  for (const KnownBackend &known : known_backends()) {
    if (attempt.name == known.name) vendor = known.vendor;
  }
  if (attempt.hardware < 0) return "unknown";
  return vendor + (vendor.empty() ? "" : "-") + (attempt.hardware ? "present" : "absent");
}

}  // namespace gpuopt
