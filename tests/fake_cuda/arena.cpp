// tests/fake_cuda/arena.cpp -- device memory: addresses, pages, and when they can be accessed.
#include "tests/fake_cuda/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/fake_cuda/device_bytes.h"

namespace fake_cuda {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kArenaBytes = size_t(256) << 30;
constexpr unsigned char kRubbish = 0xa5;
constexpr size_t kFilled = size_t(64) << 20;  // at either end of a block

struct Arena {
  uintptr_t begin = 0, next = 0;
  std::map<CUdeviceptr, Block> blocks;
  std::vector<Block *> open;
  uint64_t last_number = 0;
};

Arena &arena() {
  static Arena &made = *[] {
    auto *a = new Arena;
    void *memory = mmap(nullptr, kArenaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("fake_cuda: no address space");
      std::abort();
    }
    a->begin = a->next = reinterpret_cast<uintptr_t>(memory);
    return a;
  }();
  return made;
}

size_t up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

uintptr_t first_page(const Block &block) { return block.base / kPage * kPage; }
size_t page_bytes(const Block &block) { return up(block.base + block.bytes, kPage) - first_page(block); }

void protect(const Block &block, int protection) {
  if (mprotect(reinterpret_cast<void *>(first_page(block)), page_bytes(block), protection) != 0) {
    std::perror("fake_cuda: mprotect");
    std::abort();
  }
}

// The next addresses in turn that no block uses.
uintptr_t free_range(size_t bytes) {
  Arena &a = arena();
  for (int turns = 0; turns < 2;) {
    if (a.next + bytes > a.begin + kArenaBytes) {
      a.next = a.begin;
      ++turns;
    }
    auto behind = a.blocks.lower_bound(a.next);
    if (behind != a.blocks.begin()) {
      const Block &before = std::prev(behind)->second;
      a.next = std::max(a.next, first_page(before) + page_bytes(before) + kPage);
    }
    if (behind == a.blocks.end() || a.next + bytes <= first_page(behind->second)) return a.next;
    a.next = first_page(behind->second) + page_bytes(behind->second) + kPage;
  }
  refuse(CUDA_ERROR_OUT_OF_MEMORY);
}

}  // namespace

int Opened::depth = 0;

Opened::~Opened() {
  if (--depth > 0) return;
  for (Block *block : arena().open) {
    protect(*block, PROT_NONE);
    block->open = false;
  }
  arena().open.clear();
}

void open_block(Block &block) {
  if (block.open) return;  // what is managed stays so
  protect(block, PROT_READ | PROT_WRITE);
  block.open = true;
  if (!block.managed) arena().open.push_back(&block);
}

Block *find_block(uintptr_t address, size_t bytes) {
  auto &blocks = arena().blocks;
  auto behind = blocks.upper_bound(address);
  if (behind == blocks.begin()) return nullptr;
  Block &block = std::prev(behind)->second;
  return address - block.base <= block.bytes && bytes <= block.bytes - (address - block.base) ? &block : nullptr;
}

Block &add_block(Context &context, size_t bytes) {
  Arena &a = arena();
  const size_t usable = up(bytes, kAlignment), pages = up(usable, kPage);
  const uintptr_t begin = free_range(pages + kPage);
  a.next = begin + pages + kPage;
  Block &block = a.blocks[begin + pages - usable];
  block.base = begin + pages - usable;
  block.bytes = bytes;
  block.number = ++a.last_number;
  block.context = &context;
  block.device = context.device;
  a.open.reserve(a.blocks.size());  // a signal handler opens blocks, and must not allocate
  return block;
}

void make_live(Block &block) {
  Opened opened;
  block.live = true;
  open_block(block);
  // The middle of what is huge is left alone, so that it costs nothing until it is used.
  fill_device(block.base, kRubbish, std::min(block.bytes, kFilled));
  if (block.bytes > kFilled) fill_device(block.base + block.bytes - kFilled, kRubbish, kFilled);
}

void remove_block(Block &block) {
  std::erase(arena().open, &block);
  protect(block, PROT_NONE);
  madvise(reinterpret_cast<void *>(first_page(block)), page_bytes(block), MADV_DONTNEED);
  arena().blocks.erase(block.base);
}

const std::map<CUdeviceptr, Block> &all_blocks() { return arena().blocks; }

uintptr_t arena_begin() { return arena().begin; }
size_t arena_bytes() { return kArenaBytes; }

bool reaches(const Context &context, const Block &block) {
  const int here = context.device->number;
  if (block.device->number == here) return true;
  return block.pool ? block.pool->access.count(here) != 0 : context.peers.count(block.device->number) != 0;
}

}  // namespace fake_cuda
