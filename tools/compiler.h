// tools/compiler.h -- whether the CPU backend's compiler of kernels and hot programs works here, and if not, why.
#pragma once
#include <map>
#include <mutex>
#include <string>

namespace gpuopt::tools {

// What backends say of the libraries they use when they first look for one: their log records are the only place that
// tells, so this listens from before the first device is opened. It sets GPUOPT_LOG for this process.
class LibraryRecords {
 public:
  LibraryRecords();
  ~LibraryRecords();
  LibraryRecords(const LibraryRecords &) = delete;

  // The detail of the latest record of an event such as "cpu.blas"; "" if there was none.
  std::string of(const char *event);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

struct CompilerFacts {
  bool works = false;
  std::string description;  // version, file, and whether it runs in a process of its own; "" if it does not work
  std::string problem;      // why it does not work; "" if it does
  std::string policy;       // GPUOPT_JIT_POLICY as it is followed: on, cache_only or off
  std::string tier_up;      // GPUOPT_CPU_TIER_UP as it is followed: on, now or off
  std::string isolation;    // what is to be known of its process, "" if nothing
};

// Makes the CPU backend start its compiler, by a kernel that cannot compile and so gets into no cache. `description`
// and `isolation` are empty: they are in the records "cpu.jit" and "cpu.jit_isolation" then.
CompilerFacts look_at_compiler();

}  // namespace gpuopt::tools
