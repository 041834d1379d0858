// core/engine/access.cpp -- see access.h.
#include "core/engine/access.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <thread>

#include "core/base/thread_end.h"
#include "core/engine/engine.h"
#include "core/engine/plan.h"
#include "core/engine/run.h"
#include "plugins/shared/host/every_thread.h"

namespace gpuopt {
namespace {

// ---- Numbers of threads

// Bit n is set while a thread has the number n. Threads beyond that share the last one.
constinit std::atomic<uint64_t> numbers{0};

// The child of a fork does not have the other threads of its parent, so that all numbers are free there. The thread
// that called fork keeps its number, which another thread may then take, too.
constinit std::atomic<int> numbers_generation{0};

int take_number() {
  const int generation = fork_generation();
  if (numbers_generation.exchange(generation) != generation) numbers.store(0);
  uint64_t taken = numbers.load();
  for (;;) {
    const int number = std::countr_one(taken);
    if (number >= users::kMostEngines - 1) return users::kMostEngines - 1;
    if (numbers.compare_exchange_weak(taken, taken | users::reader(number))) return number;
  }
}

// -1 until the thread's first use, and again once the thread has given its number back.
GPUOPT_IN_EVERY_THREAD constinit thread_local int own_number = -1;

// Called when the thread ends (thread_end.h). If another library's destructor runs even later and uses arrays, the
// thread takes another number. The last number is shared, and is never marked as free.
void give_number_back() noexcept {
  const int number = std::exchange(own_number, -1);
  if (number >= 0 && number < users::kMostEngines - 1) numbers.fetch_and(~users::reader(number));
}

int thread_number() {
  if (own_number < 0) [[unlikely]] {
    own_number = take_number();
    at_end_of_thread(&give_number_back);
  }
  return own_number;
}

// ---- Locks

// How many the thread holds, counted as often as it took them.
GPUOPT_IN_EVERY_THREAD constinit thread_local int locks_held = 0;
// List of the storages of release_later().
GPUOPT_IN_EVERY_THREAD constinit thread_local Storage *unwanted = nullptr;

void release_unwanted() noexcept {
  while (unwanted) {
    Storage *const storage = std::exchange(unwanted, unwanted->next_unwanted);
    Storage::destroy(storage);
  }
}

}  // namespace

Engines::~Engines() {
  for (auto &place : all_) delete place.load();
}

Engine *Engines::own_if_made() const {
  const int number = device_->synchronous() ? thread_number() : 0;
  return all_[static_cast<size_t>(number)].load(std::memory_order_acquire);
}

Engine &Engines::own() {
  Engine *const engine = own_if_made();
  return engine ? *engine : make(device_->synchronous() ? thread_number() : 0);
}

Engine &Engines::make(int number) {
  const std::lock_guard lock(mutex_);
  auto &place = all_[static_cast<size_t>(number)];
  if (!place.load()) {
    place.store(new Engine(device_, number), std::memory_order_release);
    ++count_;
  }
  return *place.load();
}

namespace {

// Locks a recorder inside of a callback, in which the thread may hold the lock of another one. Threads that do so could
// wait for each other for ever: after seconds one of them gives up.
void lock_in_callback(Engine &engine) {
  constexpr int kTries = 10000;
  for (int k = 0; k < kTries; ++k) {
    if (engine.mutex.try_lock()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  fail(GPUOPT_ERR_UNAVAILABLE, "%s is in use by another thread, which may wait for this callback",
       engine.device->name.c_str());
}

}  // namespace

EngineLock::EngineLock(Engine &engine, Patience patience) : engine_(engine) {
  locks_held > 0 && patience == kGivesUp ? lock_in_callback(engine) : engine.mutex.lock();
  ++locks_held;
}

EngineLock::~EngineLock() {
  engine_.mutex.unlock();
  if (--locks_held == 0 && unwanted) release_unwanted();
}

bool EngineLock::is_held() { return locks_held > 0; }

bool EngineLock::release_later(Storage &storage) noexcept {
  if (locks_held == 0) return false;
  storage.next_unwanted = std::exchange(unwanted, &storage);
  return true;
}

// ---- Who uses a storage

namespace {

// Enters the recorder as a reader. Returns false if another one is the writer. The recorder's lock is held.
bool may_read(Storage &storage, const Engine &engine) {
  const uint64_t bit = users::reader(engine.number);
  uint64_t word = storage.users.load(std::memory_order_acquire);
  for (;;) {
    const int writer = users::writer_of(word);
    if (writer >= 0 && writer != engine.number) return false;
    if (word & bit) return true;
    if (storage.users.compare_exchange_weak(word, word | bit, std::memory_order_acq_rel, std::memory_order_acquire))
      return true;
  }
}

// Enters the recorder as the writer. Returns false if others use the storage. The recorder's lock is held.
bool may_write(Storage &storage, const Engine &engine) {
  const uint64_t bit = users::reader(engine.number), own = users::writer(engine.number);
  uint64_t word = storage.users.load(std::memory_order_acquire);
  for (;;) {
    const int writer = users::writer_of(word);
    if ((writer >= 0 && writer != engine.number) || (word & users::kReaders & ~bit)) return false;
    if (word == (own | bit)) return true;
    if (storage.users.compare_exchange_weak(word, own | bit, std::memory_order_acq_rel, std::memory_order_acquire))
      return true;
  }
}

bool is_writer(const Engine &engine, const Storage &storage) {
  return users::writer_of(storage.users.load(std::memory_order_acquire)) == engine.number;
}

bool has_failed(const Storage &storage) {
  const Node *const pending = storage.pending;
  return pending && pending->kind == NodeKind::Failed;
}

// Runs what is pending for the storage if this recorder is its writer, whose lock is held. Returns false if the value
// could not be computed: the failure is then what is pending.
bool run_pending_for(Engine &engine, Storage &storage) {
  if (!is_writer(engine, storage)) return true;
  Node *pending = storage.pending;
  if (!pending) return settle(engine, storage), true;
  try {
    if (!has_failed(storage)) run_nodes(engine, {&pending, 1});
  } catch (const Failure &) {
    if (!has_failed(storage)) throw;
  }
  return !has_failed(storage);
}

// Makes the failure that is pending for the storage in recorder `from` pending in `to`. Whoever reads the array gets it
// there, and an operation that overwrites the array replaces it.
void take_over_failure(Engine &from, Engine &to, Storage &storage) {
  const auto patience = EngineLock::is_held() ? EngineLock::kGivesUp : EngineLock::kWaits;
  const bool ordered = from.number < to.number;
  const EngineLock first(ordered ? from : to, patience), second(ordered ? to : from, patience);
  if (!is_writer(from, storage) || !has_failed(storage)) return;
  Node &failed = *storage.pending;
  NodeRef copy = new_node(to, failed.stream.get(), NodeKind::Failed, failed.dtype, failed.ndim, failed.shape());
  std::copy_n(failed.strides(), failed.ndim, copy->strides());
  copy->offset = failed.offset;
  copy->failure = failed.failure;
  const NodeRef taken = take_pending(failed);
  set_pending(storage, std::move(copy));
}

// Runs what has yet to read the storage in this recorder, and takes out its bit. Its lock is held.
void run_readers_of(Engine &engine, Storage &storage) {
  if (engine.pending_first) run_readers(engine, storage);
  storage.users.fetch_and(~users::reader(engine.number), std::memory_order_acq_rel);
}

}  // namespace

bool is_claimed(const Engine &engine, const Storage &storage) {
  for (const Access *access = engine.innermost; access; access = access->outer_) {
    if (access->written_ == &storage) return true;
  }
  return false;
}

void settle(const Engine &engine, Storage &storage) {
  if (storage.pending.load(std::memory_order_relaxed) || is_claimed(engine, storage)) return;
  storage.users.store(users::reader(engine.number), std::memory_order_release);
}

// ---- Access

Access::Access(gpuopt_device device, std::span<const gpuopt_array> read, gpuopt_array written)
    : engine_(engine_of(device)), written_(written ? written->storage.get() : nullptr) {
  constexpr int kTries = 4;
  for (int k = 0; k < kTries; ++k) {
    if (try_enter(read)) return;
    run_elsewhere(read, users::kReaders);
  }
  enter_with_others(read);
}

Access::~Access() {
  engine_.innermost = outer_;
  if (written_ && users::writer_of(written_->users.load(std::memory_order_relaxed)) == engine_.number)
    settle(engine_, *written_);
}

// Locks the recorder, and enters it as a user of all arrays. Returns false, and does not keep the lock, if others use
// one of them.
bool Access::try_enter(std::span<const gpuopt_array> read) {
  lock_.emplace(engine_);
  for (const gpuopt_array x : read) {
    if (!x->weak && !may_read(*x->storage, engine_)) return lock_.reset(), false;
  }
  if (written_ && !may_write(*written_, engine_)) return lock_.reset(), false;
  outer_ = std::exchange(engine_.innermost, this);
  return true;
}

// Runs what stands in the way in those other recorders whose bit is set in `where`, one after the other.
void Access::run_elsewhere(std::span<const gpuopt_array> read, uint64_t where) {
  Engines &engines = *engine_.device->engines;
  where &= ~users::reader(engine_.number);
  const auto settle_writer = [&](Storage &storage) {
    const int writer = users::writer_of(storage.users.load(std::memory_order_acquire));
    if (writer < 0 || !(where & users::reader(writer))) return;
    Engine &other = engines.at(writer);
    if (EngineLock lock(other); run_pending_for(other, storage)) return;
    take_over_failure(other, engine_, storage);
  };
  for (const gpuopt_array x : read) {
    if (!x->weak) settle_writer(*x->storage);
  }
  if (!written_) return;
  settle_writer(*written_);
  uint64_t others = written_->users.load(std::memory_order_acquire) & users::kReaders & where;
  for (; others; others &= others - 1) {
    Engine &other = engines.at(std::countr_zero(others));
    const EngineLock lock(other);
    run_readers_of(other, *written_);
  }
}

// Does the same with the locks of all recorders concerned, so that none of them can use the arrays again. A recorder
// whose lock is not held yet can still enter itself: it is not waited for, because it may wait for one of the locks,
// but the next iteration takes its lock, too. Once all kMostEngines are locked, nobody can.
void Access::enter_with_others(std::span<const gpuopt_array> read) {
  if (EngineLock::is_held()) fail(GPUOPT_ERR_UNAVAILABLE, "other threads use an array without a pause");
  Engines &engines = *engine_.device->engines;
  const auto users_of = [](const Storage &storage, bool also_readers) {
    const uint64_t word = storage.users.load(std::memory_order_acquire);
    const int writer = users::writer_of(word);
    return (also_readers ? word & users::kReaders : 0) | (writer >= 0 ? users::reader(writer) : 0);
  };
  for (uint64_t held = users::reader(engine_.number);;) {
    for (const gpuopt_array x : read) held |= x->weak ? 0 : users_of(*x->storage, false);
    if (written_) held |= users_of(*written_, true);
    std::deque<EngineLock> locks;
    for (uint64_t rest = held; rest; rest &= rest - 1)
      locks.emplace_back(engines.at(std::countr_zero(rest)), EngineLock::kWaits);
    run_elsewhere(read, held);
    if (try_enter(read)) return;
  }
}

void Access::prepare_write() {
  if (Node *pending = written_->pending) run_nodes(engine_, {&pending, 1});
  if (engine_.pending_first) run_readers(engine_, *written_);
}

}  // namespace gpuopt
