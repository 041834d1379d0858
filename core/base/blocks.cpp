// core/base/blocks.cpp -- see blocks.h.
//
// There is no lock: a list belongs to one thread. In the child of a fork the lists of the parent's other threads are
// lost, at most kMost blocks of each size for each of these threads.
#include "core/base/blocks.h"

#include <cstdint>
#include <cstdlib>

#include "core/base/thread_end.h"
#include "plugins/shared/host/every_thread.h"

namespace gpuopt {
namespace {

// Two sizes: for a handle of a few dimensions, and for one together with its storage and a few elements.
constexpr size_t kSizes[] = {192, 512};
#if defined(__SANITIZE_ADDRESS__)
constexpr uint32_t kMost = 0;  // ASan then reports every use of a block that was given back
#else
constexpr uint32_t kMost = 32;
#endif

// The blocks of one size that a thread keeps; each begins with the address of the next one.
struct Kept {
  void *first;
  uint32_t count;
  bool registered;  // for the end of the thread
};
GPUOPT_IN_EVERY_THREAD constinit thread_local Kept t_kept[2] = {};

void free_kept() noexcept {
  for (Kept &kept : t_kept) {
    while (kept.first) {
      void *const block = kept.first;
      kept.first = *static_cast<void **>(block);
      std::free(block);
    }
    kept = {};
  }
}

// Returns the index of the smallest size that is large enough, 2 if none is.
size_t size_for(size_t bytes) {
  return static_cast<size_t>(bytes > kSizes[0]) + static_cast<size_t>(bytes > kSizes[1]);
}

}  // namespace

void *take_block(size_t bytes) noexcept {
  const size_t index = size_for(bytes);
  if (index == 2) return std::malloc(bytes);
  Kept &kept = t_kept[index];
  void *const block = kept.first;
  if (!block) return std::malloc(kSizes[index]);
  kept.first = *static_cast<void **>(block);
  --kept.count;
  return block;
}

void give_block(void *block, size_t bytes) noexcept {
  const size_t index = size_for(bytes);
  if (index == 2 || t_kept[index].count >= kMost) return std::free(block);
  Kept &kept = t_kept[index];
  if (!kept.registered) {
    at_end_of_thread(&free_kept);
    kept.registered = true;
  }
  *static_cast<void **>(block) = kept.first;
  kept.first = block;
  ++kept.count;
}

}  // namespace gpuopt
