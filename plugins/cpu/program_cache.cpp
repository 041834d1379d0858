// plugins/cpu/program_cache.cpp -- see program_cache.h.
#include "plugins/cpu/program_cache.h"

#include <memory>
#include <new>

#include "plugins/cpu/tier_up.h"

namespace gpuopt::cpu {
namespace {

// Direct-mapped: a hash picks the one place where a plan may be.
constexpr size_t kPlaces = 64;

std::unique_ptr<Plan> &place_of(uint64_t key) {
  static thread_local std::unique_ptr<Plan> places[kPlaces];
  return places[(key ^ key >> 32) % kPlaces];
}

}  // namespace

const Plan *find_plan(const gpuopt_program &program, int level, plugin::ProgramError &error) noexcept try {
  std::unique_ptr<Plan> &place = place_of(program.key);
  if (place && place->fits(program, level)) return place.get();
  auto plan = std::make_unique<Plan>();
  error = make_plan(program, level, *plan);
  if (error.code != GPUOPT_OK) return nullptr;
  plan->tier = tier_of(*plan);
  place = std::move(plan);
  return place.get();
} catch (const std::bad_alloc &) {
  error = {GPUOPT_ERR_OUT_OF_MEMORY, "no memory for a plan", 0};
  return nullptr;
}

}  // namespace gpuopt::cpu
