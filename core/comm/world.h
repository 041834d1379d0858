// core/comm/world.h -- a job as one process sees it, and the groups of its ranks: how their messages are sent, and how
// they agree on what they are about to do.
#pragma once
#include <array>
#include <bitset>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/comm/comm_plugin.h"

namespace gpuopt {

// Says what a rank is about to do, or why it cannot. Ranks exchange these records before any data, so that calls that
// do not fit together are an error on all of them. The layout is that of the wire, between processors of one byte
// order.
struct Intent {
  uint32_t magic = 0x67706332;  // "gpc2": refused where the byte order is another, or the version
  int32_t call = 0, reduction = 0, root = 0;
  int32_t dtype = 0, ndim = 0;
  int64_t shape[GPUOPT_MAX_NDIM] = {};
  uint64_t detail = 0;         // whatever else has to be the same on all ranks
  int32_t status = GPUOPT_OK;  // what keeps the rank from taking part, and `why`
  int32_t on_device = 0;       // whether what it sends and gets can stay in the group's device's memory
  char why[256] = {};
  std::span<const int64_t> sizes() const { return {shape, static_cast<size_t>(ndim)}; }
  int64_t size() const;   // the number of elements
  int64_t bytes() const;  // of all elements
};

// What all ranks have said. Where all said the same it is stored once.
class Intents {
 public:
  explicit Intents(std::vector<Intent> all) : all_(std::move(all)) {}
  const Intent &operator[](int32_t rank) const { return all_[all_.size() == 1 ? 0 : static_cast<size_t>(rank)]; }

 private:
  std::vector<Intent> all_;
};

// An array on its way from this process to itself, or one that was received and not taken.
struct Parcel {
  Intent intent;
  std::vector<char> data;
};

// All processes of the job. The mutex is held by every call that communicates, so that messages keep their order.
struct World : RefCounted<World> {
  static constexpr size_t kContexts = 4095;  // the last of 2^12 is the plugins' own
  const CommPlugin *plugin = nullptr;        // NULL: a job of one
  gpuopt_comm_world *handle = nullptr;
  std::string name;
  int32_t rank = 0, size = 1;
  double timeout = 0;
  bool fast = false;  // whether the plugin may sum floats in its own order (GPUOPT_COMM_FAST)
  gpuopt_device device = nullptr;
  int generation = 0;  // fork_generation() when it was opened
  std::mutex mutex;
  std::bitset<kContexts> contexts;   // the numbers of living groups; a number tells their messages apart
  gpuopt_comm_traffic traffic = {};  // what was sent and received
  std::string broken;                // why no call can succeed any more; "" while all is well
  std::map<std::array<int32_t, 3>, std::deque<Parcel>> parcels;  // by context, rank in the world, and tag
  static void destroy(World *world);
};

}  // namespace gpuopt

struct gpuopt_comm_s : gpuopt::RefCounted<gpuopt_comm_s> {
  gpuopt::Ref<gpuopt::World> world;
  int32_t context = 0, rank = 0;
  std::vector<int32_t> members;  // their ranks in the world, by rank in the group
  int32_t size() const { return static_cast<int32_t>(members.size()); }
  static void destroy(gpuopt_comm_s *comm);
};

namespace gpuopt {

// Opens the job that a request names (gpuopt_comm_init), and returns the group of all its ranks.
Ref<gpuopt_comm_s> open_world(const char *request, const gpuopt_comm_options &options);

// Returns the group of all ranks of a job that was just opened.
Ref<gpuopt_comm_s> whole_group(Ref<World> world);
// Throws unless these are flags and a timeout that exist.
void check_comm_options(const gpuopt_comm_options &options, const char *what);
// Returns the seconds that the options, or else the environment, give the calls of a job.
double timeout_of(const gpuopt_comm_options &options, const char *what);
// Returns whether the options, or else the environment, leave sums of floats to the plugin.
bool is_fast(const gpuopt_comm_options &options);
// Ends the job for this rank, and tells the others why. Does nothing if it has failed before, or has one rank.
void give_up_group(gpuopt_comm_s &comm, const std::string &why);

// Returns the handle as a reference. Throws ERR_INVALID_ARGUMENT if it is NULL.
gpuopt_comm_s &deref(gpuopt_comm comm, const char *what);
// Returns the rank. Throws ERR_INVALID_ARGUMENT if the group has no such rank.
int32_t checked_rank(const gpuopt_comm_s &comm, int32_t rank, const char *what);

// One call on a group, for as long as the object lives: it holds the world's lock. Throws ERR_FORKED in the child of a
// fork, and ERR_COMM if the world is broken. Ranks below are those of the group.
class Call {
 public:
  static constexpr int32_t kCollective = 0xffff;  // the tag of collective calls; a user's are below 0x8000
  Call(gpuopt_comm_s &comm, const char *name);
  int32_t rank() const { return comm_.rank; }
  int32_t size() const { return comm_.size(); }
  const char *name() const { return name_; }
  World &world() const { return *comm_.world; }
  gpuopt_comm_s &comm() const { return comm_; }

