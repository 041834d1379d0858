// core/comm/group.cpp -- the C functions that make groups and ask about them, and gpuopt_comm_barrier.
#include <algorithm>

#include "core/comm/calls.h"
#include "core/device/discovery.h"
#include "core/device/report.h"

namespace gpuopt {
namespace {

// What a rank says when a group is split. All ranks use the first number that is free on every one of them.
struct SplitRecord {
  int32_t call = kSplit, color = 0, key = 0, reserved = 0;
  unsigned char taken[World::kContexts / 8 + 1] = {};
};

SplitRecord own_record(const World &world, int32_t color, int32_t key) {
  SplitRecord record;
  record.color = color;
  record.key = key;
  for (size_t i = 0; i < World::kContexts; ++i)
    if (world.contexts[i]) record.taken[i / 8] = static_cast<unsigned char>(record.taken[i / 8] | 1u << (i % 8));
  return record;
}

int32_t free_context(const std::vector<SplitRecord> &all) {
  for (size_t i = 0; i < World::kContexts; ++i) {
    const auto takes = [&](const SplitRecord &one) { return (one.taken[i / 8] >> (i % 8) & 1) != 0; };
    if (std::ranges::none_of(all, takes)) return static_cast<int32_t>(i);
  }
  fail(GPUOPT_ERR_UNSUPPORTED, "split: there are %zu groups of this job", World::kContexts);
}

std::vector<SplitRecord> all_records(Call &call, const SplitRecord &own) {
  const std::vector<char> bytes = call.gather_records(&own, sizeof own);
  std::vector<SplitRecord> all(static_cast<size_t>(call.size()));
  std::memcpy(static_cast<void *>(all.data()), bytes.data(), bytes.size());
  return all;
}

Ref<gpuopt_comm_s> split(Call &call, int32_t color, int32_t key) {
  Intent intent;
  intent.call = kSplit;
  call.agree(intent);
  const std::vector<SplitRecord> all = all_records(call, own_record(call.world(), color, key));
  call.finish();
  const int32_t context = free_context(all);
  if (color < 0) return {};
  std::vector<int32_t> ranks;
  for (int32_t r = 0; r < call.size(); ++r)
    if (all[static_cast<size_t>(r)].color == color) ranks.push_back(r);
  std::ranges::stable_sort(ranks, {}, [&](int32_t r) { return all[static_cast<size_t>(r)].key; });
  auto made = Ref<gpuopt_comm_s>::adopt(new gpuopt_comm_s);
  made->world = call.comm().world;
  made->context = context;
  for (const int32_t r : ranks) {
    if (r == call.rank()) made->rank = static_cast<int32_t>(made->members.size());
    made->members.push_back(call.comm().members[static_cast<size_t>(r)]);
  }
  call.world().contexts.set(static_cast<size_t>(context));
  return made;
}

// A line of the report.
std::string plugin_line(const std::string &name) {
  try {
    const CommPlugin &plugin = comm_plugin(name);
    const gpuopt_comm_probe probe = probe_comm(plugin);
    const char *job = probe.launched == 1   ? "has started this process"
                      : probe.launched == 0 ? "has not started this process"
                                            : "cannot say whether it has started this process";
    return name + ": " + job + (*probe.detail ? "; " + std::string(probe.detail) : std::string()) + " (" + plugin.path +
           ")\n";
  } catch (const Failure &failure) {
    return name + ": unusable: " + failure.message + "\n";
  }
}

std::string comm_report() {
  std::string text;
  for (const std::string &name : known_comm_plugins()) text += plugin_line(name);
  return text;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_comm_init(const char *request, const gpuopt_comm_options *options, gpuopt_comm *comm,
                               gpuopt_error *error) {
  if (comm) *comm = nullptr;
  return guarded(error, [&] {
    if (!comm) fail(GPUOPT_ERR_INVALID_ARGUMENT, "comm_init: the pointer for the group is NULL");
    *comm = open_world(request, options_or_default(options, "comm_init")).leave();
  });
}

void gpuopt_comm_retain(gpuopt_comm comm) {
  if (comm) comm->retain();
}

void gpuopt_comm_release(gpuopt_comm comm) {
  if (comm) comm->release();
}

int32_t gpuopt_comm_rank(gpuopt_comm comm) { return comm ? comm->rank : 0; }

int32_t gpuopt_comm_size(gpuopt_comm comm) { return comm ? comm->size() : 0; }

const char *gpuopt_comm_name(gpuopt_comm comm) { return comm ? comm->world->name.c_str() : ""; }

gpuopt_status gpuopt_comm_get_traffic(gpuopt_comm comm, gpuopt_comm_traffic *traffic, gpuopt_error *error) {
  return guarded(error, [&] {
    World &world = *deref(comm, "comm_get_traffic").world;
    gpuopt_comm_traffic counted{};
    {
      const std::lock_guard lock(world.mutex);
      counted = world.traffic;
    }
    give(counted, traffic, "comm_get_traffic");
  });
}

gpuopt_status gpuopt_comm_report(char **report, gpuopt_error *error) {
  if (report) *report = nullptr;
  return guarded(error, [&] {
    if (!report) fail(GPUOPT_ERR_INVALID_ARGUMENT, "comm_report: the pointer for the text is NULL");
    *report = new_string(comm_report());
  });
}

gpuopt_status gpuopt_comm_split(gpuopt_comm comm, int32_t color, int32_t key, gpuopt_comm *result,
                                gpuopt_error *error) {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "split: the pointer for the group is NULL");
    Call call(deref(comm, "split"), "split");
    *result = told(call, [&] { return split(call, color, key); }).leave();
  });
}

gpuopt_status gpuopt_comm_barrier(gpuopt_comm comm, gpuopt_error *error) {
  return guarded(error, [&] {
    Call call(deref(comm, "barrier"), "barrier");
    Intent intent;
    intent.call = kBarrier;
    call.agree(intent);
  });
}

}  // extern "C"
