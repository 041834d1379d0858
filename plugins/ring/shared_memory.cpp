// plugins/ring/shared_memory.cpp -- see shared_memory.h.
#include "plugins/ring/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace gpuopt::ring {
namespace {

constexpr size_t kBytes = 2 * sizeof(Stream);
constexpr uint64_t kOneStep = uint64_t{1} << 15;  // bytes that are moved before the other side learns of it

#ifdef __linux__
// A file of this size that nobody can make smaller: reading behind its end would be a fault of this process.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// A file behind the limit of the process's files would end it by SIGXFSZ.
bool may_be_made() {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= kBytes;  // no limit is the greatest number
}

Socket new_file() {
  if (!may_be_made()) return Socket();
  Socket file(memfd_create("gpuopt-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), kBytes) != 0 || fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return Socket();
  return file;
}

bool is_whole(const Socket &file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 && status.st_size == static_cast<off_t>(kBytes) &&
         (fcntl(file.get(), F_GET_SEALS) & F_SEAL_SHRINK);
}
#else
Socket new_file() { return Socket(); }
bool is_whole(const Socket &) { return false; }
#endif

void *mapped(const Socket &file) {
  void *const memory = file ? mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0) : MAP_FAILED;
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::create(uint64_t capacity) {
  Socket file = new_file();
  void *const memory = mapped(file);
  if (!memory) return nullptr;
  Stream *const streams = static_cast<Stream *>(memory);
  for (int i = 0; i < 2; ++i) new (streams + i) Stream;  // touches no byte of the buffers
  return std::unique_ptr<SharedMemory>(new SharedMemory(std::move(file), streams, capacity, true));
}

std::unique_ptr<SharedMemory> SharedMemory::open(Socket descriptor, uint64_t capacity) {
  void *const memory = descriptor && is_whole(descriptor) ? mapped(descriptor) : nullptr;
  if (!memory) return nullptr;
  return std::unique_ptr<SharedMemory>(new SharedMemory(Socket(), static_cast<Stream *>(memory), capacity, false));
}

SharedMemory::~SharedMemory() { munmap(streams_, kBytes); }

size_t SharedMemory::write(const char *data, uint64_t bytes, bool *wakes) {
  const auto count = static_cast<size_t>(std::min({bytes, room(), kOneStep}));
  if (!count) return 0;
  const uint64_t at = out_->written % capacity_;
  const auto first = static_cast<size_t>(std::min<uint64_t>(count, capacity_ - at));
  std::memcpy(out_->bytes + at, data, first);
  std::memcpy(out_->bytes, data + first, count - first);
  out_->written += count;
  if (out_->reader_sleeps.exchange(0)) *wakes = true;
  return count;
}

size_t SharedMemory::read(char *to, uint64_t bytes, bool *wakes) {
  const auto count = static_cast<size_t>(std::min({bytes, arrived(), kOneStep}));
  if (!count) return 0;
  const uint64_t at = in_->read % capacity_;
  const auto first = static_cast<size_t>(std::min<uint64_t>(count, capacity_ - at));
  std::memcpy(to, in_->bytes + at, first);
  std::memcpy(to + first, in_->bytes, count - first);
  in_->read += count;
  if (capacity_ - arrived() >= much() && in_->writer_sleeps.exchange(0)) *wakes = true;
  return count;
}

bool SharedMemory::may_sleep(bool writes) {
  in_->reader_sleeps = 1;
  if (writes) out_->writer_sleeps = 1;
  return !has_bytes() && !(writes && room() >= much());
}

}  // namespace gpuopt::ring
