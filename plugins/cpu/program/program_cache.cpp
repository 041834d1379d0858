// plugins/cpu/program/program_cache.cpp -- see program_cache.h.
#include "plugins/cpu/program/program_cache.h"

#include <memory>
#include <new>

#include "plugins/cpu/program/thread_kept.h"
#include "plugins/cpu/program/tier_up.h"

namespace gpuopt::cpu {
namespace {

// Returns the only cache entry of this thread that may hold the plan of a program with this key (the cache is
// direct-mapped); NULL if there is no memory for the cache.
std::unique_ptr<Plan> *place_of(uint64_t key) noexcept {
  ThreadKept *const kept = ThreadKept::mine();
  return kept ? &kept->plans[(key ^ key >> 32) % ThreadKept::kPlans] : nullptr;
}

}  // namespace

const Plan *find_plan(const gpuopt_program &program, int level, plugin::ProgramError &error) noexcept try {
  std::unique_ptr<Plan> *const place = place_of(program.key);
  if (!place) throw std::bad_alloc();
  if (*place && (*place)->fits(program, level)) return place->get();
  auto plan = std::make_unique<Plan>();
  error = make_plan(program, level, *plan);
  if (error.code != GPUOPT_OK) return nullptr;
  plan->tier = tier_of(*plan);
  *place = std::move(plan);
  return place->get();
} catch (const std::bad_alloc &) {
  error = {GPUOPT_ERR_OUT_OF_MEMORY, "no memory for a plan", 0};
  return nullptr;
}

}  // namespace gpuopt::cpu
