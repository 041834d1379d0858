// plugins/cpu/kernel/kernel_heap.cpp -- see kernel_heap.h.
//
// Pieces that are free lie in a map by their offset, so that neighbors are joined when one is freed. The first that is
// large enough is taken.
#include "plugins/cpu/kernel/kernel_heap.h"

#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "plugins/cpu/runtime/os.h"

namespace gpuopt::cpu {
namespace {

constexpr size_t kGranule = 16;

class KernelHeap {
 public:
  void *allocate(size_t bytes) {
    if (bytes > kKernelHeapBytes) return nullptr;
    const size_t needed = bytes ? (bytes + kGranule - 1) / kGranule * kGranule : kGranule;
    const std::lock_guard lock(mutex_);
    if (!memory_ && !map()) return nullptr;
    auto piece = free_.begin();
    while (piece != free_.end() && piece->second < needed) ++piece;
    if (piece == free_.end()) return nullptr;
    const auto [offset, size] = *piece;
    used_.emplace(offset, needed);
    if (size > needed) insert_behind(piece, offset + needed, size - needed);
    free_.erase(piece);
    return memory_ + offset;
  }

  size_t release(void *memory) {
    const std::lock_guard lock(mutex_);
    const auto offset = static_cast<size_t>(static_cast<char *>(memory) - memory_);
    const auto piece = memory_ ? used_.find(offset) : used_.end();
    if (piece == used_.end()) return 0;
    const size_t size = piece->second;
    join(used_.extract(piece));
    return size;
  }

  std::mutex &mutex() { return mutex_; }

 private:
  using Pieces = std::map<size_t, size_t>;  // the size by the offset

  bool map() {
    free_.emplace(0, kKernelHeapBytes);
    memory_ = static_cast<char *>(map_pages(kKernelHeapBytes, kLargestPage));
    if (!memory_) free_.clear();
    return memory_ != nullptr;
  }

  // If there is no memory for the map's node, the piece that was taken is given back.
  void insert_behind(Pieces::iterator piece, size_t offset, size_t size) try {
    free_.emplace_hint(std::next(piece), offset, size);
  } catch (const std::bad_alloc &) {
    used_.erase(piece->first);
    throw;
  }

  // Makes a piece free, and one with its free neighbors. This takes no memory, as the node moves from map to map.
  void join(Pieces::node_type &&piece) {
    const auto next = free_.upper_bound(piece.key());
    if (next != free_.end() && piece.key() + piece.mapped() == next->first) {
      piece.mapped() += next->second;
      free_.erase(next);
    }
    const auto made = free_.insert(std::move(piece)).position;
    if (made == free_.begin()) return;
    const auto before = std::prev(made);
    if (before->first + before->second != made->first) return;
    before->second += made->second;
    free_.erase(made);
  }

  std::mutex mutex_;
  char *memory_ = nullptr;
  Pieces free_, used_;
};

// Never destroyed, as threads may run kernels until the process ends.
KernelHeap &heap() {
  static auto *const made = [] {
    auto *const heap = new KernelHeap;
    on_fork([] { cpu::heap().mutex().lock(); }, [] { cpu::heap().mutex().unlock(); },
            [] { cpu::heap().mutex().unlock(); });
    return heap;
  }();
  return *made;
}

}  // namespace

void *allocate_in_kernel(size_t bytes) noexcept try { return heap().allocate(bytes); } catch (...) {
  return nullptr;
}

size_t free_in_kernel(void *memory) noexcept try { return heap().release(memory); } catch (...) {
  return 0;
}

}  // namespace gpuopt::cpu
