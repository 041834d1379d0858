// core/comm/threads.cpp -- see threads.h.
#include "core/comm/threads.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <utility>

#include "core/device/loader.h"
#include "core/device/stream.h"
#include "plugins/shared/comm/late_text.h"

namespace gpuopt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kShort = 4096;  // bytes of a message that its sender copies, and does not wait for
constexpr uint64_t kShortAtMost = uint64_t{1} << 18;  // bytes of such messages that wait for one rank

// A message that its receiver has not taken yet.
struct Posted {
  int32_t from;
  uint32_t tag;
  bool on_device;  // `data` is an address of the sender's device
  const char *data;
  uint64_t bytes;
  std::unique_ptr<char[]> own;   // the memory at `data`, unless that is the sender's
  int32_t *unsent = nullptr;     // the sender's count of messages that are not taken; NULL if it does not wait
  bool is_being_copied = false;  // by the receiver's thread, which holds no lock meanwhile
  bool is_short = false;         // it counts among those that wait for their receiver (Seat::kept)
};

class Exchange;

// What one rank has at the place where all of them meet.
struct Seat {
  gpuopt_device device = nullptr;
  Ref<gpuopt_stream_s> stream;  // for copies; the device's default one where copies are the host's
  std::condition_variable changed;
  std::list<Posted> inbox;            // in the order in which the messages were sent
  uint64_t kept = 0;                  // the bytes of short messages in the inbox
  const Exchange *waiting = nullptr;  // the exchange in which it sleeps
  bool left = false;
  bool gave_up = false;
};

// The place where the ranks of one job meet. What is not in an exchange of the calling thread itself is guarded by the
// mutex.
struct Meeting {
  explicit Meeting(std::span<const gpuopt_device> devices) : seats(devices.size()) {
    for (size_t r = 0; r < devices.size(); ++r) {
      seats[r].device = devices[r];
      const bool is_host = devices[r]->host_memory();
      seats[r].stream = is_host ? Ref<gpuopt_stream_s>::share(devices[r]->default_stream) : make_stream(devices[r]);
    }
  }
  std::mutex mutex;
  std::vector<Seat> seats;  // by rank
  // What the first rank that gave up has said. Those that give up since they were told so would name one another.
  std::string why;
  Seat &at(int32_t rank) { return seats[static_cast<size_t>(rank)]; }
  std::string named(int32_t rank) { return "rank " + std::to_string(rank) + " (" + at(rank).device->name + ")"; }
};

[[noreturn]] void fail_comm(std::string message) {
  throw Failure{GPUOPT_ERR_COMM, GPUOPT_REASON_NONE, 0, std::move(message)};
}

void copy_through_host(const Seat &to, void *target, const Seat &from, const void *source, uint64_t bytes) {
  const auto staging = std::make_unique_for_overwrite<char[]>(bytes);
  call_stream(from.stream.get(), "copy", from.device->api().copy_to_host, static_cast<void *>(staging.get()), source,
              bytes);
  wait_for(from.stream.get(), "copy");
  call_stream(to.stream.get(), "copy", to.device->api().copy_from_host, target,
              static_cast<const void *>(staging.get()), bytes);
  wait_for(to.stream.get(), "copy");  // before the staging memory goes
}

// Copies between two devices of one backend. Returns false if the backend cannot.
bool copied_by_peers(const Seat &to, void *target, const Seat &from, const void *source, uint64_t bytes) {
  const StreamLock lock(*to.stream);
  SlotError error;
  check_usable(*to.device, "copy");
  const gpuopt_status status =
      call_plugin("copy", to.device->api().copy_peer, to.device->handle, to.stream->handle, target, from.device->handle,
                  source, bytes, static_cast<gpuopt_error *>(&error));
  if (status == GPUOPT_ERR_UNSUPPORTED) return false;
  check_slot(status, error, "copy");
  return true;
}

// Copies from the memory of one rank's device to that of another's, and returns when it is done.
void copy_between(const Seat &to, void *target, const Seat &from, const void *source, uint64_t bytes) {
  const bool to_host = to.device->host_memory(), from_host = from.device->host_memory();
  if (to_host && from_host) {
    std::memcpy(target, source, bytes);
  } else if (to_host) {
    call_stream(from.stream.get(), "copy", from.device->api().copy_to_host, target, source, bytes);
  } else if (from_host) {
    call_stream(to.stream.get(), "copy", to.device->api().copy_from_host, target, source, bytes);
  } else if (to.device == from.device) {
    call_stream(to.stream.get(), "copy", to.device->api().copy_on_device, target, source, bytes);
  } else if (to.device->backend != from.device->backend || !copied_by_peers(to, target, from, source, bytes)) {
    copy_through_host(to, target, from, source, bytes);
  }
  wait_for(to_host ? from.stream.get() : to.stream.get(), "copy");
}

