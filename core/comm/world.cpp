// core/comm/world.cpp -- see world.h.
#include "core/comm/world.h"

#include <cmath>

#include "core/base/setting_values.h"
#include "core/device/policy.h"

namespace gpuopt {
namespace {

std::string requested(const char *request) {
  if (request) return request;
  const char *setting = environment(Setting::GPUOPT_COMM);
  return setting && *setting ? setting : "auto";
}

void check_request(const std::string &name) {
  const bool named = !name.empty() && name.size() <= 32 &&
                     name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  if (!named)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "comm_init: \"%.64s\" is no request: auto, self, or the name of a communication plugin (mpi, nccl, ring)",
         name.c_str());
  if (name == "threads")
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "comm_init: ranks that are threads begin with gpuopt_comm_init_devices()");
}

// Returns the plugin whose launcher has started this process; NULL if none has. One that is not installed, or cannot be
// loaded, is passed over, unless the environment shows that its launcher is at work.
const CommPlugin *launched_by() {
  for (const std::string &name : known_comm_plugins()) {
    try {
      const CommPlugin &plugin = comm_plugin(name);
      if (probe_comm(plugin).launched == 1) return &plugin;
    } catch (const Failure &failure) {
      if (failure.code != GPUOPT_ERR_UNAVAILABLE) throw;
      const bool ring = name == "ring" && environment(Setting::GPUOPT_RING_HOSTS);
      const bool mpi = name == "mpi" && (environment(Setting::OMPI_COMM_WORLD_SIZE) || environment(Setting::PMI_SIZE) ||
                                         environment(Setting::PMIX_RANK));
      if (ring || mpi) throw;
    }
  }
  return nullptr;
}

const CommPlugin *choose_plugin(const std::string &name) {
  if (name == "self") return nullptr;
  return name == "auto" ? launched_by() : &comm_plugin(name);
}

void join_job(World &world, const gpuopt_comm_options &options) {
  gpuopt_comm_world_options wanted{};
  wanted.struct_size = sizeof wanted;
  wanted.native = options.native;
  wanted.timeout = world.timeout;
  wanted.backend = world.device->backend->name.c_str();
  wanted.device_index = world.device->index;
  gpuopt_comm_world_info info{};
  info.struct_size = sizeof info;
  SlotError error;
  const gpuopt_status status = call_plugin("comm_init", world.plugin->api.world_open, &wanted, &world.handle, &info,
                                           static_cast<gpuopt_error *>(&error));
  check_slot(status, error, "comm_init");
  if (!world.handle) fail_without_output("comm_init", "it has joined a job");
  if (info.size < 1 || info.rank < 0 || info.rank >= info.size)
    fail(GPUOPT_ERR_INTERNAL, "comm_init: the plugin says that this is rank %d of %d", info.rank, info.size);
  world.rank = info.rank;
  world.size = info.size;
}

// The failure of a slot that belongs to a peer keeps its text; others are this rank's own.
gpuopt_status exchange_messages(World &world, bool on_device, std::vector<gpuopt_comm_message> &sends,
                                std::vector<gpuopt_comm_message> &receives, const char *name, SlotError &error) {
  const gpuopt_comm_api &api = world.plugin->api;
  return call_plugin(name, on_device ? api.exchange_on_device : api.exchange, world.handle,
                     static_cast<int32_t>(sends.size()), static_cast<const gpuopt_comm_message *>(sends.data()),
                     static_cast<int32_t>(receives.size()), static_cast<const gpuopt_comm_message *>(receives.data()),
                     world.timeout, static_cast<gpuopt_error *>(&error));
}

// Mixes the words of an intent, which has no padding, by a multiplication and a shift for each.
uint64_t hash_of(const Intent &intent, uint64_t seed) {
  static_assert(sizeof(Intent) % sizeof(uint64_t) == 0 && std::has_unique_object_representations_v<Intent>);
  const char *at = reinterpret_cast<const char *>(&intent);
  for (const char *const end = at + sizeof intent; at != end; at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    seed = (seed ^ word) * 0xff51afd7ed558ccd;
    seed ^= seed >> 33;
  }
  return seed;
}

uint64_t bytes_of(const std::vector<gpuopt_comm_message> &messages) {
  uint64_t bytes = 0;
  for (const gpuopt_comm_message &message : messages) bytes += message.bytes;
  return bytes;
}

