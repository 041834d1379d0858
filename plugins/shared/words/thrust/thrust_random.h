// plugins/shared/words/thrust/thrust_random.h -- thrust/random.h: linear congruential engines and uniform
// distributions; and thrust/shuffle.h
//
// The engines are those of the C++ standard ("Random number generation", minstd_rand0 and minstd_rand), and the numbers
// of both distributions are Thrust's.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_THRUST_RANDOM_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_THRUST_RANDOM_H_

#include "plugins/shared/words/standard.h"
#include "plugins/shared/words/thrust/thrust_iterators.h"
#include "plugins/shared/words/words.h"

namespace thrust {
namespace random {

// x = a * x mod m.
template <class U, U a, U c, U m>
class linear_congruential_engine {
  static_assert(sizeof(U) == 4 && c == 0 && m != 0, "engines of 32 bits that add nothing");

 public:
  using result_type = U;
  static constexpr U multiplier = a, increment = c, modulus = m, min = 1, max = m - 1, default_seed = 1;

  GPO_WORD_FN explicit linear_congruential_engine(U value = default_seed) { seed(value); }
  GPO_WORD_FN void seed(U value = default_seed) { state_ = value % m == 0 ? 1 : value % m; }
  GPO_WORD_FN U operator()() { return state_ = U((unsigned long long)a * state_ % m); }
  // As `count` calls: multiplies by the power of a, which is found by squaring.
  GPO_WORD_FN void discard(unsigned long long count) {
    unsigned long long square = a, power = 1;
    for (; count > 0; count /= 2, square = square * square % m) {
      if (count % 2 != 0) power = power * square % m;
    }
    state_ = U(power * state_ % m);
  }
  GPO_WORD_FN friend bool operator==(const linear_congruential_engine &x, const linear_congruential_engine &y) {
    return x.state_ == y.state_;
  }
  GPO_WORD_FN friend bool operator!=(const linear_congruential_engine &x, const linear_congruential_engine &y) {
    return x.state_ != y.state_;
  }

 private:
  U state_;
};
using minstd_rand0 = linear_congruential_engine<unsigned, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<unsigned, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

// Numbers from a up to b, which is not among them.
template <class T = double>
class uniform_real_distribution {
 public:
  using result_type = T;
  GPO_WORD_FN explicit uniform_real_distribution(T a = T(0), T b = T(1)) : a_(a), b_(b) {}
  GPO_WORD_FN void reset() {}
  GPO_WORD_FN T a() const { return a_; }
  GPO_WORD_FN T b() const { return b_; }
  template <class Engine>
  GPO_WORD_FN T operator()(Engine &engine) {
    const T place = T(engine() - Engine::min) / (T(1) + T(Engine::max - Engine::min));
    return place * (b_ - a_) + a_;
  }

 private:
  T a_, b_;
};
// Whole numbers from a to b.
template <class T = int>
class uniform_int_distribution {
 public:
  using result_type = T;
  GPO_WORD_FN explicit uniform_int_distribution(T a = T(0), T b = ::std::numeric_limits<T>::max()) : a_(a), b_(b) {}
  GPO_WORD_FN void reset() {}
  GPO_WORD_FN T a() const { return a_; }
  GPO_WORD_FN T b() const { return b_; }
  template <class Engine>
  GPO_WORD_FN T operator()(Engine &engine) {
    return T(uniform_real_distribution<double>(double(a_), double(b_) + 1.0)(engine));
  }

 private:
  T a_, b_;
};

}  // namespace random

using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

// ---- shuffle.h ----

namespace gpo_random {
// A whole number below `count`, which is at most 2^32, each with the same probability: numbers of the engine are the
// digits of one that is large enough, and those beyond the last multiple of `count` are drawn anew.
template <class Engine>
GPO_WORD_FN unsigned long long below(unsigned long long count, Engine &engine) {
  constexpr unsigned long long range = (unsigned long long)(Engine::max) - (unsigned long long)(Engine::min) + 1;
  static_assert(range >= 1ull << 16 && range <= 1ull << 32, "engines of 16 to 32 bits");
  for (;;) {
    unsigned long long span = 1, number = 0;
    while (span < count) {
      number = number * range + (engine() - Engine::min);
      span *= range;
    }
    if (number < span - span % count) return number % count;
  }
}
}  // namespace gpo_random

// Puts the elements in one of all orders, each with the same probability (Fisher and Yates; Knuth, "The Art of Computer
// Programming", volume 2, section 3.4.2). The order is not that of NVIDIA's Thrust for the same engine, which that
// leaves open. At most 2^32 elements.
template <class Place, class Engine>
GPO_WORD_FN void shuffle(Place begin, Place end, Engine &&engine) {
  for (auto left = end - begin; left > 1; left--) {
    const auto chosen = decltype(left)(gpo_random::below((unsigned long long)left, engine));
    const gpo_value<Place> kept = begin[left - 1];
    begin[left - 1] = begin[chosen];
    begin[chosen] = kept;
  }
}
template <class Place, class Engine>
GPO_WORD_FN void shuffle(gpo_policy, Place begin, Place end, Engine &&engine) {
  thrust::shuffle(begin, end, engine);
}

}  // namespace thrust

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_THRUST_RANDOM_H_
