// plugins/shared/words/wmma.h -- namespace nvcuda::wmma of mma.h (CUDA C++ Programming Guide, "Warp Matrix Functions"):
// products of small matrices by the lanes of a warp
//
// Tensor cores add up in an order and with roundings that NVIDIA does not say. Here each element of a product is a
// chain of fused multiply-adds, from the first column of A to the last, that begins with the element of C, so that it
// has the same bits on every device: in float for 16-bit floats and tf32, in double for double, and in 32 bits, which
// wrap, for 8-bit integers. An accumulator of 16-bit floats is rounded once, at the end. Element number e of a matrix,
// row after row, is x[e / 32] of lane e % 32; CUDA leaves that open.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_WMMA_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_WMMA_H_

#include "plugins/shared/prelude.h"
#include "plugins/shared/words/words.h"

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
}  // namespace precision

namespace gpo_detail {

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<precision::tf32> {
  using type = float;
};
template <class Use, int m, int n, int k>
struct Shape {
  static constexpr int rows = m, columns = n;
};
template <int m, int n, int k>
struct Shape<matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct Shape<matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};

GPO_WORD_FN unsigned lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

// The words that all lanes of the warp bring.
GPO_WORD_FN void gather(unsigned long long word, unsigned long long (&all)[32]) {
#if defined(GPO_HOST_KERNELS)
  gpo::exchange(0xffffffffu, word, [&](const gpo::Lanes &warp) {
    for (unsigned lane = 0; lane < 32; lane++) all[lane] = warp[lane];
    return 0;
  });
#else
  for (int lane = 0; lane < 32; lane++) all[lane] = __shfl_sync(0xffffffffu, word, lane);
#endif
}

// All elements of a matrix, row after row, of which each lane has `count`.
template <class T, int count>
GPO_WORD_FN void collect(const T (&own)[count], T (&matrix)[32 * count]) {
  constexpr int together = 8 / int(sizeof(T)) < count ? 8 / int(sizeof(T)) : count;
  for (int first = 0; first < count; first += together) {
    unsigned long long word = 0, all[32];
    memcpy(&word, &own[first], together * sizeof(T));
    gather(word, all);
    for (int lane = 0; lane < 32; lane++) {
      for (int k = 0; k < together; k++)
        memcpy(&matrix[(first + k) * 32 + lane], reinterpret_cast<const char *>(&all[lane]) + k * sizeof(T), sizeof(T));
    }
  }
}

// What elements are multiplied as.
GPO_WORD_FN float number(float x) { return x; }
GPO_WORD_FN double number(double x) { return x; }
GPO_WORD_FN int number(int x) { return x; }
GPO_WORD_FN int number(signed char x) { return x; }
GPO_WORD_FN int number(unsigned char x) { return x; }
template <class T>
GPO_WORD_FN float number(T x) {
  return x.value();
}

GPO_WORD_FN float step(float a, float b, float sum) { return gpo::fma(a, b, sum); }
GPO_WORD_FN double step(double a, double b, double sum) { return gpo::fma(a, b, sum); }
GPO_WORD_FN int step(int a, int b, int sum) { return int(unsigned(a * b) + unsigned(sum)); }

}  // namespace gpo_detail

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  using Shape = gpo_detail::Shape<Use, m, n, k>;

 public:
  using element_type = T;
  using storage_element_type = typename gpo_detail::Stored<T>::type;
  static constexpr int num_elements = Shape::rows * Shape::columns / 32, num_storage_elements = num_elements;
  storage_element_type x[num_elements];

  // Element `number` of this lane in a matrix whose rows or columns are `stride` elements apart.
  static GPO_WORD_FN size_t gpo_place(int number, unsigned stride, bool by_rows) {
    const unsigned element = unsigned(number) * 32 + gpo_detail::lane();
    const unsigned row = element / Shape::columns, column = element % Shape::columns;
    return by_rows ? size_t(row) * stride + column : size_t(column) * stride + row;
  }
};

template <class Use, int m, int n, int k, class T, class Layout>
GPO_WORD_FN void fill_fragment(fragment<Use, m, n, k, T, Layout> &to,
                               const typename fragment<Use, m, n, k, T, Layout>::storage_element_type &value) {
  for (auto &x : to.x) x = value;
}

namespace gpo_detail {
template <class Fragment, class T>
GPO_WORD_FN void load(Fragment &to, const T *from, unsigned stride, bool by_rows) {
  __syncwarp();
  for (int k = 0; k < Fragment::num_elements; k++) to.x[k] = from[Fragment::gpo_place(k, stride, by_rows)];
}
}  // namespace gpo_detail

template <class Use, int m, int n, int k, class T>
GPO_WORD_FN void load_matrix_sync(fragment<Use, m, n, k, T, row_major> &to,
                                  const typename gpo_detail::Stored<T>::type *from, unsigned stride) {
  gpo_detail::load(to, from, stride, true);
}
template <class Use, int m, int n, int k, class T>
GPO_WORD_FN void load_matrix_sync(fragment<Use, m, n, k, T, col_major> &to,
                                  const typename gpo_detail::Stored<T>::type *from, unsigned stride) {
  gpo_detail::load(to, from, stride, false);
}
template <int m, int n, int k, class T>
GPO_WORD_FN void load_matrix_sync(fragment<accumulator, m, n, k, T> &to, const T *from, unsigned stride,
                                  layout_t layout) {
  gpo_detail::load(to, from, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T>
GPO_WORD_FN void store_matrix_sync(T *to, const fragment<accumulator, m, n, k, T> &from, unsigned stride,
                                   layout_t layout) {
  __syncwarp();
  for (int i = 0; i < from.num_elements; i++) to[from.gpo_place(i, stride, layout == mem_row_major)] = from.x[i];
}

// Rounds to the 10 bits behind the point that tf32 has, halves away from zero.
GPO_WORD_FN float __float_to_tf32(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & ~0x1fffu;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

// d = a b + c. With `saturates`, sums of integers are those of whole numbers, brought into the range of int.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
GPO_WORD_FN void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                          const fragment<matrix_b, m, n, k, T, LayoutB> &b, const fragment<accumulator, m, n, k, C> &c,
                          bool saturates = false) {
  using Element = typename gpo_detail::Stored<T>::type;
  Element left[m * k], right[k * n];
  gpo_detail::collect(a.x, left);
  gpo_detail::collect(b.x, right);
  for (int i = 0; i < d.num_elements; i++) {
    const unsigned element = unsigned(i) * 32 + gpo_detail::lane(), row = element / n, column = element % n;
    auto sum = gpo_detail::number(c.x[i]);
    [[maybe_unused]] const auto begin = sum;
    if constexpr (sizeof(Element) == 1) sum = 0;
    for (int j = 0; j < k; j++)
      sum = gpo_detail::step(gpo_detail::number(left[row * k + j]), gpo_detail::number(right[j * n + column]), sum);
    // Products of bytes are added up by themselves, which fits into an int: NVIDIA's compiler makes instructions of 32
    // bits (dp4a) even of sums of 64 bits.
    if constexpr (sizeof(Element) == 1) {
      constexpr long long most = 0x7fffffff;
      const long long whole = (long long)begin + sum;
      sum = int(unsigned(begin) + unsigned(sum));
      if (saturates) sum = whole > most ? int(most) : whole < -most - 1 ? int(-most - 1) : int(whole);
    }
    d.x[i] = D(sum);
  }
}

}  // namespace wmma
}  // namespace nvcuda

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_WMMA_H_
