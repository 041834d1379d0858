// tests/fake_cuda/state.h -- all the fake driver knows. One mutex guards it, held for the length of every driver call.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "plugins/cpu/code/object_code.h"
#include "plugins/cpu/kernel/block_run.h"
#include "plugins/cuda/driver/driver_types.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/fake_cuda/kernel_table.h"

namespace fake_cuda {

namespace ptx {
struct Module;
uint32_t shared_bytes_of(const Module &module, const char *kernel);
}  // namespace ptx

// Thrown inside a driver call: what it returns.
struct Refused {
  CUresult code;
};
[[noreturn]] inline void refuse(CUresult code) { throw Refused{code}; }

// The caller broke a rule of the API: printed and counted; the test that did not expect it fails.
__attribute__((format(printf, 1, 2))) void violation(const char *format, ...);

constexpr size_t kSharedAtMost = 227 << 10;  // of shared memory, for a block of a kernel that asked for it

struct Context;
struct Stream;

struct Device {
  int number = 0;
  size_t memory = 0;
  size_t plain_bytes = 0;  // of cuMemAlloc
  std::set<int> peers;     // devices this one can reach
  std::shared_ptr<Context> primary;
};

struct Context {
  CUcontext handle = nullptr;
  Device *device = nullptr;
  int retained = 0;
  CUresult sticky = CUDA_SUCCESS;                // every call answers this from the first fault on
  std::set<int> peers;                           // devices whose memory kernels here may use
  std::shared_ptr<Stream> legacy;                // stream 0
  std::vector<std::shared_ptr<Stream>> streams;  // also destroyed ones that still have work
};

// Where a stream was when an event was recorded.
struct Record {
  std::shared_ptr<Stream> stream;
  uint64_t place = 0;  // operations issued up to then
  uint64_t time = 0;   // when it was reached, on the fake's clock
};

struct Operation {
  const char *name = "";
  std::function<void()> run;
  uintptr_t pinned = 0;  // pinned memory it reads or writes
  size_t pinned_bytes = 0;
};

struct Stream {
  CUstream handle = nullptr;
  Context *context = nullptr;
  bool blocking = false;  // ordered with stream 0
  bool destroyed = false;
  uint64_t issued = 0, done = 0;
  std::deque<Operation> queue;
};

struct Event {
  CUevent handle = nullptr;
  Context *context = nullptr;
  bool timed = false;
  std::shared_ptr<Record> record;
};

struct Pool {
  CUmemoryPool handle = nullptr;
  Device *device = nullptr;
  uint64_t threshold = 0, reserved = 0, used = 0, reserved_high = 0, used_high = 0;
  std::set<int> access;  // other devices
};

// Device memory. Promised until the stream reaches its allocation, leaving from the call of cuMemFreeAsync on.
struct Block {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  uint64_t number = 0;
  Device *device = nullptr;
  Context *context = nullptr;
  std::shared_ptr<Pool> pool;  // NULL: of cuMemAlloc
  bool live = false, leaving = false, open = false;
  bool managed = false;  // of cuMemAllocManaged: the host may use it, too
};

struct Library {
  std::string path;
  const KernelLibrary *table = nullptr;
  Indices indices = {};
  bool meets = false;                             // some kernel of it has threads that meet
  std::vector<const gpuopt::cpu::RawCode *> raw;  // of users' kernels, one for each entry; else none
  gpuopt::cpu::Variables variables;               // of theirs
  std::shared_ptr<const ptx::Module> ptx;         // what NVRTC made, which is interpreted; else NULL

  const gpuopt::cpu::RawCode *raw_of(const KernelEntry &entry) const {
    return raw.empty() ? nullptr : raw[size_t(&entry - table->entries)];
  }
  bool takes_dynamic_shared(const KernelEntry &entry) const { return ptx || raw_of(entry); }
  // __shared__ arrays of a kernel, or of all of them, which do not lie apart.
  size_t shared_bytes(const KernelEntry &entry) const {
    const gpuopt::cpu::RawCode *const code = raw_of(entry);
    if (ptx) return ptx::shared_bytes_of(*ptx, entry.name);
    return code ? code->shared_bytes : table->shared_bytes();
  }
};

struct Function;
struct Module {
  CUmodule handle = nullptr;
  Context *context = nullptr;
  std::shared_ptr<Library> library;
  std::vector<CUfunction> functions;
};

struct Function {
  CUfunction handle = nullptr;
  Context *context = nullptr;
  std::shared_ptr<Library> library;
  const KernelEntry *entry = nullptr;
  size_t dynamic_limit = 0;  // bytes of shared memory beyond what all kernels may have, once asked for
};

// Objects by handle. Handles are numbers that are never given twice, so that one of the past is known as such.
template <class T, class Handle>
class Handles {
 public:
  std::shared_ptr<T> add(std::shared_ptr<T> object, uint64_t &last) {
    last += 64;
    object->handle = reinterpret_cast<Handle>(last);
    return objects_[object->handle] = std::move(object);
  }
  std::shared_ptr<T> get(Handle handle, const char *what) const {
    auto found = objects_.find(handle);
    if (found == objects_.end()) {
      violation("%p is no %s, or no longer one", static_cast<const void *>(handle), what);
      refuse(CUDA_ERROR_INVALID_HANDLE);
    }
    return found->second;
  }
  void remove(Handle handle) { objects_.erase(handle); }
  size_t size() const { return objects_.size(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::map<Handle, std::shared_ptr<T>> objects_;
};

struct State {
  std::mutex mutex;
  bool initialised = false;
  int process = 0;  // that called cuInit
  const char *call = "";
  fake_cuda_counters counters = {};
  uint64_t fail_at = 0;
  CUresult fail_code = CUDA_ERROR_OUT_OF_MEMORY;

  int driver_version = 13000, capability = 90, threads_limit = 1024;
  bool pools_supported = true, managed_anytime = true;
  size_t queue_limit = 256, cache_bytes = 0;
  std::vector<std::unique_ptr<Device>> devices;

  uint64_t last_handle = 0x7fa0c0de0000;
  Handles<Context, CUcontext> contexts;
  std::vector<std::shared_ptr<Context>> ended;  // kept: streams, events and threads may still name them
  Handles<Stream, CUstream> streams;
  Handles<Event, CUevent> events;
  Handles<Pool, CUmemoryPool> pools;
  Handles<Module, CUmodule> modules;
  Handles<Function, CUfunction> functions;
  std::map<uintptr_t, size_t> pinned;
  std::map<std::string, std::shared_ptr<Library>> libraries;
  std::vector<fake_cuda_launch> launches;
  uint64_t clock = 0;  // nanoseconds that passed on the devices

  static State &get();  // never destroyed: other threads may still call
};

// The environment's number, or `otherwise`.
uint64_t setting(const char *name, uint64_t otherwise);

}  // namespace fake_cuda
