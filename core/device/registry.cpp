// core/registry.cpp -- loading backends and opening devices, each once in the life of the process.
#include "registry.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "bundle.h"
#include "engine.h"
#include "policy.h"

namespace gpuopt {
namespace {

std::atomic<int> forks{0};

struct Loaded {
  std::unique_ptr<Backend> backend;  // NULL: not loaded
  std::vector<Candidate> tried;      // at the last search
  int32_t device_count = 0;          // at the last probe
  std::string driver;
};

// Never destroyed: arrays of static objects may outlive any order of destruction we could choose.
struct Registry {
  std::mutex mutex;
  std::map<std::string, Loaded> backends;
  std::map<std::pair<std::string, int32_t>, std::unique_ptr<gpuopt_device_s>> devices;
};

Registry *make_registry();

Registry &registry() {
  static Registry *const kept = make_registry();
  return *kept;
}

// Whether this thread is inside the registry: a plugin may fork a helper process while it is probed.
thread_local bool inside = false;

struct RegistryLock {
  std::lock_guard<std::mutex> lock{registry().mutex};
  RegistryLock() { inside = true; }
  ~RegistryLock() { inside = false; }
};

void before_fork() {
  if (!inside) registry().mutex.lock();
}
void after_fork_in_parent() {
  if (!inside) registry().mutex.unlock();
}
void after_fork_in_child() {
  ++forks;
  after_fork_in_parent();
}

// A fork waits until nobody else is opening a device, so that the child finds the registry whole and its mutex free.
Registry *make_registry() {
  watch_forks(before_fork, after_fork_in_parent, after_fork_in_child);
  return new Registry;
}

void set_trouble(Attempt &attempt, gpuopt_reason reason, std::string detail) {
  attempt.reason = reason;
  attempt.detail = std::move(detail);
}

// Runs one step of a plugin's opening. What it throws, a C++ exception included, becomes the attempt's reason.
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

// The first valid plugin file on the list. If there is none, the first file's trouble is the backend's.
const Backend *find_backend(Attempt &attempt, Loaded &loaded, Search &search) {
  if (loaded.backend) return loaded.backend.get();
  loaded.tried = find_candidates(search.places(), attempt.name);
  for (Candidate &candidate : loaded.tried) {
    if (candidate.reason == GPUOPT_REASON_NONE) loaded.backend = load_plugin(attempt.name, &candidate);
    if (!loaded.backend) continue;
    give_bundles(*loaded.backend);
    return loaded.backend.get();
  }
  if (loaded.tried.empty()) {
    set_trouble(attempt, GPUOPT_REASON_NOT_FOUND, not_found_text(search.places(), attempt.name));
  } else {
    set_trouble(attempt, loaded.tried.front().reason, loaded.tried.front().detail);
    attempt.plugin = loaded.tried.front().path;
  }
  return nullptr;
}

void probe(Attempt &attempt, Loaded &loaded) {
  gpuopt_plugin_probe found{};
  found.struct_size = sizeof found;
  found.hardware_present = -1;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = attempt.backend->api.probe(&found, &error);
  if (found.hardware_present == 0 || found.hardware_present == 1) attempt.hardware = found.hardware_present;
  loaded.driver.assign(found.driver, strnlen(found.driver, sizeof found.driver));
  check_slot(status, error, "probe");
  loaded.device_count = found.device_count;
  if (found.device_count > 0) attempt.hardware = 1;  // the driver knows better than a look from outside
  if (attempt.index < found.device_count) return;
  const std::string count = found.device_count > 0 ? std::to_string(found.device_count) : "no";
  throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_DEVICE, 0,
                "device " + std::to_string(attempt.index) + " was asked for, the backend finds " + count + " devices"};
}

void end_text(char *text, size_t capacity) { text[capacity - 1] = '\0'; }

std::unique_ptr<gpuopt_device_s> make_device(const Attempt &attempt) {
  auto device = std::make_unique<gpuopt_device_s>();
  device->backend = attempt.backend;
  device->index = attempt.index;
  device->name = attempt.name + ":" + std::to_string(attempt.index);
  device->generation = fork_generation();
  device->info.struct_size = sizeof device->info;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check_slot(device->api().device_open(attempt.index, &device->handle, &error), error, "open");
  check_slot(device->api().device_info(device->handle, &device->info, &error), error, "open");
  end_text(device->info.name, sizeof device->info.name);
  end_text(device->info.detail, sizeof device->info.detail);
  device->default_stream = make_stream(device.get()).leave();
  device->default_stream->make_permanent();
  self_test(device.get());
  device->engine = make_engine(device.get());
  return device;
}

int known_hardware(const std::string &name) {
  for (const KnownBackend &known : known_backends()) {
    if (name == known.name) return known.hardware();
  }
  return -1;
}

// With the registry locked.
void open_locked(Attempt &attempt, Loaded &loaded, Search &search) {
  attempt.backend = find_backend(attempt, loaded, search);
  if (!attempt.backend) return;
  attempt.plugin = attempt.backend->path;
  if (!step(attempt, "probe", [&] { probe(attempt, loaded); })) return;
  std::unique_ptr<gpuopt_device_s> device;
  if (!step(attempt, "open", [&] { device = make_device(attempt); })) return;
  attempt.device = (registry().devices[{attempt.name, attempt.index}] = std::move(device)).get();
}

}  // namespace

int fork_generation() { return forks.load(std::memory_order_relaxed); }

const std::vector<KnownBackend> &known_backends() {
  // Looked for once: a program may ask for a device that is not there in every function it calls.
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
    }
    attempt.tried = loaded.tried;
    attempt.device_count = loaded.device_count;
    attempt.driver = loaded.driver;
  }
  if (!attempt.device && attempt.hardware < 0) attempt.hardware = known_hardware(name);
  return attempt;
}

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
