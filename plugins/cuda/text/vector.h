// plugins/cuda/text/vector.h -- several neighbouring elements that are loaded or stored at once
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_VECTOR_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_VECTOR_H_

#include "plugins/cuda/text/words.h"

namespace gpo {

// The type as which an element is stored. A bool is a byte there, and any value but 0 is true.
template <class T>
using stored = conditional<is_bool<T>, u8, T>;

// The bytes to which n adjacent elements are aligned: their total size, but no more than one access of memory takes. A
// single one is aligned as its dtype.
template <class T, int n>
inline constexpr size_t vector_alignment = n == 1               ? alignof(T)
                                           : n * sizeof(T) < 16 ? n * sizeof(T)
                                                                : 16;

template <class T, int n>
struct alignas(vector_alignment<T, n>) Vector {
  stored<T> lane[n];

  GPO_FN T get(int i) const {
    if constexpr (is_bool<T>) {
      return lane[i] != 0;
    } else {
      return lane[i];
    }
  }
  GPO_FN void set(int i, T x) { lane[i] = x; }
};

template <int n, class T>
GPO_FN Vector<T, n> load(const T *from) {
  return *reinterpret_cast<const Vector<T, n> *>(from);
}

// Returns as many lanes as make up a Word, the first one in its lowest bits.
template <class Word, class T>
GPO_FN Word pack(const T *lanes) {
  if constexpr (is_complex<T>) {
    return to_bits(lanes[0].re) | Word(to_bits(lanes[0].im)) << 32;
  } else if constexpr (is_half<T>) {
    return lanes[0].bits | Word(lanes[1].bits) << 16;
  } else if constexpr (is_float<T>) {
    return to_bits(lanes[0]);
  } else {
    Word word = 0;
    GPO_UNROLL
    for (int i = int(sizeof(Word) / sizeof(T)) - 1; i >= 0; i--)
      word = sizeof(Word) == sizeof(T) ? Word(lanes[i]) : word << (8 * sizeof(T) % 32) | uint_of<T>(lanes[i]);
    return word;
  }
}

template <int n, class T>
GPO_FN void store(T *to, const Vector<T, n> &x) {
#if defined(__CUDA_ARCH__)
  // The compiler does not always make one access of the copy.
  constexpr int bytes = n * int(sizeof(T));
  if constexpr (n > 1 && (bytes == 8 || bytes == 16)) {
    const size_t at = __cvta_generic_to_global(to);
    if constexpr (sizeof(T) == 8) {
      const u64 a = pack<u64>(x.lane), b = pack<u64>(x.lane + 1);
      asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(a), "l"(b) : "memory");
    } else {
      constexpr int step = 4 / int(sizeof(T));
      const u32 a = pack<u32>(x.lane), b = pack<u32>(x.lane + step);
      if constexpr (bytes == 8) {
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(a), "r"(b) : "memory");
      } else {
        const u32 c = pack<u32>(x.lane + 2 * step), d = pack<u32>(x.lane + 3 * step);
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
      }
    }
    return;
  }
#endif
  *reinterpret_cast<Vector<T, n> *>(to) = x;
}

// Load and store one element.
template <class T>
GPO_FN T load(const T *from) {
  return load<1>(from).get(0);
}
template <class T>
GPO_FN void store(T *to, T x) {
  Vector<T, 1> v;
  v.set(0, x);
  store<1>(to, v);
}

// Returns element i of vectors that lie one behind the other.
template <class T, int n>
GPO_FN T element(const Vector<T, n> *from, int i) {
  return load(reinterpret_cast<const T *>(from) + i);
}

// Returns the address `bytes` after another.
template <class T>
GPO_FN T *step(T *from, i64 bytes) {
  return pointer<T>(u64(from), bytes);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_VECTOR_H_
