// plugins/cpu/products/gemm_level.h -- the matrix kernels of one instruction set level. Included once per level, inside
// a namespace of its own, hence without #pragma once. GPUOPT_TARGET (the function attribute), GPUOPT_VECTOR (bytes of a
// vector register), GPUOPT_ROWS (rows of a tile) and fused() are defined then.
//
// A tile of c with GPUOPT_ROWS rows and two vectors of columns stays in registers for the whole depth. Each step takes
// two loads of b, one broadcast per row of a, and two multiply-adds per row.

inline constexpr int kRows = GPUOPT_ROWS, kVectors = 2;

template <typename C, int bytes = GPUOPT_VECTOR>
struct VectorOf {
  typedef C type __attribute__((vector_size(bytes)));
  typedef C unaligned __attribute__((vector_size(bytes), aligned(1), may_alias));
};
template <typename C>
constexpr int kLanes = GPUOPT_VECTOR / static_cast<int>(sizeof(C));
template <typename C>
constexpr int kCols = kVectors *kLanes<C>;

// Vectors are loaded and stored as such: what is copied through an array GCC stores in parts and loads as a whole,
// which stalls.
template <typename C, int bytes = GPUOPT_VECTOR>
GPUOPT_TARGET inline typename VectorOf<C, bytes>::type load_vector(const void *from) {
  return *static_cast<const typename VectorOf<C, bytes>::unaligned *>(from);
}
template <typename C, int bytes = GPUOPT_VECTOR>
GPUOPT_TARGET inline void store_vector(void *to, const typename VectorOf<C, bytes>::type &value) {
  *static_cast<typename VectorOf<C, bytes>::unaligned *>(to) = value;
}

// Computes sum += x y for vectors, of floats rounded once; for bools sum |= x & y.
template <typename C, bool logical, typename V>
GPUOPT_TARGET inline void multiply_add(V &sum, const V &x, const V &y) {
  if constexpr (std::is_floating_point_v<C>) {
    sum = fused(x, y, sum);
  } else if constexpr (logical) {
    sum = static_cast<V>(sum | (x & y));
  } else {
    sum = static_cast<V>(sum + x * y);
  }
}

// Returns the sum of two blocks: of vectors or single elements.
template <bool logical, typename V>
GPUOPT_TARGET inline V added(const V &x, const V &y) {
  if constexpr (logical) {
    return static_cast<V>(x | y);
  } else {
    return static_cast<V>(x + y);
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

// ---- Tiles

// Where the rows of a tile go, `stride` bytes from each other; with `add` the sums are added to what is there.
struct TilePlace {
  char *data;
  int64_t stride;
  bool add;
};

template <typename C, bool logical, int rows>
GPUOPT_TARGET void multiply_rows(int64_t depth, const C *a, RowsOfB of_b, Ahead ahead, const TilePlace &place) {
  using V = typename VectorOf<C>::type;
  constexpr int64_t kLook = 16;  // steps between checks whether a logical sum can still change
  V sum[size_t{rows}][kVectors] = {};
  if (place.stride != kCols<C> * int64_t{sizeof(C)}) {  // rows of c, not of a buffer: fetched for the end
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < kVectors; j++) __builtin_prefetch(place.data + i * place.stride + j * GPUOPT_VECTOR, 1);
    }
  }
  const char *soon = static_cast<const char *>(ahead.data), *b = static_cast<const char *>(of_b.data);
  for (int64_t p = 0; p < depth; p++, a += kRows, b += of_b.step, soon += ahead.step) {
    __builtin_prefetch(soon);
    const V right[kVectors] = {load_vector<C>(b), load_vector<C>(b + GPUOPT_VECTOR)};
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
  // All is read before anything is written: where rows are a multiple of 4096 bytes apart, a processor takes a read
  // for one of what was just written to another row, and waits.
  if (place.add) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; j++)
        sum[i][j] = added<logical>(load_vector<C>(place.data + i * place.stride + j * GPUOPT_VECTOR), sum[i][j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; j++) store_vector<C>(place.data + i * place.stride + j * GPUOPT_VECTOR, sum[i][j]);
  }
}

// A vector consists of pieces of 16 bytes, of as many elements. join() makes it of one piece from each of several rows.
template <typename C>
constexpr int kPieceLanes = 16 / static_cast<int>(sizeof(C));
inline constexpr int kPieces = GPUOPT_VECTOR / 16;

