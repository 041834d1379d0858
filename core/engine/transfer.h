// core/engine/transfer.h -- copies between a device and the host. While one thread waits for its copy, it does not hold
// the recorder's lock (Engine::mutex), so that others can record and evaluate. Short uploads are an exception: they are
// submitted with the lock held.
#pragma once
#include "core/engine/engine.h"

namespace gpuopt {

// Copy all elements, in C order, to or from host memory. Both evaluate x. The first returns when the elements are in
// `host`; the second as soon as `host` may be overwritten.
void copy_to_host(gpuopt_array x, void *host);
void copy_from_host(gpuopt_array x, const void *host);

// Waits until the memory of x, which has been evaluated, holds its values, and no submitted work uses it any more.
// Called before the host reads the memory in place, or another library gets it.
void await_memory(const gpuopt_array_s &x);

// A stream for one copy, taken from those of the device that are idle, or created. A thread that waits for a copy holds
// the stream's lock (StreamLock) meanwhile. On the array's own stream it would block all who submit work to that
// stream, and these hold the recorder's lock. `own` itself is used if the device needs no StreamLock (synchronous()),
// or if there is no memory for another stream.
class TransferStream {
 public:
  explicit TransferStream(gpuopt_stream own);
  ~TransferStream();
  TransferStream(const TransferStream &) = delete;
  TransferStream &operator=(const TransferStream &) = delete;
  gpuopt_stream get() const { return stream_.get(); }

 private:
  Ref<gpuopt_stream_s> stream_;
  bool borrowed_;
};

// Destroys the device's idle streams for copies, so that the backend frees what it has allocated for them.
void drop_transfer_streams(gpuopt_device device);

// Copies elements of a C-contiguous, evaluated array to the host. While the object lives, nobody frees the array's
// memory, writes to it or exchanges it for other memory: await_downloads() makes those who want to wait.
class Download {
 public:
  explicit Download(const gpuopt_array_s &x);
  ~Download();
  Download(const Download &) = delete;
  Download &operator=(const Download &) = delete;
  // Copies `bytes` bytes, beginning with byte `at` of the array, and returns when they are in `host`.
  void copy(void *host, int64_t at, uint64_t bytes);

 private:
  Ref<Storage> storage_;
  TransferStream transfer_;
  const char *from_ = nullptr;
};

// Waits until no Download reads the storage. Called before its memory is written or exchanged. The caller holds the
// recorder's lock and keeps it, so that no other Download can begin.
void await_downloads(Storage &storage);

}  // namespace gpuopt
