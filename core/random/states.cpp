// core/random/states.cpp -- generators of PCG64: seeds, children, jumps; and the states of generators, in and out.
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/engine/engine.h"
#include "core/random/random.h"
#include "plugins/shared/random/pcg64.h"

namespace gpuopt::random {
namespace {

gpo::u128 wide(const uint64_t (&halves)[2]) { return gpo::u128(halves[1]) << 64 | halves[0]; }

void store(gpo::u128 value, uint64_t (&halves)[2]) {
  halves[0] = static_cast<uint64_t>(value);
  halves[1] = static_cast<uint64_t>(value >> 64);
}

// Returns the words that SeedSequence mixes: the entropy, filled up with zeros to the size of the pool if a spawn key
// follows, and the key.
std::vector<uint32_t> seed_words(const std::vector<uint32_t> &entropy, const std::vector<uint32_t> &spawn_key) {
  std::vector<uint32_t> words = entropy;
  if (!spawn_key.empty()) words.resize(std::max<size_t>(words.size(), 4));
  words.insert(words.end(), spawn_key.begin(), spawn_key.end());
  return words;
}

gpuopt_generator new_pcg64(gpuopt_device device, std::vector<uint32_t> entropy, std::vector<uint32_t> spawn_key) {
  const std::vector<uint32_t> words = seed_words(entropy, spawn_key);
  const gpo::Pcg64 pcg = gpo::pcg64_seed(words.data(), words.size());
  auto made = std::make_unique<gpuopt_generator_s>(
      gpuopt_generator_s{device, GPUOPT_CALL_RANDOM_PCG64, {}, {}, std::move(entropy), std::move(spawn_key)});
  store(pcg.state, made->pcg64.state);
  store(pcg.increment, made->pcg64.increment);
  return made.release();
}

gpuopt_generator_s &checked_pcg64(gpuopt_generator generator, const char *what) {
  gpuopt_generator_s &g = checked(generator);
  if (!g.is_pcg64()) fail(GPUOPT_ERR_UNSUPPORTED, "%s: the generator is not of PCG64", what);
  return g;
}

std::vector<uint32_t> checked_words(int32_t count, const uint32_t *words, const char *name) {
  constexpr int32_t most = 1 << 20;
  if (count < 0 || count > most || (count && !words)) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_create_pcg64: %d words of %s, not 0 to %d, or they are NULL", count,
         name, most);
  }
  return std::vector<uint32_t>(words, words + count);
}

// The child's key is the parent's with the child's number behind it: one word, or two if it has more bits.
gpuopt_generator spawn(gpuopt_generator_s &g) {
  std::vector<uint32_t> key = g.spawn_key;
  key.push_back(static_cast<uint32_t>(g.children));
  if (g.children >> 32) key.push_back(static_cast<uint32_t>(g.children >> 32));
  gpuopt_generator child = new_pcg64(g.device, g.entropy, std::move(key));
  ++g.children;
  return child;
}

// `steps` steps at once: F. Brown, "Random number generation with arbitrary strides", Transactions of the American
// Nuclear Society, 1994.
void advance(gpuopt_pcg64_state &state, gpo::u128 steps) {
  gpo::u128 factor = gpo::u128(2549297995355413924u) << 64 | 4865540595714422341u, term = wide(state.increment);
  gpo::u128 all_factors = 1, all_terms = 0;
  for (; steps; steps >>= 1) {
    if (steps & 1) {
      all_factors *= factor;
      all_terms = all_terms * factor + term;
    }
    term *= factor + 1;
    factor *= factor;
  }
  store(all_factors * wide(state.state) + all_terms, state.state);
  state.has_uint32 = 0;
  state.uinteger = 0;
}