// A rank, as its own thread sees the job: what a gpuopt_comm_world of this plugin is.
struct Attendant {
  std::shared_ptr<Meeting> meeting;
  int32_t rank;
};
Attendant &attendant(gpuopt_comm_world *world) { return *reinterpret_cast<Attendant *>(world); }

using Lock = std::unique_lock<std::mutex>;

// One call of the slot exchange, or exchange_on_device.
class Exchange {
 public:
  Exchange(const Attendant &rank, std::span<const gpuopt_comm_message> sends,
           std::span<const gpuopt_comm_message> receives, bool on_device)
      : meeting_(*rank.meeting),
        me_(rank.rank),
        own_(meeting_.at(me_)),
        lock_(meeting_.mutex),
        sends_(sends),
        receives_(receives),
        taken_(receives.size()),
        open_(receives.size()),
        on_device_(on_device) {}

  ~Exchange() {
    if (unsent_) withdraw();
  }

  void run(double timeout) {
    for (const gpuopt_comm_message &message : sends_) post(message);
    auto deadline = deadline_in(timeout);
    for (int32_t before = unsent_;; before = unsent_) {
      const bool moved = take_all() || unsent_ != before;
      if (!open_ && !unsent_) return;
      check_peers();
      if (moved) deadline = deadline_in(timeout);
      if (has_news()) continue;
      if (!wait(deadline) && !has_news() && unsent_ == before) fail_waiting(timeout);
      if (unsent_ != before) deadline = deadline_in(timeout);
    }
  }

