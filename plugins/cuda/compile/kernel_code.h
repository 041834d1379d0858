// plugins/cuda/compile/kernel_code.h -- from a kernel's text to code for one device: bundles, the user's cache, seeds,
// or a compiler.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cuda/compile/choose_compiler.h"
#include "plugins/shared/cache/bundle.h"
#include "plugins/shared/cache/cache.h"

namespace gpuopt::cuda {

struct KernelSource;  // kernel_store.h

// A cubin, or PTX for the driver to compile.
struct KernelCode {
  std::string image;
  bool ptx = false;
  bool fresh = false;                     // compiled now; code from a cache may be rejected by the driver
  std::vector<std::string> symbols = {};  // the mangled names of the source's functions
};

// Returns the key of a kernel in a cache, a hash of everything that its code depends on. `build` identifies the
// compiler: Compiler::build, or seed_build() in seeds and bundles.
plugin::DiskCache::Key kernel_key(const KernelSource &source, const Target &target, const std::string &build);
// The contents of a cache entry: kernel_payload() is for the user's cache; seed_payload() is a deflated cubin, for
// seeds. Any cache may hold either.
std::string kernel_payload(const KernelCode &code);
// Cubins resemble each other. Deflated with a dictionary, which is an entry of the seed, too, they take about two
// thirds of the space.
std::string seed_payload(const std::string &cubin, const std::string &dictionary = "");
// A seed may hold several dictionaries. A deflated cubin names its dictionary by this number, zlib's Adler-32.
uint32_t dictionary_number(const std::string &dictionary);
plugin::DiskCache::Key dictionary_key(const Target &target, const std::string &build, uint32_t number);
// Returns the inflated code that a seed has of a kernel for one target; nothing if it has none, or if the entry is
// damaged.
std::optional<KernelCode> seed_kernel(plugin::DiskCache &seed, const KernelSource &source, const Target &target,
                                      const std::string &build);
// Returns the `build` in the keys of seeds, which depends on CUDA's major version only, since seeds are read without
// opening a compiler.
std::string seed_build(int nvrtc_version);

// Returns the bundles that this process has loaded. Like seeds they hold cubins, compiled by any NVRTC of a CUDA major
// version, and for devices newer than that NVRTC they hold PTX, which a driver older than the NVRTC cannot read.
plugin::Bundles &bundles();
// Compiles a kernel for all devices and passes the code to `sink`, piece by piece. Targets for which it does not
// compile are left out. Throws ERR_JIT_UNAVAILABLE without a compiler, and ERR_COMPILE if it compiles for none.
void build_bundle(const KernelSource &source, const plugin::BundleSink &sink);

struct KernelCodeInput {
  int driver_version = 0;
  int capability = 0;
  SearchInput search;
  std::string cache_directory;
  uint64_t cache_bytes = 0;
  std::vector<std::string> seeds;  // directories
};
// Returns the input for this process, whose first seed is the folder "seed" beside the plugin.
KernelCodeInput process_kernel_code_input(int driver_version, int capability);

// Safe from any thread. A compiler is opened only when no cache has a kernel: its identity is remembered in the cache
// for as long as its file does not change. The identity, or why there is no compiler, is logged once it is known (event
// cuda.nvrtc, whichever compiler it is).
class KernelCodes {
 public:
  explicit KernelCodes(KernelCodeInput input);
  ~KernelCodes();

  // Returns a kernel's code from bundles, the user's cache, the seeds or the compiler, in this order. Throws
  // ERR_UNSUPPORTED with reason COMPILER_MISSING if it is nowhere and there is no compiler, and ERR_INTERNAL (for a
  // user's kernel ERR_COMPILE) with the compiler's log if it does not compile.
  KernelCode get(const KernelSource &source);
  // Compiles a kernel, and replaces its entry in the user's cache. Throws as get() does.
  KernelCode compile(const KernelSource &source);

 private:
  // The identity of the compiler. It is known before it is opened if its file is the same as last time.
  struct Identity {
    Target target;
    std::string build, path;
  };
  std::optional<Identity> known_identity();
  std::optional<Identity> remembered_identity();
  void remember(const Compiler &compiler);
  plugin::DiskCache::Key place_of_memory() const;
  // Returns the compiler. If `source` was compiled to find out whether the compiler works, `made` is the result.
  const Compiler &compiler(const KernelSource &source, std::optional<Compilation> &made);
  // Compiles the source unless `was_made` has the result, and stores it in the cache.
  KernelCode finish(const KernelSource &source, const Compiler &with, std::optional<Compilation> was_made);
  std::optional<KernelCode> cached(const KernelSource &source, const Identity &identity);
  std::optional<KernelCode> bundled(const KernelSource &source);
  std::optional<KernelCode> seeded(const KernelSource &source);
  // Returns the first result of `find(target, CUDA's major version)` for the cubins that can run here, best first.
  template <class Find>
  std::optional<KernelCode> nearest(Find find) const;

  const KernelCodeInput input_;
  plugin::DiskCache cache_;
  std::vector<std::unique_ptr<plugin::DiskCache>> seeds_;
  std::mutex mutex_;
  std::optional<Compiler> compiler_;  // empty until the first search
  std::optional<Identity> identity_;
  bool asked_memory_ = false;
};

}  // namespace gpuopt::cuda
