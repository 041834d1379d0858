// core/engine/transfer.h -- copies between a device and the host, done outside of the recorder's lock: while one thread
// waits for its copy, others record and evaluate.
#pragma once
#include "core/engine/engine.h"

namespace gpuopt {

// A stream of the device for a while. Whoever submits work to a stream holds the recorder's lock and needs the stream's
// (StreamLock), which a waiting copy keeps: on a stream of its own it is in nobody's way. Where the slots of one stream
// may be called side by side it is the stream given.
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

// Those that nobody uses now go, with what the backend keeps for them.
void drop_transfer_streams(gpuopt_device device);

// Reads a C-contiguous, evaluated array. Until the end of its life the memory is written, given to another storage or
// freed by nobody: whoever means to waits.
class Download {
 public:
  explicit Download(const gpuopt_array_s &x);
  ~Download();
  Download(const Download &) = delete;
  Download &operator=(const Download &) = delete;
  // `bytes` bytes from byte `at` of the array on; returns when they are there.
  void copy(void *host, int64_t at, uint64_t bytes);

 private:
  Ref<Storage> storage_;
  TransferStream transfer_;
  const char *from_ = nullptr;
};

// Until no Download reads the storage. Under the lock, before its memory is written or changes hands.
void await_downloads(Storage &storage);

}  // namespace gpuopt
