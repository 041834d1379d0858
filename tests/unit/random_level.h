// tests/unit/random_level.h -- checksums of every random fill; included by one translation unit per instruction set
// level
//
// No standard containers here: their out-of-line functions would be shared between the levels.
#ifndef GPUOPT_TESTS_UNIT_RANDOM_LEVEL_H_
#define GPUOPT_TESTS_UNIT_RANDOM_LEVEL_H_

#include "plugins/shared/random/random_legacy.h"
#include "plugins/shared/random/random_philox.h"

// How many checksums a level yields.
inline constexpr int kRandomLevelResults = 24;

namespace {

struct LevelResults {
  gpo::u64 *next;

  // FNV-1a
  void add(const void *data, gpo::u64 bytes) {
    gpo::u64 hash = 0xcbf29ce484222325u;
    for (const auto *p = static_cast<const unsigned char *>(data); bytes--; ++p) hash = (hash ^ *p) * 0x100000001b3u;
    *next++ = hash;
  }
  template <class D>
  void fill(const D &d) {
    static typename D::Value out[10007];
    gpo::philox_fill(d, gpo::Philox{0x0123456789abcdefu, 7, 42}, 3, 10007, out);
    add(out, sizeof out);
  }
  template <class T, class F>
  void legacy(F &&f) {
    static T out[10007];
    gpo::RandomState state;
    gpo::random_state_seed(state, 20250101);
    f(state, 10007, out);
    add(out, sizeof out);
  }
};

// Exactly kRandomLevelResults checksums.
inline void random_level(gpo::u64 *results) {
  using namespace gpo;
  LevelResults r{results};
  r.fill(PhiloxBits<u32>{});
  r.fill(PhiloxBits<u64>{});
  r.fill(PhiloxUniform<float16>{-1, 3});
  r.fill(PhiloxUniform<bfloat16>{0, 1});
  r.fill(PhiloxUniform<float>{2, 5});
  r.fill(PhiloxUniform<double>{-0.25, 1e6});
  r.fill(PhiloxExponential<float16>{1});
  r.fill(PhiloxExponential<bfloat16>{2});
  r.fill(PhiloxExponential<float>{0.5f});
  r.fill(PhiloxExponential<double>{3});
  r.fill(PhiloxNormal<float16>{0, 1});
  r.fill(PhiloxNormal<bfloat16>{1, 2});
  r.fill(PhiloxNormal<float>{0, 1});
  r.fill(PhiloxNormal<double>{-5, 0.1});
  r.fill(PhiloxIntegerPower<bool, u32>{false, 31});
  r.fill(PhiloxIntegerPower<i64, u64>{-7, 20});
  r.fill(PhiloxInteger32<i8>{-100, 200});
  r.fill(PhiloxInteger64<u64>{5, u64(3) << 61});
  r.legacy<double>([](RandomState &s, u64 n, double *out) { legacy_fill_uniform(s, -1, 3, n, out); });
  r.legacy<double>([](RandomState &s, u64 n, double *out) { legacy_fill_normal(s, 1, 2, n, out); });
  r.legacy<double>([](RandomState &s, u64 n, double *out) { legacy_fill_exponential(s, 3, n, out); });
  r.legacy<u8>([](RandomState &s, u64 n, u8 *out) { legacy_fill_integers(s, u8(3), 99, n, out); });
  r.legacy<i64>([](RandomState &s, u64 n, i64 *out) { legacy_fill_integers(s, i64(-5), 127, n, out); });
  r.legacy<i64>([](RandomState &s, u64 n, i64 *out) { legacy_fill_permutation(s, n, out); });
}

}  // namespace

#endif  // GPUOPT_TESTS_UNIT_RANDOM_LEVEL_H_
