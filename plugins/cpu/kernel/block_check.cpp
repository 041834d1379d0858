// plugins/cpu/block_check.cpp -- see block_check.h.
#include "plugins/cpu/block_check.h"

#include <cstdio>
#include <cstring>
#include <functional>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {
namespace {

constexpr size_t kWarp = 32, kMostGroups = 3;

thread_local BlockCheck *current = nullptr;

[[noreturn]] void report(const std::string &finding) {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0, finding};
}

std::string number(uint64_t n) { return std::to_string(n); }

std::string triple(uint64_t x, uint64_t y, uint64_t z) {
  return "(" + number(x) + ", " + number(y) + ", " + number(z) + ")";
}

std::string place(const uint32_t (&sizes)[3], uint64_t k) {
  return triple(k % sizes[0], k / sizes[0] % sizes[1], k / sizes[0] / sizes[1]);
}

std::string hexadecimal(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", mask);
  return text;
}

std::string line(const gpuopt_check_site &site) { return " (line " + number(site.line) + ")"; }

const char *verb(const gpuopt_check_site &site, bool past) {
  switch (site.kind & (GPUOPT_SITE_READ | GPUOPT_SITE_WRITE)) {
    case GPUOPT_SITE_READ:
      return past ? "read" : "reads";
    case GPUOPT_SITE_WRITE:
      return past ? "wrote" : "writes";
    default:
      return past ? "updated" : "updates";
  }
}

}  // namespace

int32_t check_thread(void *thread, const void *address, uint64_t bytes, const void *value,
                     const gpuopt_check_site *site) noexcept {
  BlockCheck &check = *current;
  if (check.found_) return 1;
  try {
    check.at(*static_cast<const BlockThread *>(thread), static_cast<const char *>(address), bytes, value, *site);
    return 0;
  } catch (...) {  // no exception passes through compiled kernels
    check.found_ = std::current_exception();
    return 1;
  }
}

BlockCheck::BlockCheck(const gpuopt_kernel_launch &launch) : launch_(launch) { current = this; }

BlockCheck::~BlockCheck() { current = nullptr; }

void BlockCheck::begin_block(const Block &block) {
  block_ = block;
  waits_.assign(block.threads.size(), nullptr);
  const auto begin = reinterpret_cast<uintptr_t>(block.shared);
  order_.forget(begin, begin + block.shared_bytes);
  races_.forget(begin, begin + block.shared_bytes);
  order_.begin_block(static_cast<uint32_t>(block.number), block.threads.size());
}

void BlockCheck::stop_if_found() const {
  if (found_) std::rethrow_exception(found_);
}

void BlockCheck::at(const BlockThread &thread, const char *address, uint64_t bytes, const void *value,
                    const Site &site) {
  if (site.kind & GPUOPT_SITE_WAIT) return wait(thread, site);
  if (site.kind & GPUOPT_SITE_FENCE) return order_.fence(thread.number);
  if (bytes) access(thread, address, bytes, value, site);
}

// ---- Accesses ----

void BlockCheck::access(const BlockThread &thread, const char *address, uint64_t bytes, const void *value,
                        const Site &site) {
  check_bounds(thread, address, bytes, site);
  if (is_own(address)) return;
  const bool changes = !value || std::memcmp(address, value, bytes) != 0;
  const auto where = reinterpret_cast<uintptr_t>(address);
  const RaceShadow::Race race = races_.access(thread.number, where, bytes, &site, changes);
  if (race.found) report_race(thread, address, bytes, site, race);
  if (site.kind & GPUOPT_SITE_STRONG)
    order_.strong_access(thread.number, where, site.kind & GPUOPT_SITE_READ, site.kind & GPUOPT_SITE_WRITE);
}

uint64_t BlockCheck::size_of(const Site &site) const {
  if (site.bytes == GPUOPT_SITE_ANY_SHARED) return block_.shared_bytes;
  return site.bytes == GPUOPT_SITE_DYNAMIC ? launch_.shared_bytes : site.bytes;
}

bool BlockCheck::is_shared(const char *address) const {
  return std::greater_equal<>()(address, block_.shared) && std::less<>()(address, block_.shared + block_.shared_bytes);
}

bool BlockCheck::is_own(const char *address) const {
  const auto within = [&](const void *begin, const void *end) {
    return std::greater_equal<const void *>()(address, begin) && std::less<const void *>()(address, end);
  };
  const char *const frames = block_.frames.data(), *const threads =
                                                       reinterpret_cast<const char *>(&*block_.threads.begin());
  return within(frames, frames + block_.frames.size()) || within(threads, threads + block_.threads.size_bytes()) ||
         within(__builtin_frame_address(0), block_.stack_top);
}

// Where the array is known its own bounds count; else where the block's memory ends.
void BlockCheck::check_bounds(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site) const {
  const bool known = site.bytes != 0;
  if (!known && !is_shared(address)) return;
  const uint64_t size = known ? size_of(site) : block_.shared_bytes;
  const int64_t offset = address - (block_.shared + (known ? site.begin : 0));
  if (offset >= 0 && static_cast<uint64_t>(offset) <= size && bytes <= size - static_cast<uint64_t>(offset)) return;
  report("out of bounds: " + name(block_.number, thread.number) + " " + verb(site, false) + " " +
         what(address, bytes, site) + ", which has " + number(size) + " bytes" + line(site));
}