 private:
  static Clock::time_point deadline_in(double timeout) {
    constexpr double longest = 1e8;  // seconds
    const double seconds = timeout > 0 ? std::min(timeout, longest) : longest;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool wait(Clock::time_point deadline) {
    own_.waiting = this;
    const bool woken = own_.changed.wait_until(lock_, deadline) == std::cv_status::no_timeout;
    own_.waiting = nullptr;
    return woken;
  }

  void post(const gpuopt_comm_message &message) {
    Seat &to = meeting_.at(message.peer);
    if (to.gave_up) fail_comm(meeting_.why);
    if (to.left) fail_comm(meeting_.named(message.peer) + " has left the job");
    Posted posted{me_, message.tag, on_device_, static_cast<const char *>(message.data), message.bytes, {}};
    if (!on_device_ && message.bytes <= kShort && to.kept + message.bytes <= kShortAtMost) {
      keep(posted);
      posted.is_short = true;
      to.kept += message.bytes;
    } else {
      posted.unsent = &unsent_;
    }
    to.inbox.push_back(std::move(posted));
    if (to.inbox.back().unsent) ++unsent_;
    to.changed.notify_one();
  }

  static void keep(Posted &posted) {
    auto copy = std::make_unique_for_overwrite<char[]>(posted.bytes);
    if (posted.bytes) std::memcpy(copy.get(), posted.data, posted.bytes);
    posted.own = std::move(copy);
    posted.data = posted.own.get();
  }

  // Returns the receive that gets the message: the first of its sender and tag that has none. -1 if there is none yet.
  int64_t receive_for(const Posted &posted) const {
    for (size_t i = 0; i < receives_.size(); ++i)
      if (!taken_[i] && receives_[i].peer == posted.from && receives_[i].tag == posted.tag)
        return static_cast<int64_t>(i);
    return -1;
  }

  // Whether there is something for take_all().
  bool is_news(const Posted &posted) const {
    if (posted.on_device != on_device_) return !posted.own && !posted.on_device;
    return receive_for(posted) >= 0 || (!posted.own && !on_device_);
  }
  bool has_news() const {
    return std::ranges::any_of(own_.inbox, [&](const Posted &posted) { return is_news(posted); });
  }

  // Takes what has arrived. Returns whether there was anything.
  bool take_all() {
    bool any = false;
    for (auto at = own_.inbox.begin(); at != own_.inbox.end();) {
      // Nobody else changes what this thread has not let go: the place stays valid.
      const bool is_new = is_news(*at);
      any |= is_new;
      at = is_new && take(*at) ? own_.inbox.erase(at) : std::next(at);
    }
    return any;
  }

  // Copies a message to where it is received, or, if nobody has asked for it yet, to memory of its own, so that its
  // sender need not wait. Returns whether it was received.
  bool take(Posted &posted) {
    const int64_t index = posted.on_device == on_device_ ? receive_for(posted) : -1;
    if (index < 0) {
      copy_unlocked(posted, [&] { keep(posted); });
      return false;
    }
    const gpuopt_comm_message &receive = receives_[static_cast<size_t>(index)];
    if (receive.bytes != posted.bytes)
      fail_comm(meeting_.named(posted.from) + " has sent " + std::to_string(posted.bytes) + " bytes where " +
                std::to_string(receive.bytes) + " were expected");
    taken_[static_cast<size_t>(index)] = true;
    if (posted.bytes) copy_unlocked(posted, [&] { receive_into(receive.data, posted); });
    release_sender(posted);
    if (posted.is_short) own_.kept -= posted.bytes;
    --open_;
    return true;
  }

  void receive_into(void *to, const Posted &posted) const {
    if (on_device_)
      copy_between(own_, to, meeting_.at(posted.from), posted.data, posted.bytes);
    else
      std::memcpy(to, posted.data, posted.bytes);
  }

  // Meanwhile the sender waits, so that its memory stays.
  template <class Copy>
  void copy_unlocked(Posted &posted, Copy copy) {
    posted.is_being_copied = true;
    lock_.unlock();
    try {
      copy();
    } catch (...) {
      lock_.lock();
      posted.is_being_copied = false;
      meeting_.at(posted.from).changed.notify_one();
      throw;
    }
    lock_.lock();
    posted.is_being_copied = false;
    if (posted.own) release_sender(posted);
  }

  void release_sender(Posted &posted) {
    if (!posted.unsent) return;
    --*std::exchange(posted.unsent, nullptr);
    meeting_.at(posted.from).changed.notify_one();
  }

  // Throws if a rank has given up, or one that is waited for has left.
  void check_peers() {
    if (!meeting_.why.empty()) fail_comm(meeting_.why);
    for (size_t i = 0; i < receives_.size(); ++i)
      if (!taken_[i] && meeting_.at(receives_[i].peer).left) fail_left(receives_[i].peer);
    for (const gpuopt_comm_message &message : sends_)
      if (meeting_.at(message.peer).left && waits_for_room(message.peer)) fail_left(message.peer);
  }
  [[noreturn]] void fail_left(int32_t rank) { fail_comm(meeting_.named(rank) + " has left the job and is waited for"); }

  // Whether the peer has yet to take something of this exchange.
  bool waits_for_room(int32_t peer) const {
    return std::ranges::any_of(meeting_.at(peer).inbox, [&](const Posted &one) { return one.unsent == &unsent_; });
  }

  // The ranks from which this one waits for something, or else those that have yet to receive something.
  std::vector<int32_t> awaited() const {
    std::vector<int32_t> ranks;
    for (size_t i = 0; i < receives_.size(); ++i)
      if (!taken_[i]) ranks.push_back(receives_[i].peer);
    for (size_t i = 0; !open_ && i < sends_.size(); ++i)
      if (waits_for_room(sends_[i].peer)) ranks.push_back(sends_[i].peer);
    return ranks;
  }

  std::vector<int32_t> late() const {
    return late_ranks(me_, meeting_.seats.size(), awaited(), [this](int32_t rank) {
      const Exchange *const other = meeting_.seats[static_cast<size_t>(rank)].waiting;
      return other ? std::optional(other->awaited()) : std::nullopt;
    });
  }

  [[noreturn]] void fail_waiting(double timeout) {
    check_peers();
    const std::string text =
        late_text(awaited().front(), open_ > 0, timeout, late(), [this](int32_t r) { return meeting_.named(r); });
    // The others know it now, before this rank's end makes it one that does not wait.
    meeting_.why = "rank " + std::to_string(me_) + " has given up: " + text;
    fail_comm(text);
  }

  // Takes back what has not been taken: its memory is the caller's again.
  void withdraw() noexcept {
    if (!lock_.owns_lock()) lock_.lock();
    const auto is_mine = [&](const Posted &one) { return one.unsent == &unsent_ && !one.is_being_copied; };
    while (unsent_) {
      for (Seat &seat : meeting_.seats) unsent_ -= static_cast<int32_t>(std::erase_if(seat.inbox, is_mine));
      if (unsent_) own_.changed.wait(lock_);
    }
  }

  Meeting &meeting_;
  const int32_t me_;
  Seat &own_;
  Lock lock_;
  const std::span<const gpuopt_comm_message> sends_, receives_;
  std::vector<bool> taken_;  // by receive: whether a message is meant for it
  size_t open_;              // receives that are not done
  int32_t unsent_ = 0;       // messages that their receivers have not taken
  const bool on_device_;
};

namespace slots {

gpuopt_status probe(gpuopt_comm_probe *, gpuopt_error *error) {
  return host_services().fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "%s", "threads start no process");
}

gpuopt_status world_open(const gpuopt_comm_world_options *, gpuopt_comm_world **, gpuopt_comm_world_info *,
                         gpuopt_error *error) {
  return host_services().fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "%s",
                              "ranks that are threads begin with gpuopt_comm_init_devices");
}

