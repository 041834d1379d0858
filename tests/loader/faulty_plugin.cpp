// tests/loader/faulty_plugin.cpp -- the CPU backend under the name "cuda", one slot of which misbehaves: each slot of
// plugin_slots.def, in each way that needs no knowledge of what the slot does.
//
//   GPUOPT_TEST_SLOT   the slot; also "query", or "load" for the time when the library is loaded
//   GPUOPT_TEST_FAULT  what it does instead:
//     throws, throws_int, throws_no_memory   a C++ exception
//     status_-1, status_12345                a status that does not exist
//     nothing                                says GPUOPT_OK and does nothing
//     fails_wildly                           fails, with an error struct of garbage whose text has no end
//     null_output                            does its work and gives NULL where a pointer is to be given
//     misaligned                             does its work and gives an address one byte off
//     huge_numbers, negative_numbers         does its work and gives numbers that cannot be
//     hangs                                  never returns
//     hangs_once                             does not return from the first call, and works from then on
//     opens_device                           opens a device of the library that is loading the plugin
//     opens_device_in_thread                 the same in a thread whose end it waits for
//   GPUOPT_TEST_FROM   the number of the call, from 1 on, with which that begins; default 1
#include <dlfcn.h>
#include <gpuopt/gpuopt_plugin.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

