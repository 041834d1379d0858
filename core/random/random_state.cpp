// core/random/random_state.cpp -- gpuopt_random_state_*: the random numbers of numpy.random.RandomState, by MT19937.
#include <algorithm>

#include "core/engine/record.h"
#include "core/random/random.h"

using namespace gpuopt;

namespace gpuopt {
namespace {

// init_genrand() of mt19937ar (Matsumoto and Nishimura, 2002). The multiplier is Knuth's.
gpuopt_mt19937_state seeded(uint32_t seed) {
  gpuopt_mt19937_state s{};
  s.key[0] = seed;
  for (uint32_t k = 1; k < 624; ++k) s.key[k] = 1812433253u * (s.key[k - 1] ^ (s.key[k - 1] >> 30)) + k;
  s.pos = 624;
  return s;
}

// Advances k to the next word of the key. Behind the last word the first becomes a copy of it, and k is 1 again.
void advance(gpuopt_mt19937_state &s, uint32_t &k) {
  if (++k < 624) return;
  s.key[0] = s.key[623];
  k = 1;
}

// init_by_array() of the same source.
gpuopt_mt19937_state seeded_by_array(uint32_t count, const uint32_t *seeds) {
  gpuopt_mt19937_state s = seeded(19650218u);
  uint32_t k = 1;
  const auto mixed = [&](uint32_t factor) { return s.key[k] ^ ((s.key[k - 1] ^ (s.key[k - 1] >> 30)) * factor); };
  for (uint32_t round = 0; round < std::max(624u, count); ++round) {
    s.key[k] = mixed(1664525u) + seeds[round % count] + round % count;
    advance(s, k);
  }
  for (uint32_t round = 0; round < 623; ++round) {
    s.key[k] = mixed(1566083941u) - k;
    advance(s, k);
  }
  s.key[0] = 0x80000000u;
  return s;
}

void create(gpuopt_device device, const gpuopt_mt19937_state &seed, gpuopt_random_state *state) {
  if (!state) fail(GPUOPT_ERR_INVALID_ARGUMENT, "random_state_create: the result pointer is NULL");
  *state = new gpuopt_random_state_s{&deref(device, "random_state_create"), seed};
}

// Puts the rows of x (along axis 0) in random order, in place.
void shuffle(gpuopt_random_state_s &s, gpuopt_array x) {
  if (deref_strong(x, "random_state_shuffle").read_only)
    fail(GPUOPT_ERR_READ_ONLY, "random_state_shuffle: the array is read-only");
  if (x->device() != s.device)
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "random_state_shuffle: the generator is on %s, the array on %s",
         s.device->name.c_str(), x->device()->name.c_str());
  if (x->ndim && !x->size) return;  // as in NumPy, rows without elements are not shuffled, and nothing is drawn
  record_assign(x, random::permutation(s.stream(), "random_state_shuffle", 0, x).get());
}

}  // namespace

gpuopt_random_state_s &random::checked(gpuopt_random_state state) {
  if (!state) fail(GPUOPT_ERR_INVALID_ARGUMENT, "random_state: the state is NULL");
  return *state;
}

}  // namespace gpuopt

using random::checked;

extern "C" {

gpuopt_status gpuopt_random_state_create(gpuopt_device device, uint32_t seed, gpuopt_random_state *state,
                                         gpuopt_error *error) {
  if (state) *state = nullptr;
  return guarded(error, [&] { create(device, seeded(seed), state); });
}

gpuopt_status gpuopt_random_state_create_array(gpuopt_device device, int32_t count, const uint32_t *seeds,
                                               gpuopt_random_state *state, gpuopt_error *error) {
  if (state) *state = nullptr;
  return guarded(error, [&] {
    if (count <= 0 || !seeds)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "random_state_create_array: %d seeds, or seeds is NULL", count);
    create(device, seeded_by_array(static_cast<uint32_t>(count), seeds), state);
  });
}

void gpuopt_random_state_release(gpuopt_random_state state) { delete state; }

gpuopt_status gpuopt_random_state_seed(gpuopt_random_state state, uint32_t seed, gpuopt_error *error) {
  return guarded(error, [&] { checked(state).state = seeded(seed); });
}

gpuopt_status gpuopt_random_state_random_sample(gpuopt_random_state state, int32_t ndim, const int64_t *shape,
                                                gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::uniform(checked(state).stream(), "random_sample", 0, 1, GPUOPT_FLOAT64, ndim, shape);
  });
}

gpuopt_status gpuopt_random_state_uniform(gpuopt_random_state state, double low, double high, int32_t ndim,
                                          const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::uniform(checked(state).stream(), "random_state_uniform", low, high, GPUOPT_FLOAT64, ndim, shape);
  });
}

gpuopt_status gpuopt_random_state_normal(gpuopt_random_state state, double loc, double scale, int32_t ndim,
                                         const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::normal(checked(state).stream(), "random_state_normal", loc, scale, GPUOPT_FLOAT64, ndim, shape);
  });
}

gpuopt_status gpuopt_random_state_randint(gpuopt_random_state state, int64_t low, int64_t high, gpuopt_dtype dtype,
                                          int32_t ndim, const int64_t *shape, gpuopt_array *result,
                                          gpuopt_error *error) {
  return giving(result, error, [&] {
    if (low >= high) fail(GPUOPT_ERR_INVALID_ARGUMENT, "random_state_randint: low >= high");
    return random::integers(checked(state).stream(), "random_state_randint", low, high - 1, dtype, ndim, shape);
  });
}

gpuopt_status gpuopt_random_state_choice(gpuopt_random_state state, gpuopt_array a, int32_t ndim, const int64_t *shape,
                                         int32_t replace, gpuopt_array p, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::choice(checked(state).stream(), "random_state_choice", {a, p, replace != 0, ndim, shape});
  });
}

gpuopt_status gpuopt_random_state_shuffle(gpuopt_random_state state, gpuopt_array x, gpuopt_error *error) {
  return guarded(error, [&] { shuffle(checked(state), x); });
}

gpuopt_status gpuopt_random_state_permutation(gpuopt_random_state state, int64_t n, gpuopt_array a,
                                              gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error,
                [&] { return random::permutation(checked(state).stream(), "random_state_permutation", n, a); });
}

}  // extern "C"
