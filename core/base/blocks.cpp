// core/base/blocks.cpp -- see blocks.h.
//
// There is no lock: a list belongs to one thread. In the child of a fork the lists of the parent's other threads are
// lost, at most Size::most blocks of each size for each of these threads.
#include "core/base/blocks.h"

#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "core/base/thread_end.h"
#include "plugins/shared/host/every_thread.h"

namespace gpuopt {
namespace {

// The size of a block, and how many of them a thread keeps.
struct Size {
  size_t bytes;
  uint32_t most;
};
// The first size holds a handle of a few dimensions, the others one together with its storage and 16, 100 or 256
// numbers of eight bytes.
#if defined(__SANITIZE_ADDRESS__)
constexpr Size kSizes[] = {{192, 0}, {512, 0}, {1280, 0}, {2560, 0}};  // ASan reports each use of what was given back
#else
constexpr Size kSizes[] = {{192, 32}, {512, 32}, {1280, 16}, {2560, 8}};
#endif
constexpr size_t kCount = std::size(kSizes);
static_assert(kCount == 4);  // size_for() compares with four

// The blocks of one size that a thread keeps; each begins with the address of the next one.
struct Kept {
  void *first;
  uint32_t count;
  bool registered;  // for the end of the thread
};
GPUOPT_IN_EVERY_THREAD constinit thread_local Kept t_kept[kCount] = {};

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

// Returns the index of the smallest size that is large enough, kCount if none is. Most blocks are of the first sizes.
inline size_t size_for(size_t bytes) {
  if (bytes <= kSizes[1].bytes) return static_cast<size_t>(bytes > kSizes[0].bytes);
  if (bytes <= kSizes[3].bytes) return size_t{2} + static_cast<size_t>(bytes > kSizes[2].bytes);
  return kCount;
}

}  // namespace

void *take_block(size_t bytes) noexcept {
  const size_t index = size_for(bytes);
  if (index == kCount) return std::malloc(bytes);
  Kept &kept = t_kept[index];
  void *const block = kept.first;
  if (!block) return std::malloc(kSizes[index].bytes);
  kept.first = *static_cast<void **>(block);
  --kept.count;
  return block;
}

void give_block(void *block, size_t bytes) noexcept {
  const size_t index = size_for(bytes);
  if (index == kCount || t_kept[index].count >= kSizes[index].most) return std::free(block);
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