  // Add a message to or from another rank to what flush() exchanges. The memory is the caller's until then.
  void send(int32_t to, const void *data, int64_t bytes, int32_t tag = kCollective);
  void receive(int32_t from, void *data, int64_t bytes, int32_t tag = kCollective);
  // The same unless there is nothing in it, as both sides know.
  void send_some(int32_t to, const void *data, int64_t bytes) {
    if (bytes) send(to, data, bytes);
  }
  void receive_some(int32_t from, void *data, int64_t bytes) {
    if (bytes) receive(from, data, bytes);
  }
  // Whether the messages that are added from now on lie in the memory of the group's device. All ranks have to say so.
  void move_on_device(bool on) { on_device_ = on; }
  bool moves_on_device() const { return on_device_; }
  // Whether all ranks have said so in the last agree() (Intent::on_device).
  bool all_can_stay() const { return all_can_stay_; }
  // Exchanges what was added, and returns when all of it is done. If that fails, the world is broken, and its peers are
  // told.
  void flush();

  // Lets the plugin combine the arrays of all ranks of the job, in its own order: `data` lies where messages do
  // (move_on_device), and gets the result. Returns false, on all ranks, if it does not do that. Fails as flush() does.
  bool all_reduce(void *data, int64_t count, gpuopt_dtype dtype, gpuopt_reduction reduction);

  // Gives every rank a record of each rank, in their order: ceil(log2(size)) rounds (Bruck and others, 1997).
  std::vector<char> gather_records(const void *own, size_t bytes);
  // Gives every rank the intents of all. If one has a status, or `own` has, or they are not of one call, reduction and
  // root, throws: what keeps this rank from taking part, or ERR_COMM. Where there are many ranks they first compare a
  // hash of what they say, so that the usual call, in which all say the same, sends little.
  Intents agree(const Intent &own);
  // The same for calls in which the root's array counts alone: gives its intent. The others say nothing of arrays.
  Intent agree_with_root(const Intent &own, int32_t root);
  // Passes data from the root to all ranks: down a binomial tree in ceil(log2(size)) rounds, or, where it is more than
  // kSentWhole bytes, in pieces.
  void broadcast(int32_t root, void *data, int64_t bytes);
  static constexpr int64_t kSentWhole = int64_t{1} << 14;  // bytes up to which nothing is cut into pieces
  // The number of ranks up to which each sends its own data to each other one, which takes one round.
  static constexpr int32_t kFew = 8;
  // From agree() until finish() the other ranks count on this one: a failure meanwhile has to be told (give_up).
  void finish() { counted_on_ = on_device_ = false; }
  void count_on() { counted_on_ = true; }
  bool is_counted_on() const { return counted_on_ && world().broken.empty(); }
  // Throws ERR_COMM, "<call>: rank <r>: <why>", for all ranks alike.
  [[noreturn]] void disagree(int32_t rank, const std::string &why);
  // Marks the world as broken, tells the other ranks why, and throws the failure, whose message gets the call's name.
  [[noreturn]] void give_up(const Failure &failure);

 private:
  void broadcast_pieces(int32_t root, char *data, int64_t bytes);
  bool all_say(const Intent &own);
  void check_intents(const Intent &own, const Intents &all);
  void add(std::vector<gpuopt_comm_message> &list, int32_t peer, const char *data, int64_t bytes, int32_t tag);
  gpuopt_comm_s &comm_;
  const char *name_;
  std::unique_lock<std::mutex> lock_;
  bool counted_on_ = false, on_device_ = false, all_can_stay_ = false;
  std::vector<gpuopt_comm_message> sends_, receives_;
};

// Runs `prepare`, which fills the intent, and stores what it throws there: a rank that cannot take part has to say so
// to the others. agree() throws it.
template <class Prepare>
void prepare_intent(Intent &intent, Prepare prepare);
void store_failure(Intent &intent, const Failure &failure);

template <class Prepare>
void prepare_intent(Intent &intent, Prepare prepare) {
  try {
    prepare();
  } catch (const Failure &failure) {
    store_failure(intent, failure);
  } catch (const std::bad_alloc &) {
    store_failure(intent, {GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "the host has no memory left"});
  }
}

}  // namespace gpuopt