// Says something of a rank, and lets all who wait look at it.
template <class Say>
void say(const Attendant &rank, Say what) {
  Meeting &meeting = *rank.meeting;
  const Lock lock(meeting.mutex);
  what(meeting.at(rank.rank));
  for (Seat &seat : meeting.seats) seat.changed.notify_one();
}

void world_close(gpuopt_comm_world *world) {
  say(attendant(world), [](Seat &own) { own.left = true; });
  delete &attendant(world);
}

void give_up(gpuopt_comm_world *world, const char *why) {
  const Attendant &rank = attendant(world);
  say(rank, [&](Seat &own) {
    own.gave_up = true;
    if (rank.meeting->why.empty()) rank.meeting->why = *why ? why : "a rank has given up";
  });
}

gpuopt_status exchange_messages(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends,
                                int32_t nreceives, const gpuopt_comm_message *receives, double timeout, bool on_device,
                                gpuopt_error *error) {
  return guarded(error, [&] {
    const auto ns = static_cast<size_t>(nsends), nr = static_cast<size_t>(nreceives);
    Exchange(attendant(world), {sends, ns}, {receives, nr}, on_device).run(timeout);
  });
}

gpuopt_status exchange(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                       const gpuopt_comm_message *receives, double timeout, gpuopt_error *error) {
  return exchange_messages(world, nsends, sends, nreceives, receives, timeout, false, error);
}

gpuopt_status exchange_on_device(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends,
                                 int32_t nreceives, const gpuopt_comm_message *receives, double timeout,
                                 gpuopt_error *error) {
  return exchange_messages(world, nsends, sends, nreceives, receives, timeout, true, error);
}

}  // namespace slots

const CommPlugin &threads_plugin() {
  static const auto *const made = [] {
    auto *const plugin = new CommPlugin;
    plugin->name = "threads";
    gpuopt_comm_api table{};
    table.header = {sizeof table, GPUOPT_COMM_ABI_MAJOR, GPUOPT_COMM_ABI_MINOR, 0, 0, nullptr};
    table.probe = slots::probe;
    table.world_open = slots::world_open;
    table.world_close = slots::world_close;
    table.exchange = slots::exchange;
    table.give_up = slots::give_up;
    table.exchange_on_device = slots::exchange_on_device;
    copy_comm_table(table, &plugin->api);
    return plugin;
  }();
  return *made;
}

}  // namespace

std::vector<Ref<World>> open_thread_worlds(std::span<const gpuopt_device> devices, double timeout) {
  const auto meeting = std::make_shared<Meeting>(devices);
  std::vector<Ref<World>> worlds;
  for (size_t r = 0; r < devices.size(); ++r) {
    auto world = Ref<World>::adopt(new World);
    world->plugin = &threads_plugin();
    world->name = world->plugin->name;
    world->rank = static_cast<int32_t>(r);
    world->size = static_cast<int32_t>(devices.size());
    world->timeout = timeout;
    world->device = devices[r];
    world->generation = fork_generation();
    world->handle = reinterpret_cast<gpuopt_comm_world *>(new Attendant{meeting, world->rank});
    worlds.push_back(std::move(world));
  }
  return worlds;
}

}  // namespace gpuopt