// Returns a vector whose piece q has the elements from p on of row q * kPieceLanes of `rows`.
template <typename C>
GPUOPT_TARGET inline typename VectorOf<C>::type join(const C *const *rows, int64_t p) {
  typename VectorOf<C, 16>::type pieces[size_t{kPieces}];
#pragma GCC unroll 4
  for (int q = 0; q < kPieces; q++) pieces[q] = load_vector<C, 16>(rows[q * kPieceLanes<C>] + p);
  return joined(pieces);
}

// Returns piece q of a vector.
template <typename C>
GPUOPT_TARGET inline typename VectorOf<C, 16>::type piece_of(const typename VectorOf<C>::type &x, int q) {
  typename VectorOf<C, 16>::type piece;
  std::memcpy(&piece, reinterpret_cast<const char *>(&x) + q * 16, sizeof piece);
  return piece;
}

// Takes element from[i] of the two vectors' pieces, for every piece: 0 to lanes - 1 are of x, the others of y.
template <typename C, int... from, size_t... lane>
GPUOPT_TARGET inline auto shuffled_pieces(const typename VectorOf<C>::type &x, const typename VectorOf<C>::type &y,
                                          std::index_sequence<lane...>) {
  constexpr int kFrom[] = {from...}, lanes = kPieceLanes<C>;
  const auto place = [](int i) constexpr {
    const int piece = i / kPieceLanes<C> * kPieceLanes<C>, at = kFrom[i % kPieceLanes<C>];
    return at < kPieceLanes<C> ? piece + at : kLanes<C> + piece + at - kPieceLanes<C>;
  };
  static_assert(sizeof...(from) == lanes);
  return __builtin_shufflevector(x, y, place(static_cast<int>(lane))...);
}
template <typename C, int... from>
GPUOPT_TARGET inline typename VectorOf<C>::type shuffled(const typename VectorOf<C>::type &x,
                                                         const typename VectorOf<C>::type &y) {
  return shuffled_pieces<C, from...>(x, y, std::make_index_sequence<size_t{kLanes<C>}>());
}

// Transposes the square in each piece: element j of piece q of x[i] becomes element i of piece q of x[j].
GPUOPT_TARGET inline void transpose_pieces(typename VectorOf<double>::type (&x)[2]) {
  const auto low = shuffled<double, 0, 2>(x[0], x[1]), high = shuffled<double, 1, 3>(x[0], x[1]);
  x[0] = low, x[1] = high;
}
GPUOPT_TARGET inline void transpose_pieces(typename VectorOf<float>::type (&x)[4]) {
  const auto a = shuffled<float, 0, 4, 1, 5>(x[0], x[1]), b = shuffled<float, 2, 6, 3, 7>(x[0], x[1]);
  const auto c = shuffled<float, 0, 4, 1, 5>(x[2], x[3]), d = shuffled<float, 2, 6, 3, 7>(x[2], x[3]);
  x[0] = shuffled<float, 0, 1, 4, 5>(a, c), x[1] = shuffled<float, 2, 3, 6, 7>(a, c);
  x[2] = shuffled<float, 0, 1, 4, 5>(b, d), x[3] = shuffled<float, 2, 3, 6, 7>(b, d);
}

// Packs kPieceLanes rows, a vector of steps at a time, as lanes of a panel. Returns the number of steps that it packed:
// fewer than kLanes are left. Whole lines of memory are read, because those of many rows may share a set of the cache.
template <typename C>
GPUOPT_TARGET int64_t pack_pieces(const char *from, int64_t row_stride, int64_t steps, int64_t pitch, C *panel) {
  constexpr int kTerms = kPieceLanes<C>;
  int64_t p = 0;
  for (; p + kLanes<C> <= steps; p += kLanes<C>) {
    typename VectorOf<C>::type x[size_t{kTerms}];
#pragma GCC unroll 4
    for (int i = 0; i < kTerms; i++) x[i] = load_vector<C>(from + i * row_stride + p * int64_t{sizeof(C)});
    transpose_pieces(x);
#pragma GCC unroll 4
    for (int q = 0; q < kPieces; q++) {
#pragma GCC unroll 4
      for (int i = 0; i < kTerms; i++) store_vector<C, 16>(panel + (p + q * kTerms + i) * pitch, piece_of<C>(x[i], q));
    }
  }
  return p;
}