namespace {

const gpuopt_host_api *host = nullptr;
gpuopt_plugin_api cpu{}, table{};

const char *variable(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}

bool is_fault(const char *fault) { return std::strcmp(variable("GPUOPT_TEST_FAULT"), fault) == 0; }

// Whether this call of a slot is to misbehave.
bool chosen(const char *slot) {
  static std::atomic<int> calls{0};
  if (std::strcmp(variable("GPUOPT_TEST_SLOT"), slot) != 0) return false;
  const int from = std::atoi(variable("GPUOPT_TEST_FROM"));
  return ++calls >= from;
}

// As a plugin may that finds the library among what the process has loaded.
void open_a_device() {
  const auto open = reinterpret_cast<gpuopt_status (*)(const char *, const void *, void **, void *)>(
      dlsym(RTLD_DEFAULT, "gpuopt_device_open"));
  void *device = nullptr;
  if (open) open("cpu", nullptr, &device, nullptr);
}

// What needs no knowledge of the slot; true if the call is answered by that.
bool misbehave() {
  if (is_fault("throws")) throw std::runtime_error("thrown by a slot");
  if (is_fault("throws_int")) throw 17;
  if (is_fault("throws_no_memory")) throw std::bad_alloc();
  static std::atomic<bool> hung{false};
  const bool first = is_fault("hangs_once") && !hung.exchange(true);
  while (first || is_fault("hangs")) pause();
  if (is_fault("opens_device")) open_a_device();
  if (is_fault("opens_device_in_thread")) std::thread(open_a_device).join();
  return is_fault("nothing");
}

gpuopt_status fail_wildly(gpuopt_error *error) {
  if (error) {
    std::memset(error, 'x', sizeof *error);
    error->struct_size = UINT_MAX;
    error->code = -7;
    error->reason = -99;
  }
  return GPUOPT_ERR_INTERNAL;
}

// ---- Outputs, spoilt by their types

template <class T>
void spoil(T) {}
template <class T>
void spoil(T **pointer) {
  if (!pointer) return;
  if (is_fault("null_output")) *pointer = nullptr;
  // Only of memory: a handle that is wrong is a crash of the plugin's own, which no host can keep from it.
  if (std::is_same_v<T, void> && is_fault("misaligned"))
    *pointer = reinterpret_cast<T *>(reinterpret_cast<char *>(*pointer) + 1);
}
bool has_numbers() { return is_fault("huge_numbers") || is_fault("negative_numbers"); }
void spoil(gpuopt_plugin_probe *probe) {
  if (!has_numbers()) return;
  probe->device_count = is_fault("huge_numbers") ? INT_MAX : INT_MIN;
  probe->hardware_present = probe->driver_version = is_fault("huge_numbers") ? INT_MAX : INT_MIN;
  std::memset(probe->driver, 'd', sizeof probe->driver);
}
void spoil(gpuopt_plugin_device_info *info) {
  if (!has_numbers()) return;
  info->struct_size = UINT_MAX;
  info->processors = is_fault("huge_numbers") ? INT_MAX : INT_MIN;
  info->memory_bytes = UINT64_MAX;
  std::memset(info->name, 'n', sizeof info->name);
  std::memset(info->detail, 'd', sizeof info->detail);
}
void spoil(const gpuopt_call *call) {
  if (!has_numbers()) return;
  for (int32_t k = 0; k < call->nints; ++k) call->ints[k] = is_fault("huge_numbers") ? INT64_MAX : INT64_MIN;
}
void spoil(gpuopt_memory_stats *stats) {
  const uint32_t size = stats->struct_size;
  if (has_numbers()) std::memset(stats, 0xFF, size);
}
void spoil(gpuopt_kernel_info *info) {
  if (has_numbers()) std::memset(info, is_fault("huge_numbers") ? 0x7F : 0x80, info->struct_size);
}
void spoil(uint64_t *bytes) {
  if (has_numbers()) *bytes = UINT64_MAX;
}

// ---- Each slot: what the CPU backend does, unless it is the chosen one

template <class Slot>
struct Wrapped;
template <class... Arguments>
struct Wrapped<gpuopt_status (*)(Arguments...)> {
  template <gpuopt_status (*gpuopt_plugin_api::*member)(Arguments...), const char *(*name)()>
  static gpuopt_status call(Arguments... arguments) {
    if (!chosen(name())) return (cpu.*member)(arguments...);
    if (misbehave()) return GPUOPT_OK;
    const char *const fault = variable("GPUOPT_TEST_FAULT");
    if (std::strncmp(fault, "status_", 7) == 0) return std::atoi(fault + 7);
    if (is_fault("fails_wildly")) return fail_wildly(last(arguments...));
    const gpuopt_status status = (cpu.*member)(arguments...);
    if (status == GPUOPT_OK) (spoil(arguments), ...);
    return status;
  }
  template <class First, class... Rest>
  static gpuopt_error *last(First first, Rest... rest) {
    if constexpr (sizeof...(Rest) == 0)
      return first;
    else
      return last(rest...);
  }
};
template <class... Arguments>
struct Wrapped<void (*)(Arguments...)> {
  template <void (*gpuopt_plugin_api::*member)(Arguments...), const char *(*name)()>
  static void call(Arguments... arguments) {
    if (chosen(name()) && misbehave()) return;
    (cpu.*member)(arguments...);
  }
};

#define GPUOPT_SLOT(need, result, name, args) \
  const char *name_of_##name() { return #name; }
#include <gpuopt/plugin_slots.def>

void fill_table() {
  table.header = cpu.header;
#define GPUOPT_SLOT(need, result, name, args) \
  if (cpu.name) table.name = Wrapped<decltype(cpu.name)>::call<&gpuopt_plugin_api::name, name_of_##name>;
#include <gpuopt/plugin_slots.def>
}

gpuopt_status query_cpu(gpuopt_plugin_desc *desc) {
  void *const library = dlopen(CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  const auto query = library ? reinterpret_cast<gpuopt_plugin_query_fn>(dlsym(library, GPUOPT_PLUGIN_ENTRY)) : nullptr;
  return query ? query(host, desc) : GPUOPT_ERR_INTERNAL;
}

// Texts without an end, and counts that cannot be.
gpuopt_status describe_wildly(gpuopt_plugin_desc *desc) {
  static char endless[1 << 16];
  std::memset(endless, 'e', sizeof endless);
  desc->version = desc->build_id = desc->toolkit = endless;
  desc->op_count = desc->reduction_count = desc->scan_count = is_fault("huge_numbers") ? INT_MAX : INT_MIN;
  return GPUOPT_OK;
}

const struct WhenLoaded {
  WhenLoaded() {
    if (chosen("load")) misbehave();
  }
} when_loaded;

}  // namespace

extern "C" GPUOPT_PLUGIN_EXPORT gpuopt_status gpuopt_plugin_query_v1(const gpuopt_host_api *api,
                                                                     gpuopt_plugin_desc *desc) {
  host = api;
  const bool faulty = chosen("query");
  if (faulty && misbehave()) return GPUOPT_OK;
  const char *const fault = variable("GPUOPT_TEST_FAULT");
  if (faulty && std::strncmp(fault, "status_", 7) == 0) return std::atoi(fault + 7);
  const gpuopt_status status = query_cpu(desc);
  if (status != GPUOPT_OK) return status;
  cpu = *desc->api;
  fill_table();
  desc->name = "cuda";
  desc->api = faulty && is_fault("null_output") ? nullptr : &table;
  return faulty && has_numbers() ? describe_wildly(desc) : GPUOPT_OK;
}
