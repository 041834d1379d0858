// plugins/shared/comm/comm_entry.h -- the exported query function of every communication plugin, its table, and those
// slots that are alike in all of them.
#pragma once

#include <gpuopt/gpuopt_comm_plugin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/entry.h"

namespace gpuopt::plugin {

constexpr gpuopt_table_header comm_header() {
  return {sizeof(gpuopt_comm_api), GPUOPT_COMM_ABI_MAJOR, GPUOPT_COMM_ABI_MINOR, 0, 0, nullptr};
}

// The body of gpuopt_comm_query_v1. `name` and `table` are static.
inline gpuopt_status answer_comm_query(const gpuopt_host_api *api, gpuopt_comm_desc *desc, const char *name,
                                       const gpuopt_comm_api *table) noexcept {
  const size_t known = std::min<size_t>(desc->header.struct_size, sizeof(*desc));
  gpuopt_comm_desc filled{};
  std::memcpy(&filled, desc, known);
  filled.minor_min = 0;
  filled.minor_max = GPUOPT_COMM_ABI_MINOR;
  filled.name = name;
  filled.version = kVersion;
  filled.api = table;
  std::memcpy(desc, &filled, known);
  if (filled.header.abi_major != GPUOPT_COMM_ABI_MAJOR || filled.host_minor_min > GPUOPT_COMM_ABI_MINOR)
    return GPUOPT_ERR_UNSUPPORTED;
  set_host(api);
  return GPUOPT_OK;
}

// Answers a probe: whether this process seems to belong to a job, and why.
inline gpuopt_status answer_comm_probe(gpuopt_comm_probe *probe, bool launched, const char *detail) {
  gpuopt_comm_probe filled{};
  filled.launched = launched ? 1 : 0;
  std::snprintf(filled.detail, sizeof filled.detail, "%s", detail);
  give(filled, probe);
  return GPUOPT_OK;
}

// The slots of a plugin, but for probe(). `World` is its gpuopt_comm_world: an object that
// World::join(const gpuopt_comm_world_options &), a std::unique_ptr<World>, makes, with the text World::description()
// and a member `job`, which has rank(), size(), exchange(), give_up() and leave(). A plugin derives a class of its own,
// which adds probe() and may replace slots.
template <class World>
struct CommSlots {
  static gpuopt_status world_open(const gpuopt_comm_world_options *options, World **world, gpuopt_comm_world_info *info,
                                  gpuopt_error *) {
    *world = nullptr;
    std::unique_ptr<World> made = World::join(*options);
    gpuopt_comm_world_info filled{};
    filled.rank = made->job.rank();
    filled.size = made->job.size();
    std::snprintf(filled.detail, sizeof filled.detail, "%s", made->description().c_str());
    give(filled, info);
    *world = made.release();
    return GPUOPT_OK;
  }

  static void world_close(World *world) {
    world->job.leave();
    delete world;
  }

  static gpuopt_status exchange(World *world, int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                                const gpuopt_comm_message *receives, double timeout, gpuopt_error *) {
    world->job.exchange(nsends, sends, nreceives, receives, timeout);
    return GPUOPT_OK;
  }

  static void give_up(World *world, const char *why) { world->job.give_up(why); }

  static constexpr std::nullptr_t exchange_on_device = nullptr;  // of devices' memory nothing is known here
  static constexpr std::nullptr_t all_reduce = nullptr;          // in no other order than the host's
};

// Refuses a native object, for plugins whose jobs begin without one. `what` begins the sentence.
inline void refuse_native(const gpuopt_comm_world_options &options, const char *what) {
  if (options.native)
    throw Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0, std::string(what) + " has no native object"};
}

// Returns the table of a plugin whose slots are the static members of `Slots`.
template <class Slots>
constexpr gpuopt_comm_api comm_table() {
  return {
      comm_header(),
#define GPUOPT_COMM_SLOT(need, result, name, args) Barrier<Slots::name>::call,
#include <gpuopt/comm_slots.def>
  };
}

}  // namespace gpuopt::plugin