void count_exchange(gpuopt_comm_traffic &traffic, const std::vector<gpuopt_comm_message> &sends,
                    const std::vector<gpuopt_comm_message> &receives) {
  ++traffic.rounds;
  traffic.messages_sent += sends.size();
  traffic.messages_received += receives.size();
  traffic.bytes_sent += bytes_of(sends);
  traffic.bytes_received += bytes_of(receives);
}

}  // namespace

int64_t Intent::size() const {
  int64_t count = 1;
  for (const int64_t n : sizes()) count *= n;
  return count;
}

int64_t Intent::bytes() const { return size() * dtype_size(dtype); }

void World::destroy(World *world) {
  if (world->handle && world->generation == fork_generation()) {
    try {
      world->plugin->api.world_close(world->handle);
    } catch (...) {  // a plugin must not throw; the job is left all the same
    }
  }
  delete world;
}

Ref<gpuopt_comm_s> open_world(const char *request, const gpuopt_comm_options &options) {
  const std::string name = requested(request);
  check_request(name);
  check_comm_options(options, "comm_init");
  auto world = Ref<World>::adopt(new World);
  world->timeout = timeout_of(options, "comm_init");
  world->fast = is_fast(options);
  world->device = options.device ? &deref(options.device, "comm_init") : open_device("cpu", nullptr, nullptr);
  world->generation = fork_generation();
  world->plugin = choose_plugin(name);
  world->name = world->plugin ? world->plugin->name : "self";
  if (world->plugin) join_job(*world, options);
  return whole_group(std::move(world));
}

Ref<gpuopt_comm_s> whole_group(Ref<World> world) {
  auto comm = Ref<gpuopt_comm_s>::adopt(new gpuopt_comm_s);
  comm->rank = world->rank;
  for (int32_t r = 0; r < world->size; ++r) comm->members.push_back(r);
  world->contexts.set(0);
  comm->world = std::move(world);
  return comm;
}

void check_comm_options(const gpuopt_comm_options &options, const char *what) {
  constexpr uint32_t both = GPUOPT_COMM_FAST | GPUOPT_COMM_EXACT;
  if (options.flags & ~both)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: options->flags is %u, which has unknown flags", what, options.flags);
  if (options.flags == both)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: options->flags says both GPUOPT_COMM_FAST and GPUOPT_COMM_EXACT", what);
}

