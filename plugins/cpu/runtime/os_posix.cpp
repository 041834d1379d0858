// plugins/cpu/runtime/os_posix.cpp -- processors, pages, threads and libraries on Linux and other POSIX systems.
#if !defined(_WIN32)
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "plugins/cpu/runtime/os.h"

namespace gpuopt::cpu {
namespace {

constexpr char kCgroupRoot[] = "/sys/fs/cgroup";

// Returns this process's control group (version 2) as a path below the root; "" for the root itself, as in a container
// with a cgroup namespace of its own.
std::string own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) == 0) return line.substr(3) == "/" ? "" : line.substr(3);
  }
  return "";
}

// Returns the CPU quota of one group in processors, rounded up; 0 if there is none.
int quota_processors(const std::string &directory) {
  double quota = 0, period = 0;
  std::ifstream v2(directory + "/cpu.max");
  if (!(v2 >> quota >> period)) {  // neither a number ("max 100000") nor a file
    std::ifstream(directory + "/cpu/cpu.cfs_quota_us") >> quota;
    std::ifstream(directory + "/cpu/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? static_cast<int>((quota + period - 1) / period) : 0;
}

uint64_t memory_limit(const std::string &directory) {
  uint64_t limit = 0;
  if (std::ifstream v2(directory + "/memory.max"); v2 >> limit) return limit;
  std::ifstream(directory + "/memory/memory.limit_in_bytes") >> limit;
  return limit;
}

// Returns the smallest nonzero value(directory) of the process's group and all groups above it; 0 if all are 0.
template <typename Value>
auto tightest(Value value) {
  std::string group = own_cgroup();
  auto least = value(kCgroupRoot + group);
  while (!group.empty()) {
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    const auto limit = value(kCgroupRoot + group);
    if (limit && (!least || limit < least)) least = limit;
  }
  return least;
}

size_t page_bytes() noexcept { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

int affinity_processors() noexcept {
#if defined(__linux__)
  // Machines with more than 1024 processors need a larger mask than cpu_set_t, so larger and larger ones are tried.
  for (size_t capacity = 1024; capacity <= size_t{1} << 20; capacity *= 4) {
    cpu_set_t *const mask = CPU_ALLOC(capacity);
    if (!mask) break;
    const size_t bytes = CPU_ALLOC_SIZE(capacity);
    const bool known = sched_getaffinity(0, bytes, mask) == 0;
    const int count = known ? CPU_COUNT_S(bytes, mask) : 0;
    const bool too_small = !known && errno == EINVAL;
    CPU_FREE(mask);
    if (count > 0) return count;
    if (!too_small) break;
  }
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int>(online) : 1;
}

struct ThreadStart {
  void (*body)(void *);
  void *argument;
};

void *thread_main(void *raw) {
  const ThreadStart start = *static_cast<ThreadStart *>(raw);
  delete static_cast<ThreadStart *>(raw);
  start.body(start.argument);
  return nullptr;
}

}  // namespace

int usable_processors() noexcept try {
  const int processors = affinity_processors(), quota = tightest(quota_processors);
  return quota > 0 && quota < processors ? quota : processors;
} catch (...) {
  return affinity_processors();  // no memory to read the files
}

uint64_t usable_memory() noexcept try {
  const uint64_t physical = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
  const uint64_t limit = tightest(memory_limit);
  return limit > 0 && limit < physical ? limit : physical;
} catch (...) {
  return 0;
}

uint64_t available_memory() noexcept try {
  std::ifstream file("/proc/meminfo");
  uint64_t available = 0;
  for (std::string word; available == 0 && file >> word;) {
    if (word == "MemAvailable:") file >> available;
  }
  available *= 1024;  // the file counts in KiB
#if defined(_SC_AVPHYS_PAGES)
  if (available == 0) available = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page_bytes();
#endif
  const uint64_t most = usable_memory();
  return most > 0 && most < available ? most : available;
} catch (...) {
  return 0;
}

void *map_pages(size_t bytes, size_t alignment) noexcept {
  const size_t page = page_bytes(), slack = alignment > page ? alignment : 0;
  bytes = (bytes + page - 1) & ~(page - 1);
  void *const raw = mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  if (!slack) return raw;
  char *const begin = static_cast<char *>(raw);
  const size_t head = -reinterpret_cast<uintptr_t>(begin) & (alignment - 1);
  if (head) munmap(begin, head);
  munmap(begin + head + bytes, slack - head);
#if defined(MADV_HUGEPAGE)
  if (alignment >= kHugePage) madvise(begin + head, bytes, MADV_HUGEPAGE);
#endif
  return begin + head;
}

void unmap_pages(void *memory, size_t bytes) noexcept {
  const int saved = errno;
  munmap(memory, bytes);
  errno = saved;
}

bool protect_pages(void *memory, size_t bytes, bool executable) noexcept {
  return bytes == 0 || mprotect(memory, bytes, PROT_READ | (executable ? PROT_EXEC : 0)) == 0;
}

void on_fork(void (*before)(), void (*parent)(), void (*child)()) noexcept { pthread_atfork(before, parent, child); }

bool start_thread(void (*body)(void *), void *argument) noexcept {
  auto *const start = new (std::nothrow) ThreadStart{body, argument};
  if (!start) return false;
  sigset_t all, before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE})
    sigdelset(&all, fault);                     // its own faults stay unblocked
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits the mask
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, thread_main, start) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
    pthread_detach(thread);
  } else {
    delete start;
  }
  return started;
}

