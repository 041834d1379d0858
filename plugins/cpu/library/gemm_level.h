// plugins/cpu/library/gemm_level.h -- the matrix kernels of one instruction set level. Included once per level, inside
// a namespace of its own, hence without #pragma once. GPUOPT_TARGET (the function attribute), GPUOPT_VECTOR (bytes of a
// vector register) and GPUOPT_ROWS (rows of a tile) are defined then.
//
// A tile of c with GPUOPT_ROWS rows and two vectors of columns stays in registers for the whole depth. Each step takes
// two loads of b, one broadcast per row of a, and two multiply-adds per row.

inline constexpr int kRows = GPUOPT_ROWS, kVectors = 2;

template <typename C>
struct VectorOf {
  typedef C type __attribute__((vector_size(GPUOPT_VECTOR)));
};
template <typename C>
constexpr int kLanes = GPUOPT_VECTOR / static_cast<int>(sizeof(C));
template <typename C>
constexpr int kCols = kVectors *kLanes<C>;

// Computes sum += x y, for vectors or single elements; for bools sum |= x & y.
template <typename C, bool logical, typename V>
__attribute__((always_inline)) inline void multiply_add(V &sum, const V &x, const V &y) {
  if constexpr (logical) {
    sum = static_cast<V>(sum | (x & y));
  } else {
    sum = static_cast<V>(sum + x * y);
  }
}

// Converts an element to the type C in which the kernel computes, negated with `negative`.
template <typename T, typename C, bool logical>
__attribute__((always_inline)) inline C convert(T value, bool negative) {
  if constexpr (logical) {
    return value != 0;
  } else {
    return static_cast<C>(negative ? -static_cast<C>(value) : static_cast<C>(value));
  }
}

// Returns whether every lane of every sum is true, so that further steps cannot change it.
template <typename C, size_t rows>
GPUOPT_TARGET bool all_true(const typename VectorOf<C>::type (&sum)[rows][kVectors]) {
  typename VectorOf<C>::type all = sum[0][0];
  for (const auto &row : sum) {
    for (const auto &part : row) all &= part;
  }
  C lanes[kLanes<C>];
  std::memcpy(lanes, &all, sizeof(all));
  C least = 1;
  for (C lane : lanes) least &= lane;
  return least != 0;
}

template <typename C, bool logical, int rows>
GPUOPT_TARGET void multiply_rows(int64_t depth, const C *a, const C *b, C *tile) {
  using V = typename VectorOf<C>::type;
  constexpr int64_t kLook = 16;  // steps between checks whether a logical sum can still change
  V sum[size_t{rows}][kVectors] = {};
  for (int64_t p = 0; p < depth; p++, a += kRows, b += kCols<C>) {
    V right[kVectors];
    std::memcpy(right, b, sizeof(right));
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
      const V left = a[i] - V{};  // broadcasts; V{} + a[i] would turn -0 into 0
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; j++) multiply_add<C, logical>(sum[i][j], left, right[j]);
    }
    if constexpr (logical) {
      if (p % kLook == kLook - 1 && all_true<C, rows>(sum)) break;
    }
  }
  std::memcpy(tile, sum, sizeof(sum));
}

