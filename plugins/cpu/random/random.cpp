// plugins/cpu/random/random.cpp -- checks a call of the slot `random` and passes it to its generator.
#include "plugins/cpu/random/random.h"

#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/random/random_elements.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/host/random_check.h"
#include "plugins/shared/random/pcg64.h"

namespace gpuopt::cpu {
namespace {

RandomDraw parameters(const gpuopt_call &call) {
  const plugin::RandomNeeds &needs = plugin::kRandomNeeds[call.ints[0]];
  RandomDraw draw{};
  for (int32_t i = 0; i < needs.nfloats; i++) draw.f[i] = call.floats[i];
  if (needs.nints > 1) {
    draw.low = call.ints[1];
    draw.span = static_cast<uint64_t>(call.ints[2]);
  }
  if (needs.ntensors > 1) {
    draw.table = call.tensors[1].data;
    draw.span = static_cast<uint64_t>(call.tensors[1].shape[0] - 1);
  }
  if (needs.ntensors > 2) draw.cdf = static_cast<const double *>(call.tensors[2].data);
  return draw;
}

struct Generator {
  const char *name;
  uint64_t state_bytes;
  bool (*offers)(const RandomLoops &loops, int64_t distribution, int32_t dtype);
  void (*draw)(const RandomJob &job, void *state);
};

constexpr Generator kPhilox = {
    "Philox", sizeof(gpuopt_philox_state),
    [](const RandomLoops &loops, int64_t distribution, int32_t dtype) {
      if (distribution == GPUOPT_RANDOM_PERMUTATION) return dtype == GPUOPT_INT64;
      return loops.philox[distribution][dtype] != nullptr;
    },
    [](const RandomJob &job, void *state) { draw_philox(job, *static_cast<gpuopt_philox_state *>(state)); }};

constexpr Generator kLegacy = {
    "RandomState", sizeof(gpuopt_mt19937_state),
    [](const RandomLoops &loops, int64_t distribution, int32_t dtype) {
      return loops.legacy[distribution][dtype].fill != nullptr;
    },
    [](const RandomJob &job, void *state) { draw_legacy(job, *static_cast<gpuopt_mt19937_state *>(state)); }};

constexpr Generator kPcg64 = {
    "PCG64", sizeof(gpuopt_pcg64_state),
    [](const RandomLoops &loops, int64_t distribution, int32_t dtype) {
      return loops.pcg64[distribution][dtype] != nullptr;
    },
    [](const RandomJob &job, void *state) { draw_pcg64(job, *static_cast<gpuopt_pcg64_state *>(state)); }};

const Generator *find_generator(int32_t kind) {
  switch (kind) {
    case GPUOPT_CALL_RANDOM_PHILOX:
      return &kPhilox;
    case GPUOPT_CALL_RANDOM_MT19937:
      return &kLegacy;
    case GPUOPT_CALL_RANDOM_PCG64:
      return &kPcg64;
    default:
      return nullptr;
  }
}

// Ends with a store fence. Streaming stores are not ordered with others, and the caller may tell other threads that the
// numbers are there.
struct StreamingStores {
  ~StreamingStores() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_sfence();
#endif
  }
};

}  // namespace

void run_random_at_level(const gpuopt_call &call, int level) {
  const Generator *const generator = find_generator(call.kind);
  if (!generator) fail(GPUOPT_ERR_UNSUPPORTED, "random: no generator %d", static_cast<int>(call.kind));
  if (!call.state || call.state_bytes != generator->state_bytes)
    fail(GPUOPT_ERR_INTERNAL, "random: the state of %s is not of %llu bytes", generator->name,
         static_cast<unsigned long long>(generator->state_bytes));
  if (call.ntensors < 1 || call.nints < 1)
    fail(GPUOPT_ERR_INTERNAL, "random: the output or the distribution is missing");
  const gpuopt_tensor &out = call.tensors[0];
  if (draws_by_element(call)) return size_of(out) ? draw_elements(call, size_of(out)) : void();
  const RandomLoops &loops = loop_table(level).random;
  const int64_t distribution = call.ints[0], element = element_size(out.dtype);
  const bool known = distribution >= 1 && distribution < kRandomDistributions && element > 0;
  if (!known || !generator->offers(loops, distribution, out.dtype))
    fail(GPUOPT_ERR_UNSUPPORTED, "random: %s does not draw distribution %lld as %s", generator->name,
         static_cast<long long>(distribution), dtype_name(out.dtype));
  const int64_t n = size_of(out);
  if (n == 0) return;
  if (const char *const bad = plugin::find_bad_argument(call)) fail(GPUOPT_ERR_INTERNAL, "random: %s", bad);
  const RandomJob job{loops, distribution, out.dtype, element, n, bytes_of(out), parameters(call)};
  const StreamingStores stores;
  generator->draw(job, call.state);
}

void run_random(const gpuopt_call &call) { run_random_at_level(call, isa_level()); }

void draw_pcg64(const RandomJob &job, gpuopt_pcg64_state &state) {
  const auto wide = [](const uint64_t *halves) { return gpo::u128(halves[1]) << 64 | halves[0]; };
  gpo::Pcg64 pcg{wide(state.state), wide(state.increment), static_cast<gpo::u32>(state.has_uint32), state.uinteger};
  job.write(0, job.n, [&](int64_t, int64_t count, char *to) {
    job.loops.pcg64[job.distribution][job.dtype](job.draw, pcg, count, to);
  });
  state.state[0] = static_cast<uint64_t>(pcg.state);
  state.state[1] = static_cast<uint64_t>(pcg.state >> 64);
}

}  // namespace gpuopt::cpu
