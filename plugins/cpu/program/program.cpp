// plugins/cpu/program/program.cpp -- see program.h.
#include "plugins/cpu/program/program.h"

#include <cstdlib>

#include "plugins/cpu/program/program_cache.h"
#include "plugins/cpu/program/program_run.h"
#include "plugins/cpu/runtime/cpuid.h"

namespace gpuopt::cpu {
namespace {

gpuopt_status malformed(const gpuopt_host_api *host, gpuopt_error *error, const char *what) {
  return host->fail(error, GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, "malformed program: %s", what);
}

bool run_by_kind(Run &run, const gpuopt_host_api *host) {
  switch (run.plan->kind) {
    case PlanKind::kElementwise:
      return run_elementwise(run, host);
    case PlanKind::kReduction:
      return run_reduction(run, host);
    default:
      return run_scan(run, host);
  }
}

// Runs a checked program of this size. Returns false if there is no scratch memory.
bool run_planned(const gpuopt_program &program, const Plan &plan, const plugin::ProgramSize &size,
                 const gpuopt_host_api *host) {
  TierRun timed(plan, size.elements);
  bool done = false;
  if (!run_small(program, plan, timed.code(), size, host, done)) {
    Run run;
    run.compiled = timed.code();
    run.program = &program;
    run.plan = &plan;
    done = run_by_kind(run, host);
    ThreadScratch::trim();
  }
  if (done) timed.ends();
  return done;
}

}  // namespace

gpuopt_status run_program_at_level(const gpuopt_program &program, int level, const gpuopt_host_api *host,
                                   gpuopt_error *error) noexcept {
  if (const char *bad = plugin::find_bad_header(program)) return malformed(host, error, bad);
  plugin::ProgramError plan_error;
  const Plan *const plan = find_plan(program, level, plan_error);
  if (!plan) {
    return host->fail(error, plan_error.code, GPUOPT_REASON_NONE, 0, "cannot run a program: %s (step %d)",
                      plan_error.what, plan_error.step);
  }
  plugin::ProgramSize size;
  if (const char *bad = plugin::find_bad_shape(program, size)) return malformed(host, error, bad);
  const bool one_axis = program.reduced_axes != 0 && (program.reduced_axes & (program.reduced_axes - 1)) == 0;
  if (plan->kind == PlanKind::kScan && !one_axis) return malformed(host, error, "a SCAN runs along one axis");
  if (size.elements == 0 && (plan->kind != PlanKind::kReduction || size.kept == 0)) return GPUOPT_OK;
  if (const char *bad = plugin::find_bad_operands(program, plan->use)) return malformed(host, error, bad);
  const bool done = run_planned(program, *plan, size, host);
  if (!done)
    return host->fail(error, GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "no scratch memory for a program");
  return GPUOPT_OK;
}

gpuopt_status run_program(const gpuopt_program &program, const gpuopt_host_api *host, gpuopt_error *error) noexcept {
  return run_program_at_level(program, isa_level(), host, error);
}

}  // namespace gpuopt::cpu
