// plugins/cpu/program.cpp -- see program.h.
#include "plugins/cpu/program.h"

#include <cstdlib>

#include "plugins/cpu/cpuid.h"
#include "plugins/cpu/program_cache.h"
#include "plugins/cpu/program_run.h"

namespace gpuopt::cpu {
namespace {

// What is wrong with a program apart from its steps; NULL if nothing is.
const char *find_bad_header(const gpuopt_program &p) {
  if (p.struct_size < sizeof(gpuopt_program)) return "the struct is too short";
  if (p.flags != 0) return "unknown flags";
  if (p.ndim < 0 || p.ndim > GPUOPT_MAX_NDIM) return "ndim out of range";
  if (p.nsteps < 0 || p.nsteps > GPUOPT_PROGRAM_MAX_STEPS) return "too many steps";
  if (p.ninputs < 0 || p.ninputs > GPUOPT_PROGRAM_MAX_OPERANDS) return "too many inputs";
  if (p.noutputs < 0 || p.noutputs > GPUOPT_PROGRAM_MAX_OUTPUTS) return "too many outputs";
  if (p.nconstants < 0 || p.nconstants > GPUOPT_PROGRAM_MAX_CONSTANTS) return "too many constants";
  if (p.ndim < 64 && p.reduced_axes >> p.ndim != 0) return "a reduced axis is not a dimension";
  if ((p.ndim > 0 && !p.shape) || (p.nsteps > 0 && !p.steps) || (p.ninputs > 0 && !p.inputs) ||
      (p.noutputs > 0 && !p.outputs) || (p.nconstants > 0 && !p.constants)) {
    return "a table is missing";
  }
  return nullptr;
}

// Also finds the number of elements, and of those without the reduced axes.
const char *find_bad_shape(const gpuopt_program &p, int64_t &elements, int64_t &kept) {
  bool empty = false, empty_kept = false;
  for (int d = 0; d < p.ndim; d++) {
    if (p.shape[d] < 0) return "a dimension is negative";
    empty |= p.shape[d] == 0;
    empty_kept |= p.shape[d] == 0 && !(p.reduced_axes >> d & 1);
  }
  elements = empty ? 0 : 1;
  kept = empty_kept ? 0 : 1;
  for (int d = 0; d < p.ndim; d++) {
    const bool is_kept = !(p.reduced_axes >> d & 1);
    if ((!empty && __builtin_mul_overflow(elements, p.shape[d], &elements)) ||
        (!empty_kept && is_kept && __builtin_mul_overflow(kept, p.shape[d], &kept)))
      return "the shape has too many elements";
  }
  return nullptr;
}

const char *find_bad_operand(const gpuopt_program &p, const gpuopt_operand &operand, int dtype) {
  if (dtype == 0) return nullptr;
  if (operand.dtype != dtype) return "an operand has another dtype than its step";
  if (!operand.data || (p.ndim > 0 && !operand.strides)) return "an operand is missing";
  return nullptr;
}

// An element that several indices store to would keep whichever came last.
bool repeats_elements(const gpuopt_program &p, const gpuopt_operand &operand, bool full) {
  for (int d = 0; d < p.ndim; d++) {
    if (p.shape[d] > 1 && operand.strides[d] == 0 && (full || !(p.reduced_axes >> d & 1))) return true;
  }
  return false;
}

const char *find_bad_operands(const gpuopt_program &p, const Plan &plan) {
  for (int i = 0; i < p.ninputs; i++) {
    if (const char *bad = find_bad_operand(p, p.inputs[i], plan.input_dtype[i])) return bad;
  }
  for (int i = 0; i < p.noutputs; i++) {
    if (const char *bad = find_bad_operand(p, p.outputs[i], plan.output_dtype[i])) return bad;
    if (plan.output_dtype[i] && repeats_elements(p, p.outputs[i], plan.output_full[i]))
      return "an output repeats elements";
  }
  return nullptr;
}

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

// False: scratch memory could not be had.
bool run_planned(const gpuopt_program &program, const Plan &plan, int64_t elements, const gpuopt_host_api *host) {
  bool done;
  if (plan.kind == PlanKind::kElementwise && run_small(program, plan.full_passes[0], elements, host, done)) return done;
  Run run;
  run.program = &program;
  run.plan = &plan;
  done = run_by_kind(run, host);
  Scratch::trim();
  return done;
}

}  // namespace

gpuopt_status run_program_at_level(const gpuopt_program &program, int level, const gpuopt_host_api *host,
                                   gpuopt_error *error) noexcept {
  if (const char *bad = find_bad_header(program)) return malformed(host, error, bad);
  PlanError plan_error;
  const Plan *const plan = find_plan(program, level, plan_error);
  if (!plan) {
    return host->fail(error, plan_error.code, GPUOPT_REASON_NONE, 0, "cannot run a program: %s (step %d)",
                      plan_error.what, plan_error.step);
  }
  int64_t elements, kept;
  if (const char *bad = find_bad_shape(program, elements, kept)) return malformed(host, error, bad);
  const bool one_axis = program.reduced_axes != 0 && (program.reduced_axes & (program.reduced_axes - 1)) == 0;
  if (plan->kind == PlanKind::kScan && !one_axis) return malformed(host, error, "a SCAN runs along one axis");
  if (elements == 0 && (plan->kind != PlanKind::kReduction || kept == 0)) return GPUOPT_OK;
  if (const char *bad = find_bad_operands(program, *plan)) return malformed(host, error, bad);
  const bool done = run_planned(program, *plan, elements, host);
  if (!done)
    return host->fail(error, GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "no scratch memory for a program");
  return GPUOPT_OK;
}

gpuopt_status run_program(const gpuopt_program &program, const gpuopt_host_api *host, gpuopt_error *error) noexcept {
  return run_program_at_level(program, isa_level(), host, error);
}

}  // namespace gpuopt::cpu
