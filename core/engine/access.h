// core/engine/access.h -- the recorders of a device, and which of them may use a storage.
//
// A synchronous device, whose programs run in the thread that submits them, has a recorder (Engine, node.h) for each
// thread, so that threads whose arrays are independent do not wait for each other. An asynchronous device has one.
// Nodes refer only to nodes of their own recorder. Leaves may refer to any storage that the recorder may read.
//
// Storage::users says who uses a storage. It is one word with two fields:
//   - the writer: the recorder in which a value is pending for the storage, or whose thread is about to record or make
//     a write; none if the memory holds what it should hold;
//   - the readers: a bit for each recorder in which nodes may have yet to read the memory.
// A recorder enters itself as a reader only if there is no other writer, and as the writer only if there is no other
// writer and no other reader, each by one compare-exchange. It does so with its lock held. Therefore:
//   - a thread that wants to read an array that is pending elsewhere locks that recorder, and no other, and runs there
//     what is pending for the array;
//   - a thread that wants to write an array that others may have yet to read locks those recorders, one after another,
//     runs the readers there, and takes out their bits;
//   - then it locks its own recorder and tries again. If other threads are faster several times, it locks all recorders
//     concerned, in the order of their numbers, so that it cannot fail for ever.
// A thread thus holds one lock at a time, except in that last case. The idea comes from the write-invalidate protocol
// of caches: a line is in several caches to be read, or in one cache to be written.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/array/array.h"
#include "core/engine/node.h"
#include "core/engine/small.h"

namespace gpuopt {

// Storage::users.
namespace users {
constexpr int kMostEngines = 56;
constexpr int kWriterShift = 56;
constexpr uint64_t kReaders = (uint64_t{1} << kWriterShift) - 1;
constexpr uint64_t reader(int engine) { return uint64_t{1} << engine; }
constexpr uint64_t writer(int engine) { return static_cast<uint64_t>(engine + 1) << kWriterShift; }
// Returns the number of the writer, -1 if there is none.
constexpr int writer_of(uint64_t word) { return static_cast<int>(word >> kWriterShift) - 1; }
}  // namespace users

// The recorders of one device; they are made when they are first used, and live as long as the device.
class Engines {
 public:
  // `pinned_limit`: how many bytes only recorded operations may keep alive, in all recorders; 0: no limit.
  Engines(gpuopt_device device, bool eager, uint64_t pinned_limit)
      : device_(device), eager_(eager), pinned_limit_(pinned_limit), small_loops_(*device) {}
  ~Engines();
  // Returns the calling thread's recorder. Throws std::bad_alloc.
  Engine &own();
  // Returns recorder `number`, which exists.
  Engine &at(int number) const { return *all_[static_cast<size_t>(number)].load(std::memory_order_acquire); }
  // Returns it if it has been made, or NULL.
  Engine *own_if_made() const;
  bool eager() const { return eager_; }
  const SmallLoops &small_loops() const { return small_loops_; }
  // Returns the part of the limit that each of the recorders may use by now.
  uint64_t pinned_limit() const {
    const int count = count_.load(std::memory_order_relaxed);
    return count > 1 && pinned_limit_ ? std::max<uint64_t>(pinned_limit_ / static_cast<uint64_t>(count), 1)
                                      : pinned_limit_;
  }
  // Calls use(Engine &) for each recorder.
  template <class Use>
  void each(Use use) {
    for (auto &place : all_) {
      if (Engine *const engine = place.load(std::memory_order_acquire)) use(*engine);
    }
  }

 private:
  Engine &make(int number);

  gpuopt_device const device_;
  const bool eager_;
  const uint64_t pinned_limit_;
  const SmallLoops small_loops_;
  std::atomic<int> count_{0};  // of the recorders
  std::mutex mutex_;           // held while one is made
  std::array<std::atomic<Engine *>, users::kMostEngines> all_{};
};

inline Engine &engine_of(gpuopt_device device) { return device->engines->own(); }

// Holds the lock of a recorder. External storages whose last reference goes meanwhile are released when the thread
// holds no such lock any more, since that calls the user's function.
class EngineLock {
 public:
  // kGivesUp throws ERR_UNAVAILABLE if the thread holds the lock of another recorder, as in a callback, and this one
  // does not become free within seconds. kWaits is for threads that take several in the order of their numbers, and
  // where nothing may fail.
  enum Patience : bool { kGivesUp, kWaits };
  explicit EngineLock(Engine &engine, Patience patience = kGivesUp);
  ~EngineLock();
  EngineLock(const EngineLock &) = delete;
  EngineLock &operator=(const EngineLock &) = delete;
  // Returns whether the calling thread holds the lock of any recorder.
  static bool is_held();
  // See release_later() (engine.h).
  static bool release_later(Storage &storage) noexcept;

 private:
  Engine &engine_;
};

// Holds the lock of the calling thread's recorder, which may read some arrays, and write to one.
class Access {
 public:
  // Runs what is pending elsewhere for the arrays, and what has yet to read `written` (NULL: no array is written)
  // elsewhere. Weak scalars are skipped. All arrays are on `device`. Throws the failures of what it runs.
  Access(gpuopt_device device, std::span<const gpuopt_array> read, gpuopt_array written = nullptr);
  ~Access();
  Access(const Access &) = delete;
  Access &operator=(const Access &) = delete;
  Engine &engine() const { return engine_; }
  // Runs what is pending for the array that is written, and what has yet to read it. Until the end of the Access, its
  // memory belongs to this thread.
  void prepare_write();

 private:
  bool try_enter(std::span<const gpuopt_array> read);
  void run_elsewhere(std::span<const gpuopt_array> read, uint64_t where);
  void enter_with_others(std::span<const gpuopt_array> read);

  Engine &engine_;
  Storage *const written_;
  Access *outer_ = nullptr;  // the Access of the same recorder inside of which this one was made
  std::optional<EngineLock> lock_;
  friend bool is_claimed(const Engine &engine, const Storage &storage);
};

// Called, with the recorder's lock held, when a value that was pending for the storage has been computed or given up:
// the recorder stops being the writer, unless an Access to the storage goes on. The storage may be gone afterwards.
void settle(const Engine &engine, Storage &storage);

}  // namespace gpuopt
