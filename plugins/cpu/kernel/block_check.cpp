// plugins/cpu/kernel/block_check.cpp -- see block_check.h.
#include "plugins/cpu/kernel/block_check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

#include "plugins/cpu/code/leaf_scope.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/kernel_next.h"

namespace gpuopt::cpu {
namespace {

constexpr size_t kMostGroups = 3;

GPUOPT_IN_EVERY_THREAD thread_local BlockCheck *current_check = nullptr;

[[noreturn]] void report(const std::string &finding) {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0, finding};
}

std::string number(uint64_t n) { return std::to_string(n); }

std::string hexadecimal(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", mask);
  return text;
}

// A fault in here counts as a fault of the kernel, whose address this is.
bool is_same(const void *address, const void *value, uint64_t bytes) {
  const LeafScope scope;
  return std::memcmp(address, value, bytes) == 0;
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
  BlockCheck &check = *current_check;
  if (check.found_) return 1;
  try {
    check.at(*static_cast<const BlockThread *>(thread), static_cast<const char *>(address), bytes, value, *site);
    return 0;
  } catch (...) {  // no exception passes through compiled kernels
    check.found_ = std::current_exception();
    return 1;
  }
}

void forget_accesses(const void *memory, uint64_t bytes) noexcept {
  if (!current_check || !memory) return;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  current_check->order_.forget(begin, begin + bytes);
  current_check->races_.forget(begin, begin + bytes);
}

BlockCheck::BlockCheck(const gpuopt_kernel_launch &launch) : launch_(launch) {
  current_check = this;
  const auto *const memory = plugin::on_chain<gpuopt_kernel_memory>(launch.next, GPUOPT_KERNEL_NEXT_MEMORY);
  if (memory) ranges_ = memory->ranges;
}

BlockCheck::~BlockCheck() { current_check = nullptr; }

void BlockCheck::begin_block(const Block &block) {
  block_ = block;
  waits_.assign(block.threads.size(), nullptr);
  returned_.assign(block.threads.size(), 0);
  written_.assign(block.shared_bytes, 0);
  unwritten_.clear();
  const auto begin = reinterpret_cast<uintptr_t>(block.shared);
  order_.forget(begin, begin + block.shared_bytes);
  races_.forget(begin, begin + block.shared_bytes);
  order_.begin_block(static_cast<uint32_t>(block.number), block.threads.size());
}

void BlockCheck::stop_if_found() const {
  if (found_) std::rethrow_exception(found_);
}

void BlockCheck::end_block() {
  stop_if_found();
  if (!unwritten_.empty()) report(unwritten_);
}

void BlockCheck::at(const BlockThread &thread, const char *address, uint64_t bytes, const void *value,
                    const Site &site) {
  if (site.kind & GPUOPT_SITE_WAIT) return wait(thread, site);
  if (site.kind & GPUOPT_SITE_FENCE) return order_.fence(thread.number);
  if (site.kind & GPUOPT_SITE_LANE) return read_lane(thread, address, site);
  if (site.kind & GPUOPT_SITE_RETURN) {
    returned_[thread.number] = 1;
    return;
  }
  if (bytes) access(thread, address, bytes, value, site);
}

// ---- Accesses ----

void BlockCheck::access(const BlockThread &thread, const char *address, uint64_t bytes, const void *value,
                        const Site &site) {
  check_bounds(thread, address, bytes, static_cast<const char *>(value), site);
  if (is_own(address)) return;
  const bool shared = is_shared(address), changes = !value || !is_same(address, value, bytes);
  const auto where = reinterpret_cast<uintptr_t>(address);
  const RaceShadow::Race race = races_.access(thread.number, where, bytes, &site, changes, shared);
  if (race.found) report_race(thread, address, bytes, site, race);
  if (shared) note_written(thread, address, bytes, site);
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

// A read of a struct includes the padding between its members. A read of many bytes is therefore correct if any of them
// has been written.
void BlockCheck::note_written(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site) {
  constexpr uint64_t kMostOfANumber = 16;
  const auto begin = written_.begin() + (address - block_.shared), end = begin + static_cast<std::ptrdiff_t>(bytes);
  if (site.kind & GPUOPT_SITE_READ && unwritten_.empty()) {
    const bool all = std::find(begin, end, 0) == end, any = std::find(begin, end, 1) != end;
    if (!(bytes > kMostOfANumber ? any : all))
      unwritten_ = "uninitialized: " + name(block_.number, thread.number) + " " + verb(site, false) + " " +
                   what(address, bytes, site) + line(site) + ", which no thread of its block has written";
  }
  if (site.kind & GPUOPT_SITE_WRITE) std::fill(begin, end, 1);
}

void BlockCheck::read_lane(const BlockThread &thread, const char *address, const Site &site) const {
  const auto *const first = reinterpret_cast<const char *>(&block_.threads.front().exchange);
  const auto other = static_cast<size_t>((address - first) / static_cast<std::ptrdiff_t>(sizeof(BlockThread)));
  if (other >= block_.threads.size() || other == thread.number) return;
  const bool named = thread.mask >> other % kWarp & 1;
  const bool gone = named && !*static_cast<void *const *>(block_.threads[other].frame);
  if (named && !gone) return;
  report("inactive lane: " + name(block_.number, thread.number) + " reads in " + site.name + line(site) +
         " the value of lane " + number(other % kWarp) + ", " +
         (gone ? "which has returned" : "which is not in its mask " + hexadecimal(thread.mask)));
}

BlockCheck::Extent BlockCheck::extent_of(const char *address, const char *base, const Site &site) const {
  if (site.kind & GPUOPT_SITE_LOCAL) return {base, site.bytes};
  if (site.kind & GPUOPT_SITE_ARGUMENT) {
    const bool known = ranges_ && site.begin < static_cast<uint64_t>(launch_.narguments) && ranges_[site.begin].bytes;
    return known ? Extent{static_cast<const char *>(ranges_[site.begin].begin), ranges_[site.begin].bytes} : Extent{};
  }
  if (site.bytes != 0) return {block_.shared + site.begin, size_of(site)};
  return is_shared(address) ? Extent{block_.shared, block_.shared_bytes} : Extent{};
}

// Checks the bounds of the array, or, if it is not known, those of the block's shared memory.
void BlockCheck::check_bounds(const BlockThread &thread, const char *address, uint64_t bytes, const char *base,
                              const Site &site) const {
  const Extent extent = extent_of(address, base, site);
  if (!extent.begin) return;
  const int64_t offset = address - extent.begin;
  const auto place = static_cast<uint64_t>(offset);
  if (offset >= 0 && place <= extent.bytes && bytes <= extent.bytes - place) return;
  const std::string of = *site.name ? site.name : site.kind & GPUOPT_SITE_LOCAL ? "a local variable" : "shared memory";
  report("out of bounds: " + name(block_.number, thread.number) + " " + verb(site, false) + " " + number(bytes) +
         (bytes == 1 ? " byte" : " bytes") + " at byte " + std::to_string(offset) + " of " + of + ", which has " +
         number(extent.bytes) + " bytes" + line(site));
}

std::string BlockCheck::what(const char *address, uint64_t bytes, const Site &site) const {
  const bool argument = site.kind & GPUOPT_SITE_ARGUMENT, known = site.bytes != 0, shared = known || is_shared(address);
  const std::string name = *site.name && !argument ? site.name : shared ? "shared memory" : "global memory";
  const uint64_t begin = argument ? 0 : site.begin;
  const std::string at = shared ? " at byte " + std::to_string(address - (block_.shared + begin)) : "";
  return number(bytes) + (bytes == 1 ? " byte" : " bytes") + at + " of " + name;
}

void BlockCheck::report_race(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site,
                             const RaceShadow::Race &race) const {
  const Access &with = race.with;
  const bool is_volatile = site.kind & GPUOPT_SITE_VOLATILE && with.is_volatile();
  const char *const lockstep =
      is_volatile ? ": volatile does not, lanes of a warp need __syncwarp() between a write and a read" : "";
  report("data race: " + name(block_.number, thread.number) + " " + verb(site, false) + " " +
         what(address, bytes, site) + line(site) + ", " + name(with.block, with.thread) + " " + verb(*with.site, true) +
         " them" + line(*with.site) + ", and nothing orders the two" + lockstep);
}

std::string BlockCheck::name(uint64_t block, size_t thread) const {
  return "thread " + indices_text(launch_.block, thread) + " of block " + indices_text(launch_.grid, block);
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

// Every thread that does not wait must have returned by a return statement.
void BlockCheck::check_ended(size_t waiter, const std::vector<uint8_t> &waiting) const {
  for (size_t k = 0; k < waiting.size(); k++) {
    if (waiting[k] || returned_[k]) continue;
    report("divergent barrier: " + name(block_.number, waiter) + " waits in " + waits(waiter) + ", " +
           name(block_.number, k) + " has come to the end of the kernel without");
  }
}

void BlockCheck::meet_block(const std::vector<uint8_t> &waiting) {
  if (!unwritten_.empty()) report(unwritten_);
  size_t first = waiting.size();
  for (size_t k = 0; k < waiting.size(); k++) {
    if (!waiting[k]) continue;
    if (first == waiting.size()) first = k;
    if (waits_[k] != waits_[first])
      report("divergent barrier: " + name(block_.number, first) + " waits in " + waits(first) + ", " +
             name(block_.number, k) + " in " + waits(k));
  }
  if (first < waiting.size()) check_ended(first, waiting);
  order_.meet_block();
}

// Only __syncwarp() orders the accesses of lanes to memory; shuffles and votes do not ("Warp Shuffle Functions" in the
// CUDA C++ Programming Guide).
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

// Reports two lanes of a warp that are in each other's masks, if these differ.
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

// No thread can go on. Reports the places where threads wait, with the first thread of each.
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
  std::string text = "deadlock in block " + indices_text(launch_.grid, block_.number) + ":";
  for (size_t g = 0; g < groups.size() && g < kMostGroups; g++) {
    const std::vector<size_t> &group = groups[g];
    text += std::string(g ? "; " : " ") + "thread " + indices_text(launch_.block, group[0]) +
            (group.size() > 1 ? " and " + number(group.size() - 1) + " more wait in " : " waits in ") + waits(group[0]);
  }
  if (groups.size() > kMostGroups) text += "; others wait elsewhere";
  report(text);
}

}  // namespace gpuopt::cpu
