// tests/plugin_test/tampered_comm.cpp -- libgpuopt_ring under another name, with the one fault that GPUOPT_TEST_FAULT
// names.
#include <dlfcn.h>
#include <gpuopt/gpuopt_comm_plugin.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

gpuopt_comm_api ring{}, table{};

bool fault(const char *name) {
  const char *const chosen = std::getenv("GPUOPT_TEST_FAULT");
  return chosen && std::strcmp(chosen, name) == 0;
}

gpuopt_status probe(gpuopt_comm_probe *answer, gpuopt_error *error) {
  const gpuopt_status status = ring.probe(answer, error);
  if (fault("probe")) answer->launched = 7;
  if (fault("endless_detail")) std::memset(answer->detail, 'x', sizeof answer->detail);
  return status;
}

gpuopt_status world_open(const gpuopt_comm_world_options *options, gpuopt_comm_world **world,
                         gpuopt_comm_world_info *info, gpuopt_error *error) {
  const gpuopt_status status = ring.world_open(options, world, info, error);
  if (fault("rank")) info->rank = 0;
  if (fault("size")) ++info->size;
  return status;
}

gpuopt_status exchange(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                       const gpuopt_comm_message *receives, double timeout, gpuopt_error *error) {
  std::vector<gpuopt_comm_message> out(sends, sends + nsends), in(receives, receives + nreceives);
  if (fault("crash")) std::raise(SIGSEGV);
  if (fault("throws")) throw 1;
  if (fault("status")) return 12345;
  if (fault("no_tags"))
    for (auto *list : {&out, &in})
      for (gpuopt_comm_message &one : *list) one.tag = 0;
  const gpuopt_status status = ring.exchange(world, nsends, out.data(), nreceives, in.data(), timeout, error);
  if (fault("says_all_is_well")) return GPUOPT_OK;
  if (fault("byte") && status == GPUOPT_OK && nreceives && in[0].bytes) *static_cast<char *>(in[0].data) ^= 1;
  return status;
}

void give_up(gpuopt_comm_world *world, const char *why) { ring.give_up(world, fault("mute") ? "no reason" : why); }

}  // namespace

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *host, gpuopt_comm_desc *desc) {
  void *const library = dlopen(RING_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  const auto query = reinterpret_cast<gpuopt_comm_query_fn>(dlsym(library, GPUOPT_COMM_ENTRY));
  const gpuopt_status status = query(host, desc);
  if (desc->api) ring = *desc->api;
  table = ring;
  table.probe = probe;
  table.world_open = world_open;
  table.exchange = exchange;
  table.give_up = give_up;
  if (fault("minor_0")) table.header.struct_size = offsetof(gpuopt_comm_api, give_up);
  if (fault("no_exchange")) table.exchange = nullptr;
  desc->name = fault("name") ? "ring" : "tampered_comm";
  desc->api = &table;
  return fault("accepts_all") ? gpuopt_status{GPUOPT_OK} : status;
}