#if defined(__linux__)
int64_t thread_number() noexcept { return syscall(SYS_gettid); }

void separate_thread(int64_t thread) noexcept {
  const int saved = errno, processor = sched_getcpu();
  const auto id = static_cast<pid_t>(thread);
  cpu_set_t allowed, others;
  if (id > 0 && processor >= 0 && processor < CPU_SETSIZE && sched_getaffinity(id, sizeof allowed, &allowed) == 0) {
    others = allowed;
    CPU_CLR(static_cast<size_t>(processor), &others);
    // The system moves a thread at once that waits where it may no longer run.
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(id, sizeof others, &others) == 0)
      sched_setaffinity(id, sizeof allowed, &allowed);
  }
  errno = saved;
}
#else
int64_t thread_number() noexcept { return 0; }
void separate_thread(int64_t) noexcept {}
#endif

bool has_addresses(uint64_t bytes) noexcept {
  void *const place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, bytes);
  return true;
}

bool can_start_threads(int count) noexcept {
  struct Gate {
    std::mutex mutex;
  } gate;
  const std::unique_ptr<pthread_t[]> threads(new (std::nothrow) pthread_t[static_cast<size_t>(count > 0 ? count : 1)]);
  if (!threads) return false;
  const auto wait = [](void *raw) -> void * {
    const std::lock_guard until_all_are_there(static_cast<Gate *>(raw)->mutex);
    return nullptr;
  };
  int started = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new threads inherit the mask
  gate.mutex.lock();
  while (started < count && pthread_create(&threads[static_cast<size_t>(started)], nullptr, wait, &gate) == 0)
    started++;
  gate.mutex.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  for (int k = 0; k < started; k++) pthread_join(threads[static_cast<size_t>(k)], nullptr);
  return started >= count;
}

void lower_priority() noexcept {
#if defined(__linux__)
  [[maybe_unused]] const int now = nice(10);  // on Linux of this thread alone; if it fails, the priority stays
#endif
}

void *open_library(const char *name) noexcept { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void *find_symbol(void *library, const char *name) noexcept { return dlsym(library, name); }

std::string own_directory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&own_directory), &info) || !info.dli_fname) return {};
  char *const path = realpath(info.dli_fname, nullptr);
  const std::string file = path ? path : "";
  std::free(path);
  return file.substr(0, file.rfind('/') == std::string::npos ? 0 : file.rfind('/'));
}

}  // namespace gpuopt::cpu
#endif