void set_words(gpuopt_random_state_s &s, const gpuopt_mt19937_words *words) {
  if (!words) fail(GPUOPT_ERR_INVALID_ARGUMENT, "random_state_set_words: the words are NULL");
  const auto known = options_or_default(words, "random_state_set_words");
  if (known.position < 0 || known.position > 624)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "random_state_set_words: the position is %d, not 0 to 624", known.position);
  std::copy(std::begin(known.key), std::end(known.key), s.state.key);
  s.state.pos = known.position;
  s.state.has_gauss = known.has_gauss != 0;
  s.state.gauss = known.has_gauss ? known.gauss : 0;
}

void set_words(gpuopt_generator_s &g, const gpuopt_pcg64_words *words) {
  if (!words) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_set_words: the words are NULL");
  const auto known = options_or_default(words, "generator_set_words");
  if (!(known.increment[0] & 1)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_set_words: the increment is even");
  store(wide(known.state), g.pcg64.state);
  store(wide(known.increment), g.pcg64.increment);
  g.pcg64.has_uint32 = known.has_uint32 != 0;
  g.pcg64.uinteger = known.uinteger;
}

}  // namespace
}  // namespace gpuopt::random

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_generator_create_pcg64(gpuopt_device device, int32_t count, const uint32_t *entropy,
                                            int32_t spawn_count, const uint32_t *spawn_key, gpuopt_generator *generator,
                                            gpuopt_error *error) {
  if (generator) *generator = nullptr;
  return guarded(error, [&] {
    if (!generator) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_create_pcg64: the result pointer is NULL");
    *generator =
        random::new_pcg64(&deref(device, "generator_create_pcg64"), random::checked_words(count, entropy, "entropy"),
                          random::checked_words(spawn_count, spawn_key, "the spawn key"));
  });
}

gpuopt_status gpuopt_generator_spawn(gpuopt_generator generator, gpuopt_generator *child, gpuopt_error *error) {
  if (child) *child = nullptr;
  return guarded(error, [&] {
    if (!child) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_spawn: the result pointer is NULL");
    *child = random::spawn(random::checked_pcg64(generator, "generator_spawn"));
  });
}

gpuopt_status gpuopt_generator_advance(gpuopt_generator generator, uint64_t low, uint64_t high, gpuopt_error *error) {
  return guarded(error, [&] {
    random::advance(random::checked_pcg64(generator, "generator_advance").pcg64, gpo::u128(high) << 64 | low);
  });
}

gpuopt_status gpuopt_random_state_get_words(gpuopt_random_state state, gpuopt_mt19937_words *words,
                                            gpuopt_error *error) {
  return guarded(error, [&] {
    const gpuopt_mt19937_state &s = random::checked(state).state;
    gpuopt_mt19937_words filled{};
    std::copy(std::begin(s.key), std::end(s.key), filled.key);
    filled.position = s.pos;
    filled.has_gauss = s.has_gauss;
    filled.gauss = s.gauss;
    give(filled, words, "random_state_get_words");
  });
}

gpuopt_status gpuopt_random_state_set_words(gpuopt_random_state state, const gpuopt_mt19937_words *words,
                                            gpuopt_error *error) {
  return guarded(error, [&] { random::set_words(random::checked(state), words); });
}

gpuopt_status gpuopt_generator_get_words(gpuopt_generator generator, gpuopt_pcg64_words *words, gpuopt_error *error) {
  return guarded(error, [&] {
    const gpuopt_pcg64_state &s = random::checked_pcg64(generator, "generator_get_words").pcg64;
    gpuopt_pcg64_words filled{};
    std::copy(std::begin(s.state), std::end(s.state), filled.state);
    std::copy(std::begin(s.increment), std::end(s.increment), filled.increment);
    filled.has_uint32 = s.has_uint32;
    filled.uinteger = s.uinteger;
    give(filled, words, "generator_get_words");
  });
}

gpuopt_status gpuopt_generator_set_words(gpuopt_generator generator, const gpuopt_pcg64_words *words,
                                         gpuopt_error *error) {
  return guarded(error, [&] { random::set_words(random::checked_pcg64(generator, "generator_set_words"), words); });
}

}  // extern "C"