// Packs the rows of x, a few steps at a time, as lanes of a panel.
template <typename C>
GPUOPT_TARGET void pack_elements(const Matrix &x, int64_t pitch, C *panel) {
  constexpr int64_t kSteps = 8;
  int64_t p = 0;
  for (; p + kSteps <= x.cols; p += kSteps) {
    for (int64_t i = 0; i < x.rows; i++) {
      const char *const from = x.data + p * x.col_stride + i * x.row_stride;
#pragma GCC unroll 8
      for (int64_t q = 0; q < kSteps; q++) panel[(p + q) * pitch + i] = load<C>(from + q * x.col_stride);
    }
  }
  for (; p < x.cols; p++) {
    for (int64_t i = 0; i < x.rows; i++) panel[p * pitch + i] = load<C>(x.data + p * x.col_stride + i * x.row_stride);
  }
}

// Does what pack() does if every lane of the panel has a row and elements stay as they are, as in most panels.
template <typename C, int lanes>
GPUOPT_TARGET void pack_all_lanes(const Matrix &x, int64_t pitch, C *panel) {
  if (x.row_stride == sizeof(C)) {
    for (int64_t p = 0; p < x.cols; p++) std::memcpy(panel + p * pitch, x.data + p * x.col_stride, lanes * sizeof(C));
    return;
  }
  int64_t first = 0;  // the lanes before it are packed
  if constexpr (std::is_floating_point_v<C>) {
    if (x.col_stride == sizeof(C)) {
      constexpr int64_t kTerms = kPieceLanes<C>;
      for (; first + kTerms <= lanes; first += kTerms) {
        const Matrix rows = x.block(first, 0, kTerms, x.cols);
        const int64_t packed = pack_pieces<C>(rows.data, rows.row_stride, rows.cols, pitch, panel + first);
        pack_elements<C>(rows.block(0, packed, kTerms, x.cols - packed), pitch, panel + packed * pitch + first);
      }
    }
  }
  if (first < lanes) pack_elements<C>(x.block(first, 0, lanes - first, x.cols), pitch, panel + first);
}