double timeout_of(const gpuopt_comm_options &options, const char *what) {
  if (std::isnan(options.timeout) || options.timeout < 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: options->timeout is %g seconds", what, options.timeout);
  if (options.timeout > 0) return options.timeout;
  return static_cast<double>(*setting_number(Setting::GPUOPT_COMM_TIMEOUT));
}

bool is_fast(const gpuopt_comm_options &options) {
  return options.flags ? options.flags == GPUOPT_COMM_FAST : setting_is(Setting::GPUOPT_COMM_REDUCE, "fast");
}

void give_up_group(gpuopt_comm_s &comm, const std::string &why) {
  World &world = *comm.world;
  const std::lock_guard lock(world.mutex);
  if (!world.plugin || !world.broken.empty() || world.generation != fork_generation()) return;
  world.broken = "this rank has given up: " + why;
  const std::string text = "rank " + std::to_string(world.rank) + " has given up: " + why;
  world.plugin->api.give_up(world.handle, text.c_str());
}

gpuopt_comm_s &deref(gpuopt_comm comm, const char *what) {
  if (!comm) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the group is NULL", what);
  return *comm;
}

int32_t checked_rank(const gpuopt_comm_s &comm, int32_t rank, const char *what) {
  if (rank < 0 || rank >= comm.size())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: there is no rank %d in a group of %d", what, rank, comm.size());
  return rank;
}

Call::Call(gpuopt_comm_s &comm, const char *name) : comm_(comm), name_(name), lock_(comm.world->mutex) {
  if (world().generation != fork_generation())
    throw Failure{GPUOPT_ERR_FORKED, GPUOPT_REASON_FORKED, 0,
                  std::string(name) + ": the group was made before this process forked; make one after the fork"};
  if (!world().broken.empty()) fail(GPUOPT_ERR_COMM, "%s: the job has failed before: %s", name, world().broken.c_str());
}

void Call::send(int32_t to, const void *data, int64_t bytes, int32_t tag) {
  add(sends_, to, static_cast<const char *>(data), bytes, tag);
}

void Call::receive(int32_t from, void *data, int64_t bytes, int32_t tag) {
  add(receives_, from, static_cast<char *>(data), bytes, tag);
}

void Call::add(std::vector<gpuopt_comm_message> &list, int32_t peer, const char *data, int64_t bytes, int32_t tag) {
  constexpr int64_t most = int64_t{1} << 30;  // of one message
  const uint32_t whole = static_cast<uint32_t>(comm_.context) << 16 | static_cast<uint32_t>(tag);
  int64_t at = 0;
  do {
    list.push_back({comm_.members[static_cast<size_t>(peer)], whole, const_cast<char *>(data) + at,
                    static_cast<uint64_t>(std::min(bytes - at, most))});
    at += most;
  } while (at < bytes);
}

void Call::flush() {
  if (sends_.empty() && receives_.empty()) return;
  SlotError error;
  const gpuopt_status status = exchange_messages(world(), on_device_, sends_, receives_, name_, error);
  if (status == GPUOPT_OK) count_exchange(world().traffic, sends_, receives_);
  sends_.clear();
  receives_.clear();
  if (status == GPUOPT_OK) return;
  error.message[sizeof error.message - 1] = '\0';
  give_up({status, error.reason, error.backend_code, error.message});
}

bool Call::all_reduce(void *data, int64_t count, gpuopt_dtype dtype, gpuopt_reduction reduction) {
  gpuopt_comm_reduction reduced{};
  reduced.struct_size = sizeof reduced;
  reduced.reduction = reduction;
  reduced.dtype = dtype;
  reduced.on_device = on_device_;
  reduced.data = data;
  reduced.count = static_cast<uint64_t>(count);
  SlotError error;
  const gpuopt_status status = call_plugin(name_, world().plugin->api.all_reduce, world().handle,
                                           static_cast<const gpuopt_comm_reduction *>(&reduced), world().timeout,
                                           static_cast<gpuopt_error *>(&error));
  if (status == GPUOPT_ERR_UNSUPPORTED) return false;
  if (status == GPUOPT_OK) return ++world().traffic.rounds;
  error.message[sizeof error.message - 1] = '\0';
  give_up({status, error.reason, error.backend_code, error.message});
}

void Call::give_up(const Failure &failure) {
  if (!world().plugin) throw failure;
  world().broken = failure.message;
  const std::string why =
      "rank " + std::to_string(world().rank) + " has given up: " + std::string(name_) + ": " + failure.message;
  world().plugin->api.give_up(world().handle, why.c_str());
  throw Failure{failure.code, failure.reason, failure.backend_code, std::string(name_) + ": " + failure.message};
}

std::vector<char> Call::gather_records(const void *own, size_t bytes) {
  const auto n = static_cast<size_t>(size());
  const bool on_device = std::exchange(on_device_, false);
  // The values of the ranks from this one on, as far as they are known: their number doubles in each round.
  std::vector<char> from_here(n * bytes), in_order(n * bytes);
  std::memcpy(from_here.data(), own, bytes);
  for (size_t known = 1; known < n; known *= 2) {
    const size_t count = std::min(known, n - known);
    const auto step = static_cast<int32_t>(known);
    send((rank() - step + size()) % size(), from_here.data(), static_cast<int64_t>(count * bytes));
    receive((rank() + step) % size(), from_here.data() + known * bytes, static_cast<int64_t>(count * bytes));
    flush();
  }
  for (size_t i = 0; i < n; ++i)
    std::memcpy(in_order.data() + (static_cast<size_t>(rank()) + i) % n * bytes, from_here.data() + i * bytes, bytes);
  on_device_ = on_device;
  return in_order;
}

void Call::disagree(int32_t of, const std::string &why) {
  finish();
  fail(GPUOPT_ERR_COMM, "%s: rank %d of %d: %s", name_, of, size(), why.c_str());
}

bool Call::all_say(const Intent &own) {
  // The least and the greatest hash of the ranks from this one on, whose number doubles in each round.
  struct Hash {
    uint64_t first, second;
    auto operator<=>(const Hash &) const = default;
  };
  const Hash hash{hash_of(own, 0x9e3779b97f4a7c15), hash_of(own, 0xc2b2ae3d27d4eb4f)};
  std::pair<Hash, Hash> known{hash, hash}, more;
  for (int32_t step = 1; step < size(); step *= 2) {
    send((rank() - step + size()) % size(), &known, sizeof known);
    receive((rank() + step) % size(), &more, sizeof more);
    flush();
    known = {std::min(known.first, more.first), std::max(known.second, more.second)};
  }
  return known.first == known.second;
}

void Call::check_intents(const Intent &own, const Intents &all) {
  for (int32_t r = 0; r < size(); ++r) {
    const Intent &one = all[r];
    if (one.magic != own.magic) disagree(r, "it has another version of gpuopt, or another byte order");
    if (one.status != GPUOPT_OK) disagree(r, one.why);
    if (one.call != own.call) disagree(r, "it makes another call");
    if (one.reduction != own.reduction) disagree(r, "it asks for another reduction");
    if (one.root != own.root) disagree(r, "it says that the root is rank " + std::to_string(one.root));
    if (one.detail != own.detail) disagree(r, "it gives other arguments, or a shard that is cut elsewhere");
    if (one.ndim < 0 || one.ndim > GPUOPT_MAX_NDIM) disagree(r, "it has sent what is no array");
  }
}

Intents Call::agree(const Intent &own) {
  std::vector<Intent> all{own};
  const bool same = size() > kFew && all_say(own);
  if (!same) {
    const std::vector<char> bytes = gather_records(&own, sizeof own);
    all.resize(static_cast<size_t>(size()));
    std::memcpy(static_cast<void *>(all.data()), bytes.data(), bytes.size());
  }
  all_can_stay_ = std::ranges::all_of(all, [](const Intent &one) { return one.on_device == 1; });
  for (Intent &one : all) one.why[sizeof one.why - 1] = '\0';
  Intents intents(std::move(all));
  if (own.status != GPUOPT_OK) throw Failure{own.status, GPUOPT_REASON_NONE, 0, own.why};
  if (!same) check_intents(own, intents);
  counted_on_ = true;
  return intents;
}

Intent Call::agree_with_root(const Intent &own, int32_t root) {
  if (size() <= kFew) return agree(own)[root];
  Intent said = own, array = own;  // what all have to say the same of, and what the root says of its array
  said.dtype = said.ndim = 0;
  std::ranges::fill(said.shape, 0);
  agree(said);
  broadcast(root, &array, sizeof array);
  return array;
}

// The root sends each rank its piece, and then each rank sends its piece to all that do not have it: two rounds, and at
// most 2 bytes (size - 1) / size of one rank (van de Geijn and others, 1994).
void Call::broadcast_pieces(int32_t root, char *data, int64_t bytes) {
  const auto begin = [&](int32_t r) { return r * (bytes / size()) + std::min<int64_t>(r, bytes % size()); };
  const auto send_piece = [&](int32_t r, int32_t to) { send_some(to, data + begin(r), begin(r + 1) - begin(r)); };
  const auto receive_piece = [&](int32_t r, int32_t from) {
    receive_some(from, data + begin(r), begin(r + 1) - begin(r));
  };
  if (rank() != root) receive_piece(rank(), root);
  for (int32_t i = 1; rank() == root && i < size(); ++i) send_piece((root + i) % size(), (root + i) % size());
  flush();
  for (int32_t i = 1; i < size(); ++i) {
    const int32_t to = (rank() + i) % size(), from = (rank() - i + size()) % size();
    if (to != root) send_piece(rank(), to);
    if (rank() != root) receive_piece(from, from);
  }
  flush();
}

void Call::broadcast(int32_t root, void *data, int64_t bytes) {
  if (size() > 2 && bytes > kSentWhole) return broadcast_pieces(root, static_cast<char *>(data), bytes);
  const int32_t place = (rank() - root + size()) % size();  // a rank's number, counted from the root's
  const auto rank_at = [&](int32_t p) { return static_cast<int32_t>((int64_t{p} + root) % size()); };
  int32_t above = 1;  // the first power of two above the place
  while (above <= place) above *= 2;
  if (place) {
    receive(rank_at(place - above / 2), data, bytes);
    flush();
  }
  for (int32_t step = above; step < size(); step *= 2)
    if (place + step < size()) send(rank_at(place + step), data, bytes);
  flush();
}

void store_failure(Intent &intent, const Failure &failure) {
  intent.status = failure.code;
  std::snprintf(intent.why, sizeof intent.why, "%s", failure.message.c_str());
}

}  // namespace gpuopt

void gpuopt_comm_s::destroy(gpuopt_comm_s *comm) {
  using namespace gpuopt;
  {
    const std::lock_guard lock(comm->world->mutex);
    comm->world->contexts.reset(static_cast<size_t>(comm->context));
  }
  delete comm;
}
