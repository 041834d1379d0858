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
  static constexpr uint64_t kCapacity = uint64_t{1} << 18;
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
  // Makes the memory; NULL where the system has none of this kind to give, or is short of it.
  static std::unique_ptr<SharedMemory> create();
  // Maps what the other process has made. NULL if that cannot be done, or the file could shrink under the mapping.
  static std::unique_ptr<SharedMemory> open(Socket descriptor);
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  // The file descriptor of the memory, for the other process.
  int descriptor() const { return file_.get(); }
  void forget_descriptor() { file_ = Socket(); }

  // Move as many of the bytes as there is room for, or as there are. Set *wakes if the other side has to be woken.
  size_t write(const char *data, uint64_t bytes, bool *wakes);
  size_t read(char *to, uint64_t bytes, bool *wakes);
  bool has_bytes() const { return arrived() != 0; }
  // Says that this side is about to sleep until there is something to read or, if it `writes`, much room. Returns false
  // if that is so already.
  bool may_sleep(bool writes);
  void wake() { in_->reader_sleeps = 0, out_->writer_sleeps = 0; }

 private:
  SharedMemory(Socket file, Stream *streams, bool made)
      : file_(std::move(file)), streams_(streams), in_(streams + (made ? 1 : 0)), out_(streams + (made ? 0 : 1)) {}
  // What a failing, or hostile, process has stored there is never taken for more than there can be.
  uint64_t arrived() const { return limited(in_->written - in_->read); }
  uint64_t room() const { return Stream::kCapacity - limited(out_->written - out_->read); }
  static uint64_t limited(uint64_t count) { return count < Stream::kCapacity ? count : Stream::kCapacity; }

  Socket file_;
  Stream *streams_, *in_, *out_;
};

}  // namespace gpuopt::ring