// Packs x, whose rows are the lanes of the panel: lane i of step p * step is x[i, p]. Reads along the axis with the
// smaller stride.
template <typename T, typename C, bool logical, int lanes>
GPUOPT_TARGET void pack(const Matrix &x, int64_t step, bool negative, C *panel) {
  constexpr int64_t kElement = sizeof(T);
  const int64_t pitch = step * lanes;
  if constexpr (std::is_same_v<T, C> && !logical) {
    if (x.rows == lanes && !negative) return pack_all_lanes<C, lanes>(x, pitch, panel);
  }
  const auto put = [&](int64_t i, int64_t p, const char *from) {
    panel[p * pitch + i] = convert<T, C, logical>(load<T>(from), negative);
  };
  if (x.rows < lanes) {
    for (int64_t p = 0; p < x.cols; p++) std::memset(panel + p * pitch, 0, sizeof(C) * lanes);
  }
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
GPUOPT_TARGET void pack_a(const Matrix &a, int64_t step, bool negative, void *panel) {
  pack<T, C, logical, kRows>(a, step, negative, static_cast<C *>(panel));
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void pack_b(const Matrix &b, int64_t step, bool negative, void *panel) {
  pack<T, C, logical, kCols<C>>(b.transposed(), step, negative, static_cast<C *>(panel));
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void store_element(char *place, C value, bool add) {
  if (add) value = added<logical>(convert<T, C, logical>(load<T>(place), false), value);
  const T element = static_cast<T>(value);
  std::memcpy(place, &element, sizeof(T));
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void store(const C *tile, bool add, const Matrix &c) {
  for (int64_t i = 0; i < c.rows; i++, tile += kCols<C>) {
    for (int64_t j = 0; j < c.cols; j++)
      store_element<T, C, logical>(c.data + i * c.row_stride + j * c.col_stride, tile[j], add);
  }
}

// Calls multiply_rows for `rows` rows, of which there are at most the template's.
template <typename C, bool logical, int rows = kRows>
GPUOPT_TARGET void multiply_up_to(int64_t wanted, int64_t depth, const C *a, RowsOfB b, Ahead ahead,
                                  const TilePlace &place) {
  if constexpr (rows > 1) {
    if (wanted < rows) return multiply_up_to<C, logical, rows - 1>(wanted, depth, a, b, ahead, place);
  }
  multiply_rows<C, logical, rows>(depth, a, b, ahead, place);
}

// Returns whether tiles are written to c at once: it has all columns of a tile, side by side.
template <typename T, typename C, bool logical>
bool has_whole_rows(const Matrix &c) {
  return !logical && sizeof(T) == sizeof(C) && c.cols == kCols<C> && c.col_stride == sizeof(T);
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void multiply(int64_t depth, const void *a_panel, RowsOfB b_panel, Ahead ahead, bool add,
                            const Matrix &c) {
  alignas(64) C tile[kRows * kCols<C>];
  const bool direct = has_whole_rows<T, C, logical>(c);
  const TilePlace place = direct ? TilePlace{c.data, c.row_stride, add}
                                 : TilePlace{reinterpret_cast<char *>(tile), kCols<C> * sizeof(C), false};
  multiply_up_to<C, logical>(c.rows, depth, static_cast<const C *>(a_panel), b_panel, ahead, place);
  if (!direct) store<T, C, logical>(tile, add, c);
}

// ---- Vectors

template <typename T, typename C, bool logical>
GPUOPT_TARGET void pack_x(const Matrix &x, void *packed) {
  pack<T, C, logical, 1>(x, 1, false, static_cast<C *>(packed));
}

// Integers and bools: their sums have the same bits in any order.
template <typename T, typename C, bool logical>
GPUOPT_TARGET C dot(int64_t depth, const char *row, const C *x) {
  using V = typename VectorOf<C>::type;
  constexpr int64_t kChains = 4, kStep = kChains * kLanes<C>;  // independent chains of additions, so that they overlap
  V sum[kChains] = {};
  int64_t p = 0;
  for (; p + kStep <= depth; p += kStep) {
#pragma GCC unroll 4
    for (int64_t chain = 0; chain < kChains; chain++) {
      const int64_t at = p + chain * kLanes<C>;
      const auto narrow = load_vector<T, kLanes<C> *static_cast<int>(sizeof(T))>(row + at * int64_t{sizeof(T)});
      V left = __builtin_convertvector(narrow, V);
      if constexpr (logical) left = reinterpret_cast<V>(left != 0);
      multiply_add<C, logical>(sum[chain], left, load_vector<C>(x + at));
    }
  }
  C lanes[size_t{kStep}], total = 0;
  for (int64_t chain = 0; chain < kChains; chain++) store_vector<C>(lanes + chain * kLanes<C>, sum[chain]);
  for (const C lane : lanes) total = added<logical>(total, lane);
  for (; p < depth; p++) {
    const T value = load<T>(row + p * int64_t{sizeof(T)});
    multiply_add<C, logical>(total, convert<T, C, logical>(value, false), x[p]);
  }
  return total;
}

// The sums of one block of up to `groups` times kLanes rows of floats: lane i of group g is row g * kLanes + i. The
// last row stands for those that are not there. Several groups at a time, because each addition waits for the one
// before it.
template <typename C, int groups, bool own_x>
struct BlockOfRows {
  using V = typename VectorOf<C>::type;
  static constexpr int kTerms = kPieceLanes<C>;  // that are added at a time
  const C *rows[size_t{groups * kLanes<C>}];
  const C *xs[size_t{groups * kLanes<C>}];
  V sums[size_t{groups}] = {};

  // Loads the terms [p, p + kTerms) of kLanes rows: lane i of x[j] is rows[i][p + j].
  GPUOPT_TARGET static void load_terms(const C *const *of, int64_t p, V (&x)[size_t{kTerms}]) {
#pragma GCC unroll 4
    for (int i = 0; i < kTerms; i++) x[i] = join<C>(of + i, p);
    transpose_pieces(x);
  }

  GPUOPT_TARGET void add_terms(int64_t p) {
#pragma GCC unroll 4
    for (int g = 0; g < groups; g++) {
      V left[size_t{kTerms}], right[size_t{kTerms}];
      load_terms(rows + g * kLanes<C>, p, left);
      if constexpr (own_x) {
        load_terms(xs + g * kLanes<C>, p, right);
      } else {
#pragma GCC unroll 4
        for (int i = 0; i < kTerms; i++) right[i] = load<C>(reinterpret_cast<const char *>(xs[0] + p + i)) - V{};
      }
#pragma GCC unroll 4
      for (int i = 0; i < kTerms; i++) sums[g] = fused(left[i], right[i], sums[g]);
    }
  }

  // Adds term p alone.
  GPUOPT_TARGET void add_term(int64_t p) {
    for (int g = 0; g < groups; g++) {
      V left = {}, right = {};
      for (int i = 0; i < kLanes<C>; i++) {
        left[i] = load<C>(reinterpret_cast<const char *>(rows[g * kLanes<C> + i] + p));
        right[i] = load<C>(reinterpret_cast<const char *>(xs[own_x ? g * kLanes<C> + i : 0] + p));
      }
      sums[g] = fused(left, right, sums[g]);
    }
  }
};

template <typename C, int groups, bool own_x>
GPUOPT_TARGET void multiply_block_of_rows(const Matrix &a, const char *x, int64_t x_step, bool add, const Matrix &c) {
  constexpr int kMost = groups * kLanes<C>;
  BlockOfRows<C, groups, own_x> block;
  for (int i = 0; i < kMost; i++) {
    const int64_t row = std::min<int64_t>(i, a.rows - 1);
    block.rows[i] = reinterpret_cast<const C *>(a.data + row * a.row_stride);
    block.xs[i] = reinterpret_cast<const C *>(x + row * x_step);
  }
  int64_t p = 0;
  for (; p + block.kTerms <= a.cols; p += block.kTerms) block.add_terms(p);
  for (; p < a.cols; p++) block.add_term(p);
  for (int64_t i = 0; i < a.rows; i++) {
    const C sum = block.sums[i / kLanes<C>][i % kLanes<C>];
    store_element<C, C, false>(c.data + i * c.row_stride, sum, add);
  }
}

template <typename C>
GPUOPT_TARGET void multiply_floats(const Matrix &a, const char *x, int64_t x_step, bool add, const Matrix &c) {
  if (x_step != 0) {
    multiply_block_of_rows<C, 2, true>(a, x, x_step, add, c);
  } else if (a.rows > kLanes<C>) {
    multiply_block_of_rows<C, 4, false>(a, x, 0, add, c);
  } else {
    multiply_block_of_rows<C, 1, false>(a, x, 0, add, c);
  }
}

template <typename T, typename C, bool logical>
GPUOPT_TARGET void multiply_vector(const Matrix &a, const void *x, int64_t x_step, bool add, const Matrix &c) {
  const char *const vectors = static_cast<const char *>(x);
  if constexpr (std::is_floating_point_v<C>) {
    const int64_t most = (x_step != 0 ? 2 : 4) * kLanes<C>;
    for (int64_t row = 0; row < a.rows; row += most) {
      const int64_t rows = std::min(most, a.rows - row);
      multiply_floats<C>(a.block(row, 0, rows, a.cols), vectors + row * x_step, x_step, add, c.block(row, 0, rows, 1));
    }
  } else {
    for (int64_t i = 0; i < a.rows; i++) {
      const C *const own = reinterpret_cast<const C *>(vectors + i * x_step);
      const C sum = dot<T, C, logical>(a.cols, a.data + i * a.row_stride, own);
      store_element<T, C, logical>(c.data + i * c.row_stride, sum, add);
    }
  }
}

// One row times a matrix whose rows are contiguous: c[j] = a b[:, j] for as many columns as there are in `vectors`.
template <typename C, int vectors>
GPUOPT_TARGET void multiply_columns(int64_t depth, const char *a, int64_t a_step, const char *b, int64_t b_step,
                                    bool add, char *c) {
  typename VectorOf<C>::type sums[size_t{vectors}] = {};
  for (int64_t p = 0; p < depth; p++, a += a_step, b += b_step) {
    const auto left = load<C>(a) - typename VectorOf<C>::type{};
#pragma GCC unroll 8
    for (int j = 0; j < vectors; j++) sums[j] = fused(left, load_vector<C>(b + j * GPUOPT_VECTOR), sums[j]);
  }
#pragma GCC unroll 8
  for (int j = 0; j < vectors; j++) {
    char *const place = c + j * GPUOPT_VECTOR;
    store_vector<C>(place, add ? load_vector<C>(place) + sums[j] : sums[j]);
  }
}

template <typename C>
GPUOPT_TARGET void multiply_row(const Matrix &a, const Matrix &b, bool add, const Matrix &c) {
  constexpr int64_t kWide = 8 * kLanes<C>, kElement = sizeof(C);
  int64_t j = 0;
  for (; j + kWide <= c.cols; j += kWide)
    multiply_columns<C, 8>(a.cols, a.data, a.col_stride, b.data + j * kElement, b.row_stride, add,
                           c.data + j * kElement);
  for (; j + kLanes<C> <= c.cols; j += kLanes<C>)
    multiply_columns<C, 1>(a.cols, a.data, a.col_stride, b.data + j * kElement, b.row_stride, add,
                           c.data + j * kElement);
  for (; j < c.cols; j++) {
    C sum = 0;
    for (int64_t p = 0; p < a.cols; p++)
      sum = gpo::fma(load<C>(a.data + p * a.col_stride), load<C>(b.data + p * b.row_stride + j * kElement), sum);
    store_element<C, C, false>(c.data + j * kElement, sum, add);
  }
}

// ---- Small matrices

// The same for vectors that may be shorter than a register.
template <typename C, typename V>
GPUOPT_TARGET inline V multiplied_and_added(const V &x, const V &y, V sum) {
  if constexpr (!std::is_floating_point_v<C>) {
    return sum + x * y;
  } else if constexpr (sizeof(V) >= 16) {
    return fused(x, y, sum);
  } else {
    for (size_t i = 0; i < sizeof(V) / sizeof(C); i++) sum[i] = gpo::fma(x[i], y[i], sum[i]);
    return sum;
  }
}

// One row of c, of n columns, in vectors of the largest powers of two that they consist of.
template <typename C, int n>
struct SmallRow {
  static constexpr int kLargest = GPUOPT_VECTOR / static_cast<int>(sizeof(C));
  static constexpr int kFirst = n >= kLargest ? kLargest : n >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;
  static constexpr int kBytes = kFirst * static_cast<int>(sizeof(C));
  typename VectorOf<C, kBytes>::type sum = {};
  SmallRow<C, n - kFirst> rest;

  GPUOPT_TARGET void add(C left, const char *right) {
    sum = multiplied_and_added<C>(left - decltype(sum){}, load_vector<C, kBytes>(right), sum);
    rest.add(left, right + kBytes);
  }
  GPUOPT_TARGET void store(char *to) const {
    store_vector<C, kBytes>(to, sum);
    rest.store(to + kBytes);
  }
};
template <typename C>
struct SmallRow<C, 0> {
  GPUOPT_TARGET void add(C, const char *) {}
  GPUOPT_TARGET void store(char *) const {}
};

template <typename C, int n>
GPUOPT_TARGET void multiply_small_cols(const SmallBatch &batch) {
  const Matrix &a = batch.a, &b = batch.b, &c = batch.c;
  for (int64_t k = 0; k < batch.count; k++) {
    for (int64_t i = 0; i < c.rows; i++) {
      const char *left = a.data + k * batch.a_step + i * a.row_stride, *right = b.data + k * batch.b_step;
      SmallRow<C, n> row;
      for (int64_t p = 0; p < a.cols; p++, left += a.col_stride, right += b.row_stride) row.add(load<C>(left), right);
      row.store(c.data + k * batch.c_step + i * c.row_stride);
    }
  }
}
template <typename C, int n = static_cast<int>(kMostSmallCols)>
GPUOPT_TARGET void multiply_small(const SmallBatch &batch) {
  if constexpr (n > 1) {
    if (batch.c.cols < n) return multiply_small<C, n - 1>(batch);
  }
  multiply_small_cols<C, n>(batch);
}

// ---- The table

template <typename T, typename C, bool logical = false>
constexpr GemmKernel kKernel{kRows,
                             kCols<C>,
                             sizeof(C),
                             pack_a<T, C, logical>,
                             pack_b<T, C, logical>,
                             multiply<T, C, logical>,
                             pack_x<T, C, logical>,
                             multiply_vector<T, C, logical>,
                             [] {
                               if constexpr (std::is_same_v<T, C> && !logical) {
                                 return &multiply_small<C>;
                               } else {
                                 return nullptr;
                               }
                             }(),
                             [] {
                               if constexpr (std::is_floating_point_v<C>) {
                                 return &multiply_row<C>;
                               } else {
                                 return nullptr;
                               }
                             }()};

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
