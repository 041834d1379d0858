// plugins/cuda/library/random.cpp -- the slot random: Philox on the device.
//
// MT19937 and PCG64 are sequences, which no device draws faster than a processor: they are ERR_UNSUPPORTED here, and
// the host draws them with the CPU backend and copies the numbers.
#include <gpuopt/random_call.h>

#include <bit>

#include "plugins/cuda/library/library.h"
#include "plugins/cuda/library/permutation.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/host/random_check.h"
#include "plugins/shared/random/random_philox.h"

namespace gpuopt::cuda {
namespace {

// A distribution of random_philox.h as a kernel names it.
struct Distribution {
  std::string type;
  uint64_t parameters[2] = {};
  int64_t block_values = 0;  // elements drawn from one block of Philox
};

// Returns the bits of a parameter in the type in which `dtype` is computed, double or float.
uint64_t real_word(int32_t dtype, double value) noexcept {
  if (dtype == GPUOPT_FLOAT64) return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

Distribution floating(const char *name, const gpuopt_call &call) {
  const int32_t dtype = call.tensors[0].dtype;
  Distribution made{std::string("gpo::") + name + "<" + element_type(dtype) + ">", {}, dtype == GPUOPT_FLOAT64 ? 2 : 4};
  const int32_t n = plugin::kRandomNeeds[call.ints[0]].nfloats;
  for (int32_t i = 0; i < n; i++) made.parameters[i] = real_word(dtype, call.floats[i]);
  return made;
}

// Fill in the type and the second parameter of an integer distribution.
void describe(const gpo::PhiloxIntegerPower<gpo::i64, gpo::u32> &d, const std::string &type, Distribution &made) {
  made.type = "gpo::PhiloxIntegerPower<" + type + ",gpo::u32>", made.parameters[1] = d.shift;
}
void describe(const gpo::PhiloxIntegerPower<gpo::i64, gpo::u64> &d, const std::string &type, Distribution &made) {
  made.type = "gpo::PhiloxIntegerPower<" + type + ",gpo::u64>", made.parameters[1] = d.shift;
}
void describe(const gpo::PhiloxInteger32<gpo::i64> &d, const std::string &type, Distribution &made) {
  made.type = "gpo::PhiloxInteger32<" + type + ">", made.parameters[1] = d.range;
}
void describe(const gpo::PhiloxInteger64<gpo::i64> &d, const std::string &type, Distribution &made) {
  made.type = "gpo::PhiloxInteger64<" + type + ">", made.parameters[1] = d.range;
}

// Returns the distribution of the integers low .. low + span of `dtype`.
Distribution integers(int32_t dtype, int64_t low, uint64_t span) {
  Distribution made;
  gpo::philox_integers(gpo::i64{0}, span, [&](const auto &d) {
    describe(d, element_type(dtype), made);
    made.block_values = gpo::philox_block_values<std::decay_t<decltype(d)>>;
  });
  made.parameters[0] = static_cast<uint64_t>(low);
  return made;
}

KernelWords parameters_of(const gpuopt_call &call, const gpuopt_philox_state &state, const Distribution &d) {
  const gpuopt_tensor &out = call.tensors[0];
  return {static_cast<uint64_t>(size_of(out)),
          address_of(out),
          state.key,
          state.counter,
          state.stream,
          d.parameters[0],
          d.parameters[1]};
}

// Launches a kernel with one thread for each block of Philox.
void launch_blocks(const Work &work, const std::string &function, const KernelWords &parameters, int64_t blocks) {
  constexpr int64_t threads = 256;
  launch_library(work, "random.h", function, parameters, (blocks - 1) / threads + 1, threads);
}

Distribution distribution_of(const gpuopt_call &call) {
  const int32_t dtype = call.tensors[0].dtype;
  switch (call.ints[0]) {
    case GPUOPT_RANDOM_UNIFORM:
      return floating("PhiloxUniform", call);
    case GPUOPT_RANDOM_NORMAL:
      return floating("PhiloxNormal", call);
    case GPUOPT_RANDOM_EXPONENTIAL:
      return floating("PhiloxExponential", call);
    case GPUOPT_RANDOM_CHOICE:
      return integers(GPUOPT_INT64, 0, static_cast<uint64_t>(call.tensors[1].shape[0] - 1));
    case GPUOPT_RANDOM_CHOICE_CDF:
      return {"", {0, std::bit_cast<uint64_t>(1.0)}, 2};  // uniform in [0, 1)
    case GPUOPT_RANDOM_PERMUTATION:
      return {"", {}, 2};
    default:
      return integers(dtype, call.ints[1], static_cast<uint64_t>(call.ints[2]));
  }
}

// Returns whether this backend draws a distribution as `dtype`.
bool offers(int64_t distribution, int32_t dtype) noexcept {
  const char kind = dtype_kind(dtype);
  switch (distribution) {
    case GPUOPT_RANDOM_UNIFORM:
    case GPUOPT_RANDOM_NORMAL:
    case GPUOPT_RANDOM_EXPONENTIAL:
      return kind == 'f';
    case GPUOPT_RANDOM_INTEGERS:
      return kind == '?' || kind == 'i' || kind == 'u';
    case GPUOPT_RANDOM_CHOICE:
    case GPUOPT_RANDOM_CHOICE_CDF:
      return kind != 0;
    case GPUOPT_RANDOM_PERMUTATION:
      return dtype == GPUOPT_INT64;
    default:
      return false;
  }
}

// Draws into the call's output, and advances the state by the blocks that this takes.
void draw(const Work &work, const gpuopt_call &call, gpuopt_philox_state &state) {
  const gpuopt_tensor &out = call.tensors[0];
  const Distribution d = distribution_of(call);
  const int64_t n = size_of(out), blocks = (n - 1) / d.block_values + 1;
  const std::string type = element_type(out.dtype);
  KernelWords parameters = parameters_of(call, state, d);
  if (call.ints[0] == GPUOPT_RANDOM_PERMUTATION) {
    permute(work, state, address_of(out), n);
  } else if (call.ints[0] == GPUOPT_RANDOM_CHOICE) {
    parameters.add(static_cast<int64_t>(address_of(call.tensors[1])));
    launch_blocks(work, instance("philox_choice", {d.type, type}), parameters, blocks);
  } else if (call.ints[0] == GPUOPT_RANDOM_CHOICE_CDF) {
    parameters.add(static_cast<int64_t>(address_of(call.tensors[1])));
    parameters.add(static_cast<int64_t>(address_of(call.tensors[2]))).add(call.tensors[1].shape[0] - 1);
    launch_blocks(work, instance("philox_choice_cdf", {type}), parameters, blocks);
  } else {
    const bool aligned = address_of(out) % static_cast<uint64_t>(d.block_values * element_size(out.dtype)) == 0;
    launch_blocks(work, instance("philox_draw", {d.type, aligned ? "true" : "false"}), parameters, blocks);
  }
  state.counter += static_cast<uint64_t>(blocks);
}

}  // namespace

gpuopt_status slots::random(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                            gpuopt_error *) {
  const ContextScope context(*device);
  if (call->kind != GPUOPT_CALL_RANDOM_PHILOX)
    fail(GPUOPT_ERR_UNSUPPORTED, "random: the cuda backend has no generator %d", static_cast<int>(call->kind));
  if (!call->state || call->state_bytes != sizeof(gpuopt_philox_state))
    fail(GPUOPT_ERR_INTERNAL, "random: the state of Philox is not of %zu bytes", sizeof(gpuopt_philox_state));
  if (call->ntensors < 1 || call->nints < 1)
    fail(GPUOPT_ERR_INTERNAL, "random: the output or the distribution is missing");
  const gpuopt_tensor &out = call->tensors[0];
  if (!offers(call->ints[0], out.dtype))
    fail(GPUOPT_ERR_UNSUPPORTED, "random: the cuda backend does not draw distribution %lld as %s",
         static_cast<long long>(call->ints[0]), dtype_name(out.dtype));
  if (!size_of(out)) return GPUOPT_OK;
  if (const char *const bad = plugin::find_bad_argument(*call)) fail(GPUOPT_ERR_INTERNAL, "random: %s", bad);
  draw({*device, *stream, "random"}, *call, *static_cast<gpuopt_philox_state *>(call->state));
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda
