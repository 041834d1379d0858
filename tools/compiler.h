// tools/compiler.h -- finds out whether the CPU backend's compiler of kernels and hot programs works, and if not, why.
#pragma once
#include <map>
#include <mutex>
#include <string>

namespace gpuopt::tools {

// Collects the log records in which backends report the libraries they use (BLAS, compilers). A backend writes such a
// record only once, when it first looks for the library, so this object must exist before the first device is opened.
// It sets GPUOPT_LOG for this process. Records may come from any thread.
class LibraryRecords {
 public:
  LibraryRecords();
  ~LibraryRecords();
  LibraryRecords(const LibraryRecords &) = delete;

  // Returns the detail of the last record of an event such as "cpu.blas", "" if there was none.
  std::string of(const char *event);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

struct CompilerFacts {
  bool works = false;
  std::string description;  // version, file, and whether it runs in its own process; "" if it does not work
  std::string problem;      // why it does not work; "" if it does
  std::string policy;       // the effective GPUOPT_JIT_POLICY: on, cache_only or off
  std::string tier_up;      // the effective GPUOPT_CPU_TIER_UP: on, now or off
  std::string isolation;    // a remark about its process, "" if there is none
};

// Makes the CPU backend start its compiler, with a kernel that does not compile and therefore is not in any cache.
// `description` and `isolation` remain empty; the caller takes them from the records "cpu.jit" and "cpu.jit_isolation"
// (LibraryRecords).
CompilerFacts look_at_compiler();

}  // namespace gpuopt::tools
