// plugins/shared/user/random.h -- random numbers in user kernels: the library's generator, the same words and the same
// distributions
#ifndef GPUOPT_PLUGINS_SHARED_USER_RANDOM_H_
#define GPUOPT_PLUGINS_SHARED_USER_RANDOM_H_

#include "plugins/shared/random/random_philox.h"

namespace gpo {
namespace user {

// Philox4x32-10 of a seed: 2^64 streams of 2^66 words of 32 bits, of which a generator of the library
// (gpuopt_generator_create) draws stream 0. Threads take a stream each, or start at words of their own. Draws take the
// words that random_philox.h says, 64-bit ones from an even word on; so n draws of one kind in a row are the elements
// that the library's first call for n of them makes.
class philox {
 public:
  GPO_FN explicit philox(u64 seed, u64 stream = 0, u64 word = 0) : seed_(seed), stream_(stream), word_(word) {}

  GPO_FN u32 bits32() {
    if (word_ >> 2 != made_) {
      made_ = word_ >> 2;
      block_ = philox_block(seed_, stream_, made_);
    }
    return block_.word[word_++ & 3];
  }
  GPO_FN u64 bits64() {
    word_ += word_ & 1;
    const u32 low = bits32();
    return u64(bits32()) << 32 | low;
  }

  // Draws a number in [0, 1), of as many bits as T's significand. T is float or double, here and below.
  template <class T = double>
  GPO_FN T uniform() {
    return PhiloxUniform<T>::unit(bits<random_word<T>>());
  }
  template <class T = double>
  GPO_FN T exponential() {
    return random_exponential(bits<random_word<T>>());
  }
  // Normals are made in pairs: every second call (of the same T) takes no words.
  template <class T = double>
  GPO_FN T normal() {
    if (spare_bytes_ == int(sizeof(T))) {
      spare_bytes_ = 0;
      return T(spare_);
    }
    const random_word<T> radius = bits<random_word<T>>(), direction = bits<random_word<T>>();
    const RandomPoint<T> point = random_normal_pair<T>(radius, direction);
    spare_ = point.y;
    spare_bytes_ = sizeof(T);
    return point.x;
  }
  // Draws an integer in [low, high); low < high.
  GPO_FN i64 integer(i64 low, i64 high) {
    i64 value = 0;
    philox_integers(low, u64(high) - u64(low) - 1, [&](const auto &distribution) {
      using D = typename remove_const_reference<decltype(distribution)>::type;
      typename D::Word words[D::words];
      for (u32 k = 0; k < D::words; k++) words[k] = bits<typename D::Word>();
      distribution(words, &value);
    });
    return value;
  }

 private:
  template <class T>
  struct remove_const_reference;
  template <class T>
  struct remove_const_reference<const T &> {
    using type = T;
  };
  template <class Word>
  GPO_FN Word bits() {
    if constexpr (sizeof(Word) == 8) {
      return bits64();
    } else {
      return bits32();
    }
  }

  u64 seed_, stream_, word_, made_ = ~u64(0);
  PhiloxBlock block_ = {};
  double spare_ = 0;
  int spare_bytes_ = 0;
};

}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_RANDOM_H_
