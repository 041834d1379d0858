// plugins/ring/shared_memory.h -- bytes between two processes of one machine, through memory that both have mapped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "plugins/ring/sockets.h"

namespace gpuopt::ring {

// Bytes in one direction: a circular buffer that one process writes and the other reads (Lamport, 1977). Each counts
// what it has moved since the beginning. A side that is about to sleep says so, and the other one wakes it then; that
// neither misses what the other has done meanwhile needs sequentially consistent order, which these atomics have.
struct Stream {
  static constexpr uint64_t kCapacity = uint64_t{1} << 19;
  alignas(64) std::atomic<uint64_t> written{0};
  alignas(64) std::atomic<uint64_t> read{0};
  alignas(64) std::atomic<uint32_t> reader_sleeps{0};
  std::atomic<uint32_t> writer_sleeps{0};
  alignas(64) char bytes[kCapacity];
  static_assert(std::atomic<uint64_t>::is_always_lock_free, "two processes cannot share a lock of one");
};

// One end of a pair of streams. What wakes a side is the caller's affair: calls say when to do so. Calls on one end are
// made by one thread at a time.
class SharedMemory {
 public:
  // How many bytes may be on their way in one direction between two of that many ranks: each pair of them has its own.
  static uint64_t capacity_for(int32_t ranks) { return ranks <= 8 ? Stream::kCapacity : Stream::kCapacity / 8; }
  // Makes the memory; NULL where the system has none of this kind to give, or is short of it.
  static std::unique_ptr<SharedMemory> create(uint64_t capacity);
  // Maps what the other process has made. NULL if that cannot be done, or the file could shrink under the mapping.
  static std::unique_ptr<SharedMemory> open(Socket descriptor, uint64_t capacity);
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  // The file descriptor of the memory, for the other process.
  int descriptor() const { return file_.get(); }
  void forget_descriptor() { file_ = Socket(); }

  // Move some of the bytes, as many as there is room for, or as there are, but not more than in one step, so that the
  // other side goes on meanwhile. Return how many. Set *wakes if the other side has to be woken.
  size_t write(const char *data, uint64_t bytes, bool *wakes);
  size_t read(char *to, uint64_t bytes, bool *wakes);
  bool has_bytes() const { return arrived() != 0; }
  // Says that this side is about to sleep until there is something to read or, if it `writes`, much room. Returns false
  // if that is so already.
  bool may_sleep(bool writes);
  void wake() { in_->reader_sleeps = 0, out_->writer_sleeps = 0; }

 private:
  SharedMemory(Socket file, Stream *streams, uint64_t capacity, bool made)
      : file_(std::move(file)),
        capacity_(capacity),
        streams_(streams),
        in_(streams + (made ? 1 : 0)),
        out_(streams + (made ? 0 : 1)) {}
  // What a failing, or hostile, process has stored there is never taken for more than there can be.
  uint64_t arrived() const { return limited(in_->written - in_->read); }
  uint64_t room() const { return capacity_ - limited(out_->written - out_->read); }
  uint64_t limited(uint64_t count) const { return count < capacity_ ? count : capacity_; }
  uint64_t much() const { return capacity_ / 2; }  // room for which a writer is woken

  Socket file_;
  uint64_t capacity_;  // of each stream's memory, the first so many bytes are used
  Stream *streams_, *in_, *out_;
};

}  // namespace gpuopt::ring
