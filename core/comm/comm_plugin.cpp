// core/comm/comm_plugin.cpp -- see comm_plugin.h.
#include "core/comm/comm_plugin.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "core/device/discovery.h"
#include "core/device/loader.h"

namespace gpuopt {
namespace {

gpuopt_status slot_unsupported(gpuopt_error *error, const char *slot) {
  return host_services().fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0,
                              "this communication plugin does not offer %s", slot);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define COMM_STUB_BODY_status(name) return slot_unsupported(error, #name);
#define COMM_STUB_BODY_none(name)
#define GPUOPT_COMM_SLOT(need, result, name, args) \
  GPUOPT_COMM_RESULT_##result comm_stub_##name args { COMM_STUB_BODY_##result(name) }
#include <gpuopt/comm_slots.def>
#pragma GCC diagnostic pop

constexpr gpuopt_comm_api kCommStubs = {
    {sizeof(gpuopt_comm_api), GPUOPT_COMM_ABI_MAJOR, GPUOPT_COMM_ABI_MINOR, 0, 0, nullptr},
#define GPUOPT_COMM_SLOT(need, result, name, args) comm_stub_##name,
#include <gpuopt/comm_slots.def>
};

constexpr TableSlot kCommSlots[] = {
#define REQUIRED true
#define OPTIONAL false
#define GPUOPT_COMM_SLOT(need, result, name, args) {#name, offsetof(gpuopt_comm_api, name), need},
#include <gpuopt/comm_slots.def>
#undef REQUIRED
#undef OPTIONAL
};
static_assert(sizeof(gpuopt_comm_api) == sizeof(gpuopt_table_header) + std::size(kCommSlots) * sizeof(void *));
static_assert(offsetof(gpuopt_comm_api, probe) == sizeof(gpuopt_table_header), "slots follow the header");

std::string text_of(const char *text) {
  constexpr size_t longest = 256;
  return text ? std::string(text, strnlen(text, longest)) : std::string();
}

std::string refused(Candidate &candidate, gpuopt_reason reason, std::string detail) {
  candidate.reason = reason;
  return candidate.detail = std::move(detail);
}

// Checks what the query function has returned, and fills the plugin. Returns what is wrong, or "".
std::string accept_comm(gpuopt_status status, const gpuopt_comm_desc &desc, CommPlugin &plugin, Candidate &candidate) {
  if (status != GPUOPT_OK && status != GPUOPT_ERR_UNSUPPORTED)
    return refused(candidate, GPUOPT_REASON_PROBE_FAILED,
                   std::string("its query returned ") + gpuopt_status_name(status));
  if (status != GPUOPT_OK || desc.minor_min > desc.minor_max || desc.minor_min > GPUOPT_COMM_ABI_MINOR)
    return refused(candidate, GPUOPT_REASON_ABI_MISMATCH,
                   "it speaks version 1." + std::to_string(desc.minor_min) + " to 1." + std::to_string(desc.minor_max) +
                       " of the interface for communication, this library 1.0 to 1." +
                       std::to_string(GPUOPT_COMM_ABI_MINOR));
  if (text_of(desc.name) != plugin.name)
    return refused(candidate, GPUOPT_REASON_LOAD_FAILED,
                   "the file is named for " + plugin.name + " but says it is '" + text_of(desc.name) + "'");
  if (!desc.api) return refused(candidate, GPUOPT_REASON_ABI_MISMATCH, "it gives no function table");
  if (std::string defect = copy_comm_table(*desc.api, &plugin.api); !defect.empty())
    return refused(candidate, GPUOPT_REASON_ABI_MISMATCH, defect);
  plugin.version = text_of(desc.version);
  return {};
}

// Loads the file of a candidate. Returns an empty pointer and says why in the candidate if it is none.
std::unique_ptr<CommPlugin> load_comm(const std::string &name, Candidate &candidate) {
  const Library library = open_library(candidate.path, candidate.check);
  if (!library.handle) {
    refused(candidate, library.reason, library.detail);
    return nullptr;
  }
  const auto query = reinterpret_cast<gpuopt_comm_query_fn>(library_symbol(library, GPUOPT_COMM_ENTRY));
  if (!query) {
    refused(candidate, GPUOPT_REASON_NO_ENTRY, "the library does not export " GPUOPT_COMM_ENTRY);
    return nullptr;
  }
  auto plugin = std::make_unique<CommPlugin>();
  plugin->name = name;
  plugin->path = candidate.path;
  gpuopt_comm_desc desc{};
  desc.header = {sizeof desc, GPUOPT_COMM_ABI_MAJOR, GPUOPT_COMM_ABI_MINOR, 0, 0, nullptr};
  desc.host_minor_max = GPUOPT_COMM_ABI_MINOR;
  try {
    const gpuopt_status status = query(&host_services(), &desc);
    return accept_comm(status, desc, *plugin, candidate).empty() ? std::move(plugin) : nullptr;
  } catch (...) {
    refused(candidate, GPUOPT_REASON_PROBE_FAILED, "its query threw a C++ exception");
    return nullptr;
  }
}

std::unique_ptr<CommPlugin> find_comm(const std::string &name) {
  const std::vector<SearchPlace> places = search_places(gpuopt_device_options{});
  std::vector<Candidate> candidates = find_candidates(places, name);
  if (candidates.empty())
    throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NOT_FOUND, 0, "comm_init: " + not_found_text(places, name)};
  std::string all;
  for (Candidate &candidate : candidates) {
    if (candidate.reason == GPUOPT_REASON_NONE)
      if (auto plugin = load_comm(name, candidate)) return plugin;
    all += (all.empty() ? "" : "; ") + candidate.path + ": " + candidate.detail;
  }
  throw Failure{GPUOPT_ERR_UNAVAILABLE, candidates[0].reason, 0, "comm_init: " + all};
}

}  // namespace

const std::vector<std::string> &known_comm_plugins() {
  static const auto *const names = new std::vector<std::string>{"ring", "mpi", "nccl"};
  return *names;
}

const CommPlugin &comm_plugin(const std::string &name) {
  static auto *const mutex = new std::mutex;
  static auto *const loaded = new std::map<std::string, std::unique_ptr<CommPlugin>>;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<CommPlugin> &plugin = (*loaded)[name];
  if (!plugin) plugin = find_comm(name);
  return *plugin;
}

gpuopt_comm_probe probe_comm(const CommPlugin &plugin) {
  gpuopt_comm_probe probe{};
  probe.struct_size = sizeof probe;
  SlotError error;
  check_slot(plugin.api.probe(&probe, &error), error, plugin.name.c_str());
  probe.detail[sizeof probe.detail - 1] = '\0';
  return probe;
}

bool CommPlugin::moves_device_memory() const { return api.exchange_on_device != comm_stub_exchange_on_device; }

std::string copy_comm_table(const gpuopt_comm_api &theirs, gpuopt_comm_api *ours) {
  return copy_slots(&theirs, &kCommStubs, kCommSlots, ours);
}

}  // namespace gpuopt
