// plugins/cuda/text/vector.h -- several neighbouring elements that are loaded or stored at once
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_VECTOR_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_VECTOR_H_

#include "plugins/cuda/text/words.h"

namespace gpo {

// A bool in memory is a byte, and any but 0 is true.
template <class T>
using stored = conditional<is_bool<T>, u8, T>;

// A single element is aligned as its dtype is, several as the whole.
template <class T, int n>
struct alignas(n == 1 ? alignof(T) : n * sizeof(T)) Vector {
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
template <int n, class T>
GPO_FN void store(T *to, const Vector<T, n> &x) {
  *reinterpret_cast<Vector<T, n> *>(to) = x;
}

// One element.
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

// The element that lies `bytes` after another.
template <class T>
GPO_FN T *step(T *from, i64 bytes) {
  return pointer<T>(u64(from), bytes);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_VECTOR_H_