// Packs x, whose rows are the lanes of the panel: lane i of step p is x[i, p]. Reads along the axis with the smaller
// stride.
template <typename T, typename C, bool logical, int lanes>
GPUOPT_TARGET void pack(const Matrix &x, bool negative, C *panel) {
  constexpr int64_t kElement = sizeof(T);
  const auto put = [&](int64_t i, int64_t p, const char *from) {
    panel[p * lanes + i] = convert<T, C, logical>(load<T>(from), negative);
  };
  if (x.rows < lanes) std::memset(panel, 0, sizeof(C) * lanes * static_cast<size_t>(x.cols));
  if (x.row_stride == kElement) {  // a constant stride lets the compiler vectorize the loop
    for (int64_t p = 0; p < x.cols; p++) {
      for (int64_t i = 0; i < x.rows; i++) put(i, p, x.data + p * x.col_stride + i * kElement);
    }
  } else if (std::abs(x.row_stride) < std::abs(x.col_stride)) {
    for (int64_t p = 0; p < x.cols; p++) {
      for (int64_t i = 0; i < x.rows; i++) put(i, p, x.data + p * x.col_stride + i * x.row_stride);
    }
  } else {
    for (int64_t i = 0; i < x.rows; i++) {
      for (int64_t p = 0; p < x.cols; p++) put(i, p, x.data + p * x.col_stride + i * x.row_stride);
    }
  }
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void pack_a(const Matrix &a, bool negative, void *panel) {
  pack<T, C, logical, kRows>(a, negative, static_cast<C *>(panel));
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void pack_b(const Matrix &b, void *panel) {
  pack<T, C, logical, kCols<C>>(b.transposed(), false, static_cast<C *>(panel));
}

// Stores a tile all of whose columns are used into contiguous rows of c.
template <typename C>
GPUOPT_TARGET void store_vectors(const C *tile, bool add, const Matrix &c) {
  using V = typename VectorOf<C>::type;
  for (int64_t i = 0; i < c.rows; i++, tile += kCols<C>) {
    char *const to = c.data + i * c.row_stride;
    V value[kVectors], before[kVectors];
    std::memcpy(value, tile, sizeof(value));
    if (add) {
      std::memcpy(before, to, sizeof(before));
      for (int j = 0; j < kVectors; j++) value[j] += before[j];
    }
    std::memcpy(to, value, sizeof(value));
  }
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void store(const C *tile, bool add, const Matrix &c) {
  if constexpr (!logical && sizeof(T) == sizeof(C)) {
    if (c.cols == kCols<C> && c.col_stride == sizeof(T)) return store_vectors<C>(tile, add, c);
  }
  for (int64_t i = 0; i < c.rows; i++, tile += kCols<C>) {
    char *const to = c.data + i * c.row_stride;
    for (int64_t j = 0; j < c.cols; j++) {
      char *const place = to + j * c.col_stride;
      C value = tile[j];
      if (add) multiply_add<C, logical>(value, convert<T, C, logical>(load<T>(place), false), C{1});
      const T element = static_cast<T>(value);
      std::memcpy(place, &element, sizeof(T));
    }
  }
}

// Tiles of which at most half the rows are used are computed row by row.
template <typename T, typename C, bool logical>
GPUOPT_TARGET void multiply(int64_t depth, const void *a_panel, const void *b_panel, bool add, const Matrix &c) {
  const C *const a = static_cast<const C *>(a_panel), *const b = static_cast<const C *>(b_panel);
  alignas(64) C tile[kRows * kCols<C>];
  if (2 * c.rows > kRows) {
    multiply_rows<C, logical, kRows>(depth, a, b, tile);
  } else {
    for (int64_t i = 0; i < c.rows; i++) multiply_rows<C, logical, 1>(depth, a + i, b, tile + i * kCols<C>);
  }
  store<T, C, logical>(tile, add, c);
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void pack_x(const Matrix &x, bool negative, void *packed) {
  pack<T, C, logical, 1>(x, negative, static_cast<C *>(packed));
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET C dot(int64_t depth, const char *row, const C *x) {
  using V = typename VectorOf<C>::type;
  typedef T Narrow __attribute__((vector_size(kLanes<C> * sizeof(T))));
  constexpr int64_t kChains = 4, kStep = kChains * kLanes<C>;  // independent chains of additions, so that they overlap
  V sum[kChains] = {};
  int64_t p = 0;
  for (; p + kStep <= depth; p += kStep) {
#pragma GCC unroll 4
    for (int64_t chain = 0; chain < kChains; chain++) {
      const int64_t at = p + chain * kLanes<C>;
      Narrow narrow;
      V right;
      std::memcpy(&narrow, row + at * int64_t{sizeof(T)}, sizeof(narrow));
      std::memcpy(&right, x + at, sizeof(right));
      V left = __builtin_convertvector(narrow, V);
      if constexpr (logical) left = reinterpret_cast<V>(left != 0);
      multiply_add<C, logical>(sum[chain], left, right);
    }
  }
  C lanes[size_t{kStep}], total = 0;
  std::memcpy(lanes, sum, sizeof(sum));
  for (C lane : lanes) multiply_add<C, logical>(total, lane, C{1});
  for (; p < depth; p++) {
    const T value = load<T>(row + p * int64_t{sizeof(T)});
    multiply_add<C, logical>(total, convert<T, C, logical>(value, false), x[p]);
  }
  return total;
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void multiply_vector(const Matrix &a, const void *x, bool add, const Matrix &c) {
  for (int64_t i = 0; i < a.rows; i++) {
    const C sum = dot<T, C, logical>(a.cols, a.data + i * a.row_stride, static_cast<const C *>(x));
    store<T, C, logical>(&sum, add, c.block(i, 0, 1, 1));
  }
}

template <typename T, typename C, bool logical = false>
constexpr GemmKernel kKernel{kRows,
                             kCols<C>,
                             sizeof(C),
                             pack_a<T, C, logical>,
                             pack_b<T, C, logical>,
                             multiply<T, C, logical>,
                             pack_x<T, C, logical>,
                             multiply_vector<T, C, logical>};

inline const GemmKernel *find(int32_t dtype) noexcept {
  switch (dtype) {
    case GPUOPT_BOOL:
      return &kKernel<uint8_t, uint8_t, true>;
    case GPUOPT_INT8:
    case GPUOPT_UINT8:
      return &kKernel<uint8_t, uint16_t>;
    case GPUOPT_INT16:
    case GPUOPT_UINT16:
      return &kKernel<uint16_t, uint16_t>;
    case GPUOPT_INT32:
    case GPUOPT_UINT32:
      return &kKernel<uint32_t, uint32_t>;
    case GPUOPT_INT64:
    case GPUOPT_UINT64:
      return &kKernel<uint64_t, uint64_t>;
    case GPUOPT_FLOAT32:
      return &kKernel<float, float>;
    case GPUOPT_FLOAT64:
      return &kKernel<double, double>;
    default:
      return nullptr;
  }
}
