// plugins/cuda/kernel_code.h -- from a kernel's text to code for one device: bundles, the user's cache, seeds, or
// NVRTC.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cuda/nvrtc.h"
#include "plugins/shared/host/bundle.h"
#include "plugins/shared/host/cache.h"

namespace gpuopt::cuda {

struct KernelSource;  // kernel_store.h

// A cubin, or PTX for the driver to compile.
struct KernelCode {
  std::string image;
  bool ptx = false;
  bool fresh = false;                     // compiled now; otherwise from a cache, and the driver may not like it
  std::vector<std::string> symbols = {};  // what the linker calls the source's functions
};

// What names a kernel in a cache: all that its code depends on.
plugin::DiskCache::Key kernel_key(const KernelSource &source, const Target &target, const std::string &build);
// How a kernel lies in the user's cache, and a cubin, deflated, in a seed. Any cache may hold either.
std::string kernel_payload(const KernelCode &code);
// Cubins resemble each other: deflated with a dictionary, which is an entry of the seed, they take two thirds.
std::string seed_payload(const std::string &cubin, const std::string &dictionary = "");
// A seed may hold several dictionaries: a deflated cubin asks for its own by this number, zlib's Adler-32.
uint32_t dictionary_number(const std::string &dictionary);
plugin::DiskCache::Key dictionary_key(const Target &target, const std::string &build, uint32_t number);
// The kernel as a seed has it for one target, inflated; nothing if the seed has none, or none that is whole.
std::optional<KernelCode> seed_kernel(plugin::DiskCache &seed, const KernelSource &source, const Target &target,
                                      const std::string &build);
// The `build` of kernels in seeds, which are looked for without any compiler at hand: that of CUDA's major version.
std::string seed_build(int nvrtc_version);

// Bundles hold kernels compiled by whatever NVRTC of a CUDA major version, as seeds do, and for devices newer than that
// PTX, which a driver older than its NVRTC cannot read.
plugin::Bundles &bundles();
// The kernel for all devices, given away piece by piece, what it does not compile for left out. Throws
// ERR_JIT_UNAVAILABLE without a compiler, and ERR_COMPILE if nothing came of it.
void build_bundle(const KernelSource &source, const plugin::BundleSink &sink);

struct KernelCodeInput {
  int driver_version = 0;
  int capability = 0;
  SearchInput search;
  std::string cache_directory;
  uint64_t cache_bytes = 0;
  std::vector<std::string> seeds;  // directories
};
// That of this process.
KernelCodeInput process_kernel_code_input(int driver_version, int capability);

// Safe from any thread. NVRTC is opened when no cache has a kernel, not before: what it would be is remembered in the
// cache, as long as its file does not change. Which it is, or why there is none, is logged when it becomes known (event
// cuda.nvrtc).
class KernelCodes {
 public:
  explicit KernelCodes(KernelCodeInput input);
  ~KernelCodes();

  // From bundles, the user's cache, the seeds or the compiler, in this order. Throws ERR_UNSUPPORTED with reason
  // COMPILER_MISSING, and ERR_INTERNAL with the compiler's log.
  KernelCode get(const KernelSource &source);
  // By the compiler, whatever the caches have, which forget what they had.
  KernelCode compile(const KernelSource &source);

 private:
  // What would compile: known before it is opened if it is the one of last time.
  struct Identity {
    Target target;
    std::string build, path;
  };
  std::optional<Identity> known_identity();
  std::optional<Identity> remembered_identity();
  void remember(const Compiler &compiler);
  plugin::DiskCache::Key place_of_memory() const;
  // The compiler, and in `made` what it made of `source` if that was how to find out whether it works.
  const Compiler &compiler(const KernelSource &source, std::optional<Compilation> &made);
  // Compiles what was not made yet, and keeps it in the cache in place of what that had.
  KernelCode finish(const KernelSource &source, const Compiler &with, std::optional<Compilation> was_made);
  std::optional<KernelCode> cached(const KernelSource &source, const Identity &identity);
  std::optional<KernelCode> bundled(const KernelSource &source);
  std::optional<KernelCode> seeded(const KernelSource &source);
  // The first that `find(target, CUDA's major version)` has of the cubins that may run here, the best first.
  template <class Find>
  std::optional<KernelCode> nearest(Find find) const;

  const KernelCodeInput input_;
  plugin::DiskCache cache_;
  std::vector<std::unique_ptr<plugin::DiskCache>> seeds_;
  std::mutex mutex_;
  std::optional<Compiler> compiler_;  // once it was looked for
  std::optional<Identity> identity_;
  bool asked_memory_ = false;
};

}  // namespace gpuopt::cuda
