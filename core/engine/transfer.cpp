// core/engine/transfer.cpp -- copies between a device and the host, and the streams they run on; see transfer.h.
#include "core/engine/transfer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "core/engine/access.h"
#include "core/engine/record.h"

namespace gpuopt {
namespace {

// Up to so many bytes, backends usually copy the host's data aside and return at once. For more they may wait for work
// that was submitted before, and the recorder's lock must not be held.
constexpr int64_t kShortUpload = int64_t{1} << 20;

Ref<gpuopt_stream_s> take_transfer_stream(gpuopt_device device) {
  {
    std::lock_guard lock(device->transfers_mutex);
    if (!device->transfers.empty()) {
      Ref<gpuopt_stream_s> stream = std::move(device->transfers.back());
      device->transfers.pop_back();
      return stream;
    }
    device->transfers.reserve(++device->transfer_count);  // so that ~TransferStream() cannot fail
  }
  return make_stream(device);
}

// Returns a stream for a copy, or `own` if there is no memory for one: the copy is then possible, but others may have
// to wait for it.
Ref<gpuopt_stream_s> transfer_stream_or(gpuopt_stream own) {
  try {
    return take_transfer_stream(own->device);
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY) throw;
    return Ref<gpuopt_stream_s>::share(own);
  }
}

}  // namespace

TransferStream::TransferStream(gpuopt_stream own)
    : stream_(own->device->synchronous() ? Ref<gpuopt_stream_s>::share(own) : transfer_stream_or(own)),
      borrowed_(stream_.get() != own) {}

TransferStream::~TransferStream() {
  if (!borrowed_) return;
  gpuopt_device device = stream_->device;
  std::lock_guard lock(device->transfers_mutex);
  device->transfers.push_back(std::move(stream_));
}

void drop_transfer_streams(gpuopt_device device) {
  std::vector<Ref<gpuopt_stream_s>> idle;
  std::lock_guard lock(device->transfers_mutex);
  idle.reserve(device->transfer_count);  // swapped in below: ~TransferStream() still cannot fail
  idle.swap(device->transfers);
}

namespace {

// For await_downloads(), which waits until no Download reads a storage; `read` is notified when one ends. This is not
// std::atomic::wait because, without futexes (as on Windows), GCC 12's checks the value before it takes its lock, and
// misses a notification in between.
struct Waiting {
  std::mutex mutex;
  std::condition_variable read;
};
Waiting &waiting() {
  static auto *const kept = new Waiting;
  return *kept;
}

}  // namespace

Download::Download(const gpuopt_array_s &x) : storage_(x.storage.share()), transfer_(x.stream.get()) {
  waiting();  // made here, where it may fail
  const gpuopt_array read[] = {const_cast<gpuopt_array>(&x)};
  const Access access(x.device(), read);
  join_streams(*transfer_.get(), *storage_->stream);
  from_ = address(x);
  storage_->downloads.fetch_add(1, std::memory_order_relaxed);
}

Download::~Download() {
  {
    std::lock_guard lock(waiting().mutex);
    storage_->downloads.fetch_sub(1, std::memory_order_release);
  }
  waiting().read.notify_all();
}

void Download::copy(void *host, int64_t at, uint64_t bytes) {
  gpuopt_stream stream = transfer_.get();
  call_stream(stream, "copy_to_host", stream->device->api().copy_to_host, host, static_cast<const void *>(from_ + at),
              bytes);
  wait_for(stream, "copy_to_host");
}

void await_downloads(Storage &storage) {
  if (storage.downloads.load(std::memory_order_acquire) == 0) return;
  std::unique_lock lock(waiting().mutex);
  waiting().read.wait(lock, [&] { return storage.downloads.load(std::memory_order_acquire) == 0; });
}

void await_memory(const gpuopt_array_s &x) {
  // The work of a synchronous device is done when it has been submitted.
  if (x.device()->synchronous() && x.storage->downloads.load(std::memory_order_acquire) == 0) return;
  const TransferStream transfer(x.stream.get());
  {
    const gpuopt_array read[] = {const_cast<gpuopt_array>(&x)};
    const Access access(x.device(), read);
    order_write(*x.storage, *x.stream);
    join_streams(*transfer.get(), *x.stream);
  }
  wait_for(transfer.get());
}

void copy_to_host(gpuopt_array x, void *host) {
  const ArrayRef source = contiguous(x);
  if (x->size) Download(*source).copy(host, 0, static_cast<uint64_t>(x->bytes()));
}

namespace {

void upload(gpuopt_stream stream, void *to, const void *host, int64_t bytes) {
  call_stream(stream, "copy_from_host", stream->device->api().copy_from_host, to, host, static_cast<uint64_t>(bytes));
}

// Copies from the host without the recorder's lock, on a transfer stream. The copy is ordered as if it were submitted
// to the array's stream.
void upload_apart(const gpuopt_array_s &x, const void *host) {
  const TransferStream transfer(x.stream.get());
  gpuopt_stream stream = transfer.get();
  Storage &storage = *x.storage;
  Engine &engine = engine_of(x.device());
  {
    const EngineLock lock(engine);
    order_write(storage, *x.stream);
    order_read(storage, *stream);  // makes the stream a reader: the memory is not freed before the copy has ended
  }
  upload(stream, address(x), host, x.bytes());
  const EngineLock lock(engine);
  join_streams(*x.stream, *stream);
  // Meanwhile other streams may have written or read other parts of the memory. A stream that reads it next waits for
  // the stream of the last write, unless it is one of the readers since, which have waited already.
  if (storage.stream.get() != x.stream.get()) join_streams(*storage.stream, *stream);
  for (const auto &reader : storage.readers) join_streams(*reader, *stream);
  std::erase_if(storage.readers, [&](const Ref<gpuopt_stream_s> &reader) { return reader.get() == stream; });
}

}  // namespace

void copy_from_host(gpuopt_array x, const void *host) {
  if (deref_strong(x, "copy_from_host").size == 0) return;
  if (!x->contiguous) {
    ArrayRef copy = make_array(x->stream.get(), x->dtype, x->ndim, x->shape);
    copy_from_host(copy.get(), host);
    record_assign(x, copy.get());
    return evaluate(x);
  }
  check_usable(*x->device(), "copy_from_host");
  if (x->bytes() > kShortUpload && !x->device()->synchronous()) {
    prepare_write(x);
    return upload_apart(*x, host);
  }
  // All with the lock held: in between, another thread could order its work after the stream's, but not after the copy.
  Access access(x->device(), {}, x);
  access.prepare_write();
  order_write(*x->storage, *x->stream);
  upload(x->stream.get(), address(*x), host, x->bytes());
}

}  // namespace gpuopt