std::string BlockCheck::what(const char *address, uint64_t bytes, const Site &site) const {
  const bool known = site.bytes != 0, shared = known || is_shared(address);
  const std::string name = *site.name ? site.name : shared ? "shared memory" : "global memory";
  const std::string at = shared ? " at byte " + std::to_string(address - (block_.shared + site.begin)) : "";
  return number(bytes) + (bytes == 1 ? " byte" : " bytes") + at + " of " + name;
}

void BlockCheck::report_race(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site,
                             const RaceShadow::Race &race) const {
  const Access &with = race.with;
  report("data race: " + name(block_.number, thread.number) + " " + verb(site, false) + " " +
         what(address, bytes, site) + line(site) + ", " + name(with.block, with.thread) + " " + verb(*with.site, true) +
         " them" + line(*with.site) + ", and nothing orders the two");
}

std::string BlockCheck::name(uint64_t block, size_t thread) const {
  return "thread " + place(launch_.block, thread) + " of block " + place(launch_.grid, block);
}

// ---- Waiting ----

std::string BlockCheck::waits(size_t thread) const {
  const BlockThread &t = block_.threads[thread];
  const std::string mask = t.waits_for == kWaitsForWarp ? " with mask " + hexadecimal(t.mask) : "";
  return waits_[thread]->name + mask + line(*waits_[thread]);
}

void BlockCheck::wait(const BlockThread &thread, const Site &site) {
  waits_[thread.number] = &site;
  if (thread.waits_for == kWaitsForWarp && !(thread.mask >> thread.number % kWarp & 1))
    report("wrong mask: " + name(block_.number, thread.number) + " is not in the mask of its own " +
           waits(thread.number) + ", being lane " + number(thread.number % kWarp));
}

void BlockCheck::meet_block(const std::vector<uint8_t> &waiting) {
  size_t first = waiting.size();
  for (size_t k = 0; k < waiting.size(); k++) {
    if (!waiting[k]) continue;
    if (first == waiting.size()) first = k;
    if (waits_[k] != waits_[first])
      report("divergent barrier: " + name(block_.number, first) + " waits in " + waits(first) + ", " +
             name(block_.number, k) + " in " + waits(k));
  }
  order_.meet_block();
}

// Only __syncwarp() orders what lanes did to memory; shuffles and votes do not ("Warp Shuffle Functions" in the CUDA
// C++ Programming Guide).
void BlockCheck::meet_warp(size_t thread, const std::vector<uint8_t> &waiting) {
  const size_t begin = thread / kWarp * kWarp;
  const uint32_t mask = block_.threads[thread].mask;
  uint32_t lanes = 0;
  for (size_t lane = 0; lane < kWarp && begin + lane < waiting.size(); lane++) {
    const size_t other = begin + lane;
    if (!(mask >> lane & 1) || !waiting[other]) continue;
    lanes |= 1u << lane;
    if (std::strcmp(waits_[other]->name, waits_[thread]->name) != 0)
      report("divergent warp: " + name(block_.number, thread) + " waits in " + waits(thread) + ", " +
             name(block_.number, other) + " in " + waits(other));
  }
  if (std::strcmp(waits_[thread]->name, "__syncwarp") == 0) order_.meet_warp(begin, lanes);
}

// Two lanes of a warp that name each other in different masks.
void BlockCheck::check_masks(const std::vector<uint8_t> &waiting) const {
  const auto is_lane = [&](size_t k) { return waiting[k] && block_.threads[k].waits_for == kWaitsForWarp; };
  const auto names = [&](size_t k, size_t other) { return block_.threads[k].mask >> other % kWarp & 1; };
  for (size_t a = 0; a < waiting.size(); a++) {
    for (size_t b = a + 1; b < waiting.size() && b / kWarp == a / kWarp; b++) {
      if (!is_lane(a) || !is_lane(b) || !names(a, b) || !names(b, a)) continue;
      if (block_.threads[a].mask == block_.threads[b].mask) continue;
      report("different masks: " + name(block_.number, a) + " waits in " + waits(a) + ", " + name(block_.number, b) +
             " in " + waits(b));
    }
  }
}

bool BlockCheck::waits_alike(size_t a, size_t b) const {
  const BlockThread &x = block_.threads[a], &y = block_.threads[b];
  return waits_[a] == waits_[b] && x.waits_for == y.waits_for && (x.waits_for == kWaitsForBlock || x.mask == y.mask);
}

// Nobody can go on: who waits where, of each place the first thread.
void BlockCheck::report_deadlock(const std::vector<uint8_t> &waiting) {
  check_masks(waiting);
  std::vector<std::vector<size_t>> groups;
  for (size_t k = 0; k < waiting.size(); k++) {
    if (!waiting[k]) continue;
    size_t g = 0;
    while (g < groups.size() && !waits_alike(groups[g][0], k)) g++;
    if (g == groups.size()) groups.emplace_back();
    groups[g].push_back(k);
  }
  std::string text = "deadlock in block " + place(launch_.grid, block_.number) + ":";
  for (size_t g = 0; g < groups.size() && g < kMostGroups; g++) {
    const std::vector<size_t> &group = groups[g];
    text += std::string(g ? "; " : " ") + "thread " + place(launch_.block, group[0]) +
            (group.size() > 1 ? " and " + number(group.size() - 1) + " more wait in " : " waits in ") + waits(group[0]);
  }
  if (groups.size() > kMostGroups) text += "; others wait elsewhere";
  report(text);
}

}  // namespace gpuopt::cpu
