// plugins/mpi/job.cpp -- see job.h.
#include "plugins/mpi/job.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <thread>
#include <vector>

#include "plugins/shared/comm/late_text.h"
#include "plugins/shared/comm/mailbox.h"
#include "plugins/shared/comm/waits.h"

namespace gpuopt::mpi {
namespace {

constexpr int kGiveUpTag = 0x0fffffff;
constexpr int kWaitingTag = 0x0ffffffe;  // an int32_t: the rank that the sender waits for
constexpr size_t kLongestFarewell = 1024;

std::atomic<bool> failed{false};       // a job has failed: peers may be gone
std::atomic<bool> initialized{false};  // MPI was initialized here

[[noreturn]] void fail_comm(std::string message, int code = 0) {
  throw plugin::Failure{GPUOPT_ERR_COMM, GPUOPT_REASON_NONE, code, std::move(message)};
}

template <class Abi>
const Functions<Abi> &functions() {
  static const auto *const found = new Functions<Abi>(mpi_library());
  return *found;
}

template <class Abi>
void check(int code, const char *what) {
  if (code == 0) return;
  char text[1024] = {};  // more than any MPI_MAX_ERROR_STRING
  int length = 0;
  functions<Abi>().Error_string(code, text, &length);
  fail_comm(std::string(what) + ": " + text, code);
}

// An error handler that does nothing: what fails returns its error, as with MPI_ERRORS_RETURN. The value of that handle
// is not the same in all libraries of MPI 5's ABI: the MPI Forum's header, and libraries that were built with it,
// exchanged it with that of MPI_ERRORS_ABORT until October 2025.
template <class Comm>
void let_return(Comm *, int *, ...) {}

template <class Abi>
void return_errors(typename Abi::Comm comm) {
  const Functions<Abi> &mpi = functions<Abi>();
  typename Abi::Handler handler{};
  check<Abi>(mpi.Comm_create_errhandler(let_return<typename Abi::Comm>, &handler), "MPI_Comm_create_errhandler");
  check<Abi>(mpi.Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler");
  check<Abi>(mpi.Errhandler_free(&handler), "MPI_Errhandler_free");  // the communicator keeps it
}

template <class Abi>
void finalize_at_exit() {
  int over = 0;
  const Functions<Abi> &mpi = functions<Abi>();
  if (!failed && mpi.Finalized(&over) == 0 && !over) mpi.Finalize();
}

template <class Abi>
void initialize() {
  const Functions<Abi> &mpi = functions<Abi>();
  int before = 0, over = 0, level = 0;
  check<Abi>(mpi.Initialized(&before), "MPI_Initialized");
  check<Abi>(mpi.Finalized(&over), "MPI_Finalized");
  if (over)
    throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NONE, 0, "the program has finalized MPI already"};
  if (before) return;
  check<Abi>(mpi.Init_thread(nullptr, nullptr, Abi::serialized, &level), "MPI_Init_thread");
  if (!initialized.exchange(true)) std::atexit(finalize_at_exit<Abi>);
}

template <class Abi>
class JobOf final : public Job {
 public:
  JobOf(const Library &library, const void *native)
      : mpi_(functions<Abi>()), library_(library), byte_(Abi::byte(library)), mailbox_(0), waits_(0) {
    initialize<Abi>();
    const Comm whole = native ? *static_cast<const Comm *>(native) : Abi::world(library);
    check<Abi>(mpi_.Comm_dup(whole, &comm_), "MPI_Comm_dup");
    return_errors<Abi>(comm_);
    check<Abi>(mpi_.Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check<Abi>(mpi_.Comm_size(comm_, &size_), "MPI_Comm_size");
    check_tags();
    mailbox_ = plugin::Mailbox(size_);
    waits_ = plugin::Waits(size_);
  }

  ~JobOf() override {
    int over = 0;
    if (failed || mpi_.Finalized(&over) != 0 || over) return;
    drop_notices();
    mpi_.Comm_free(&comm_);
  }

  bool has_failed() const noexcept override { return failed; }
  int32_t rank() const override { return rank_; }
  int32_t size() const override { return size_; }

  void exchange(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                const gpuopt_comm_message *receives, double timeout) override {
    mailbox_.wait_for(receives, nreceives);
    for (int32_t i = 0; i < nsends; ++i) send(sends[i]);
    await(
        timeout, [&] { return !mailbox_.open() && sending_.empty(); }, [&] { return awaited().front(); },
        [&] { fail_waiting(timeout); });
  }

  // Complex numbers are added as twice as many real ones, in pieces of as many as MPI can count.
  bool all_reduce(const gpuopt_comm_reduction &call, double timeout) override {
    const bool is_sum = call.reduction == GPUOPT_REDUCTION_sum;
    const bool is_complex = call.dtype == GPUOPT_COMPLEX64 || call.dtype == GPUOPT_COMPLEX128;
    const bool is_single = call.dtype == GPUOPT_FLOAT32 || call.dtype == GPUOPT_COMPLEX64;
    const bool is_double = call.dtype == GPUOPT_FLOAT64 || call.dtype == GPUOPT_COMPLEX128;
    if (call.on_device || !(is_single || is_double) || (is_complex && !is_sum)) return false;
    constexpr uint64_t most = uint64_t{1} << 30;
    char *at = static_cast<char *>(call.data);
    for (uint64_t left = call.count * (is_complex ? 2 : 1); left;) {
      const uint64_t count = std::min(left, most);
      reduce_piece(at, count, is_single ? Abi::float32(library_) : Abi::float64(library_),
                   is_sum ? Abi::sum(library_) : Abi::product(library_), timeout);
      at += count * (is_single ? sizeof(float) : sizeof(double));
      left -= count;
    }
    return true;
  }

  void give_up(const char *why) noexcept override {
    failed = true;
    farewell_.assign(why, strnlen(why, kLongestFarewell));
    for (int r = 0; r < size_; ++r) {
      Request request;
      if (r != rank_)
        mpi_.Isend(farewell_.data(), static_cast<int>(farewell_.size()), byte_, r, kGiveUpTag, comm_, &request);
    }
  }

 private:
  using Comm = typename Abi::Comm;
  using Request = typename Abi::Request;
  using Status = typename Abi::Status;

  // A message that is being received.
  struct Receiving {
    Request request{};
    int32_t peer = 0;
    plugin::Arrival *arrival = nullptr;  // NULL: the peer says in `farewell` why it gives up
    std::string farewell;
  };
  struct Sending {
    Request request{};
    int32_t peer = 0;
  };
  // The rank that this one waits for, on its way to a peer that is to know it.
  struct Notice {
    Request request{};
    int32_t peer = 0, awaited = 0;
  };

  // Does what MPI can do, until `done` says that it is enough. Calls `fail` when nothing has moved for `timeout`
  // seconds. Before, the others are told for which rank this one waits: that which `awaited` returns.
  template <class Done, class Awaited, class Fail>
  void await(double timeout, Done done, Awaited awaited, Fail fail) {
    using Due = plugin::Waits::Due;
    waits_.restart(timeout);
    for (int idle = 0; !done();) {
      if (advance()) {
        idle = 0;
        waits_.restart(timeout);
        continue;
      }
      const Due due = waits_.due();
      if (due == Due::kFailing) fail();
      if (due == Due::kTelling) tell(awaited());
      rest(++idle);
    }
  }

  // A peer that has not yet taken the last notice gets no other one.
  void tell(int32_t awaited) {
    waits_.set_told();
    notices_.remove_if([&](Notice &one) { return is_done(one.request, "MPI_Test"); });
    for (int32_t r = 0; r < size_; ++r) {
      const auto is_for = [&](const Notice &one) { return one.peer == r; };
      if (r == rank_ || std::any_of(notices_.begin(), notices_.end(), is_for)) continue;
      Notice &one = notices_.emplace_back();
      one.peer = r;
      one.awaited = awaited;
      check<Abi>(mpi_.Isend(&one.awaited, sizeof one.awaited, byte_, r, kWaitingTag, comm_, &one.request), "MPI_Isend");
    }
  }

  // Receives a notice that MPI_Iprobe has found: it is short, and has arrived as a whole.
  void hear(const Status &found) {
    int32_t awaited = -1;
    Request request{};
    check<Abi>(mpi_.Irecv(&awaited, sizeof awaited, byte_, found.source, kWaitingTag, comm_, &request), "MPI_Irecv");
    while (!is_done(request, "MPI_Test")) sched_yield();
    waits_.hear(found.source, awaited);
  }

  // Before MPI is finalized all that was sent is to be received. What a peer sends at this very moment may be missed: a
  // few bytes, which no MPI that is known waits for.
  void drop_notices() noexcept try {
    Status status;
    for (int flag = 1; flag;) {
      check<Abi>(mpi_.Iprobe(Abi::any_source, kWaitingTag, comm_, &flag, &status), "MPI_Iprobe");
      if (flag) hear(status);
    }
    notices_.remove_if([&](Notice &one) { return is_done(one.request, "MPI_Test"); });
    static auto *const on_their_way = new std::list<Notice>;  // MPI may still read them
    on_their_way->splice(on_their_way->end(), notices_);
  } catch (...) {  // MPI has failed: the job ends anyway
  }

  // Meanwhile what peers say who give up is listened to. MPI does not say what has moved: the time-out is that of all.
  // A rank in this call waits for all others; that it names itself says that it waits.
  void reduce_piece(void *data, uint64_t count, typename Abi::Datatype type, typename Abi::Op op, double timeout) {
    Request request{};
    check<Abi>(mpi_.Iallreduce(Abi::in_place(), data, static_cast<int>(count), type, op, comm_, &request),
               "MPI_Iallreduce");
    await(
        timeout, [&] { return is_done(request, "MPI_Iallreduce"); }, [&] { return rank_; },
        [&] {
          char seconds[32];
          std::snprintf(seconds, sizeof seconds, "%g", timeout);
          const std::vector<int32_t> silent = waits_.silent(rank_);
          fail_comm(std::string("MPI_Allreduce has not ended for ") + seconds + " seconds" +
                    (silent.empty() ? "" : "; nothing was heard meanwhile of " + list_of(silent, named)));
        });
  }

  void check_tags() const {
    int *limit = nullptr, found = 0;
    check<Abi>(mpi_.Comm_get_attr(comm_, Abi::tag_limit, &limit, &found), "MPI_Comm_get_attr");
    if (found && limit && *limit < kGiveUpTag)
      throw plugin::Failure{GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0,
                            "this MPI has tags up to " + std::to_string(*limit) + ", of which too few are left"};
  }

  void send(const gpuopt_comm_message &message) {
    Sending &one = sending_.emplace_back();
    one.peer = message.peer;
    check<Abi>(mpi_.Isend(message.data, static_cast<int>(message.bytes), byte_, message.peer,
                          static_cast<int>(message.tag), comm_, &one.request),
               "MPI_Isend");
  }

  // Does what can be done now. Returns whether there was anything.
  bool advance() {
    const bool arrived = accept();
    const bool received = finish_receiving();
    return finish_sending() || arrived || received;
  }

  // Begins to receive a message that has arrived, whoever waits for it.
  bool accept() {
    int flag = 0, bytes = 0;
    Status status;
    check<Abi>(mpi_.Iprobe(Abi::any_source, Abi::any_tag, comm_, &flag, &status), "MPI_Iprobe");
    if (!flag) return false;
    if (status.tag == kWaitingTag) return hear(status), false;
    check<Abi>(mpi_.Get_count(&status, byte_, &bytes), "MPI_Get_count");
    Receiving &one = receiving_.emplace_back();
    one.peer = status.source;
    char *to;
    if (status.tag == kGiveUpTag) {
      one.farewell.assign(static_cast<size_t>(bytes), '\0');
      to = one.farewell.data();
    } else {
      waits_.hear(one.peer, -1);
      one.arrival = &mailbox_.begin(one.peer, static_cast<uint32_t>(status.tag), static_cast<uint64_t>(bytes));
      to = one.arrival->to;
    }
    check<Abi>(mpi_.Irecv(to, bytes, byte_, status.source, status.tag, comm_, &one.request), "MPI_Irecv");
    return true;
  }

  bool is_done(Request &request, const char *what) {
    int flag = 0;
    check<Abi>(mpi_.Test(&request, &flag, Abi::ignored()), what);
    return flag != 0;
  }

  bool finish_receiving() {
    bool any = false;
    for (auto one = receiving_.begin(); one != receiving_.end();) {
      if (!is_done(one->request, "MPI_Test")) {
        ++one;
        continue;
      }
      if (!one->arrival) fail_comm(one->farewell);
      mailbox_.complete(one->peer, *one->arrival);
      one = receiving_.erase(one);
      any = true;
    }
    return any;
  }

  bool finish_sending() {
    const size_t before = sending_.size();
    sending_.remove_if([&](Sending &one) { return is_done(one.request, "MPI_Test"); });
    return sending_.size() != before;
  }

  // Ranks that share a processor let each other run; later they wait a little.
  static void rest(int idle) {
    constexpr int patient = 200;
    if (idle < patient)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  static std::string named(int32_t rank) { return "rank " + std::to_string(rank); }

  // The ranks from which this one waits for something, or else those that have yet to receive something.
  std::vector<int32_t> awaited() const {
    std::vector<int32_t> ranks = mailbox_.open_peers();
    if (ranks.empty())
      for (const Sending &one : sending_) ranks.push_back(one.peer);
    return ranks;
  }

  [[noreturn]] void fail_waiting(double timeout) {
    const std::vector<int32_t> ranks = awaited();
    fail_comm(late_text(ranks.front(), mailbox_.open() > 0, timeout, waits_.late(rank_, ranks), named));
  }

  const Functions<Abi> &mpi_;
  const Library &library_;
  typename Abi::Datatype byte_;
  Comm comm_{};
  int rank_ = 0, size_ = 1;
  plugin::Mailbox mailbox_;
  std::list<Receiving> receiving_;
  std::list<Sending> sending_;
  std::list<Notice> notices_;
  plugin::Waits waits_;
  std::string farewell_;
};

}  // namespace

std::unique_ptr<Job> join_job(const Library &library, const void *native) {
  if (library.family == Family::kOpenMpi) return std::make_unique<JobOf<OpenMpi>>(library, native);
  if (library.family == Family::kStandard) return std::make_unique<JobOf<Standard>>(library, native);
  return std::make_unique<JobOf<Mpich>>(library, native);
}

}  // namespace gpuopt::mpi
