// plugins/cuda/program/layout.cpp -- see layout.h.
#include "plugins/cuda/program/layout.h"

#include <algorithm>
#include <cstdlib>

#include "plugins/cuda/text/rounds.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cuda {
namespace {

constexpr int64_t kShortRow = 128;                       // in shorter rows of a Map most threads of a block would idle
constexpr int64_t kShortSequence = 32;                   // in shorter sequences most lanes of a warp would idle
constexpr int64_t kManySequences = 4096;                 // as many sequences fill a GPU
constexpr int64_t kManyPartials = 16384;                 // as many partial results (groups) fill a GPU
constexpr int64_t kPartialsOfOne = 4096;                 // the most groups of a sequence, which one block merges
constexpr int64_t kChunksOfGroup = gpo::most_in_rounds;  // the most chunks of a group
constexpr int64_t kVectorBytes = 16;                     // the largest vector load
constexpr int64_t kStagedBytes = 48;                     // of a lane's vectors: times 512, what a block stages
constexpr int64_t kNarrow = int64_t{1} << 31;            // larger numbers and offsets take 64 bits

// Finds the layout of one pass. Outer dimensions are sorted by their strides; inner ones keep their order, which is
// that in which a sequence is reduced.
class LayoutFinder {
 public:
  LayoutFinder(const gpuopt_program &program, const Pass &pass, const std::vector<OperandMemory> &memory,
               Layout &layout)
      : p_(program), pass_(pass), memory_(memory), out_(layout), count_(pass.operands.size()) {}

  void run() {
    out_.shape = Shape();
    gather(out_.outer, [&](bool reduced) { return !reduced || (is_map() && pass_.full); });
    gather(out_.inner, [&](bool reduced) { return reduced && !is_map(); });
    sort(out_.outer);
    merge(out_.outer);
    merge(out_.inner);
    out_.shape.lies.assign(count_, Lie::kStrided);
    if (is_map()) {
      choose_map();
    } else {
      choose_sequences();
    }
    out_.rows = out_.outer.elements();
    out_.length = out_.inner.elements();
    out_.shape.outer = static_cast<uint8_t>(out_.outer.rank());
    out_.shape.inner = static_cast<uint8_t>(out_.inner.rank());
    for (size_t o = 0; o < count_; o++) out_.shape.lies[o] = lie_of(o);
    out_.shape.wide = is_wide();
    if (out_.shape.kind == KernelKind::kMapRows) choose_vector(pass_.most_at_once(), 1);
    if (out_.shape.kind == KernelKind::kReduceRows && !any_strided()) {
      choose_vector(pass_.most_at_once(), GPUOPT_LANES);
      if (out_.shape.vector * loaded_bytes() > kStagedBytes) out_.shape.vector = 1;
    }
    if (!is_map()) cut();
  }

 private:
  bool is_map() const { return pass_.kind == PassKind::kMap; }
  int size_of(size_t o) const { return plugin::dtype_size(pass_.operands[o].dtype); }
  int64_t &stride(Dimensions &group, int d, size_t o) { return group.strides[static_cast<size_t>(d) * count_ + o]; }
  int64_t last_stride(const Dimensions &group, size_t o) const {
    return group.strides[(group.sizes.size() - 1) * count_ + o];
  }

  // Collects the dimensions of a group, those for which belongs(reduced) is true, except dimensions of size 1. An
  // operand that does not vary along the reduced axes gets stride 0 there.
  template <class Belongs>
  void gather(Dimensions &group, Belongs belongs) {
    group.sizes.clear();
    group.strides.clear();
    for (int d = 0; d < p_.ndim; d++) {
      const bool reduced = p_.reduced_axes >> d & 1;
      if (p_.shape[d] == 1 || !belongs(reduced)) continue;
      group.sizes.push_back(p_.shape[d]);
      for (size_t o = 0; o < count_; o++)
        group.strides.push_back(reduced && !pass_.operands[o].full ? 0 : memory_[o].strides[d]);
    }
    if (std::find(group.sizes.begin(), group.sizes.end(), 0) == group.sizes.end()) return;
    group.sizes.assign(1, 0);  // a group without elements is one dimension of size 0, since other sizes could overflow
    group.strides.assign(count_, 0);
  }

  // Returns whether dimension d should be outside of dimension e. The first operand whose strides differ and are not 0
  // decides, outputs before inputs; if there is none, d < e does.
  bool is_outside(Dimensions &group, int d, int e) {
    for (const bool stored : {true, false}) {
      for (size_t o = 0; o < count_; o++) {
        const int64_t a = std::abs(stride(group, d, o)), b = std::abs(stride(group, e, o));
        if (pass_.operands[o].stored == stored && a != 0 && b != 0 && a != b) return a > b;
      }
    }
    return d < e;
  }

  // Sorts dimensions by is_outside(), so that the innermost one has the smallest strides (insertion sort).
  void sort(Dimensions &group) {
    for (int i = 1; i < group.rank(); i++) {
      for (int d = i; d > 0 && !is_outside(group, d - 1, d); d--) {
        std::swap(group.sizes[static_cast<size_t>(d)], group.sizes[static_cast<size_t>(d) - 1]);
        for (size_t o = 0; o < count_; o++) std::swap(stride(group, d, o), stride(group, d - 1, o));
      }
    }
  }

  // Merges adjacent dimensions which every operand traverses as if they were one: the outer stride is the inner stride
  // times the inner size.
  void merge(Dimensions &group) {
    int kept = 0;
    for (int d = 1; d < group.rank(); d++) {
      const int64_t size = group.sizes[static_cast<size_t>(d)];
      bool joins = true;
      for (size_t o = 0; o < count_; o++) joins &= stride(group, kept, o) == stride(group, d, o) * size;
      if (!joins) kept++;
      group.sizes[static_cast<size_t>(kept)] = joins ? group.sizes[static_cast<size_t>(kept)] * size : size;
      for (size_t o = 0; o < count_; o++) stride(group, kept, o) = stride(group, d, o);
    }
    if (group.sizes.empty()) return;
    group.sizes.resize(static_cast<size_t>(kept) + 1);
    group.strides.resize(group.sizes.size() * count_);
  }

  // Chooses between kMapRows and kMapPoints. Rows run along the innermost dimension, along which every operand must be
  // contiguous (or, if it is only read, may be broadcast). If there are several, they must not be short.
  void choose_map() {
    bool dense = true;
    if (out_.outer.rank() > 0) {
      for (size_t o = 0; o < count_; o++) {
        const int64_t step = last_stride(out_.outer, o);
        dense &= step == size_of(o) || (step == 0 && !pass_.operands[o].stored);
      }
    }
    const bool rows = dense && (out_.outer.rank() < 2 || out_.outer.sizes.back() >= kShortRow);
    out_.shape.kind = rows ? KernelKind::kMapRows : KernelKind::kMapPoints;
    if (!rows || out_.outer.rank() == 0) return;
    out_.inner.sizes.assign(1, out_.outer.sizes.back());
    out_.inner.strides.assign(out_.outer.strides.end() - static_cast<int64_t>(count_), out_.outer.strides.end());
    out_.outer.sizes.pop_back();
    out_.outer.strides.resize(out_.outer.sizes.size() * count_);
  }

  // Returns the bytes per element of FULL operands that are closer together along a row than across rows, minus the
  // bytes of those for which it is the other way round.
  int64_t bytes_along() const {
    int64_t bytes = 0;
    for (size_t o = 0; o < count_; o++) {
      if (!pass_.operands[o].full) continue;
      const int64_t along = std::abs(last_stride(out_.inner, o)), across = std::abs(last_stride(out_.outer, o));
      if (along != 0 && (across == 0 || along < across)) bytes += size_of(o);
      if (across != 0 && (along == 0 || across < along)) bytes -= size_of(o);
    }
    return bytes;
  }

  // Chooses whether neighbouring threads take neighbouring elements of a sequence (kReduceRows, kScanRows) or
  // neighbouring sequences (kReduceColumns, kScanColumns). With fewer sequences than lanes it is the former, with many
  // short sequences the latter, and else that for which more bytes are adjacent.
  void choose_sequences() {
    const int64_t rows = out_.outer.elements(), length = out_.inner.elements();
    bool along = out_.outer.rank() == 0 || rows < GPUOPT_LANES;
    if (!along && out_.inner.rank() > 0 && (length > kShortSequence || rows < kManySequences))
      along = bytes_along() >= 0;
    if (pass_.kind == PassKind::kReduce) {
      out_.shape.kind = along ? KernelKind::kReduceRows : KernelKind::kReduceColumns;
    } else {
      out_.shape.kind = along ? KernelKind::kScanRows : KernelKind::kScanColumns;
    }
  }

  // Returns the Lie of an operand. One that is stored to is never kUniform.
  Lie lie_of(size_t o) {
    bool along = false, across = false;
    for (int d = 0; d < out_.inner.rank(); d++) along |= stride(out_.inner, d, o) != 0;
    for (int d = 0; d < out_.outer.rank(); d++) across |= stride(out_.outer, d, o) != 0;
    if (along && out_.inner.rank() == 1 && stride(out_.inner, 0, o) == size_of(o)) return Lie::kContiguous;
    if (along) return Lie::kStrided;
    return across || pass_.operands[o].stored ? Lie::kRow : Lie::kUniform;
  }

  // Returns the largest distance in bytes, in either direction, between an operand's first element and another one of
  // the group.
  int64_t reach(Dimensions &group, size_t o) {
    int64_t bytes = 0;
    for (int d = 0; d < group.rank(); d++)
      bytes += std::abs(stride(group, d, o)) * std::max<int64_t>(group.sizes[static_cast<size_t>(d)] - 1, 0);
    return bytes;
  }

  // Returns whether the number of an element, its offset, or a partial sum of its offset needs more than 31 bits.
  // Kernels of kMapRows count elements along a row in 64 bits, so that only the numbers and offsets of rows matter for
  // them.
  bool is_wide() {
    const bool rows_only = out_.shape.kind == KernelKind::kMapRows;
    // This cannot overflow: find_bad_shape() has counted the elements of the whole shape.
    bool wide = (rows_only ? out_.rows : out_.rows * out_.length) >= kNarrow;
    for (size_t o = 0; o < count_; o++)
      wide |= reach(out_.outer, o) + (rows_only ? 0 : reach(out_.inner, o)) + size_of(o) >= kNarrow;
    return wide;
  }

  // Returns whether vectors of an operand are loaded or stored: in a Reduce, elements are stored one by one.
  bool is_in_vectors(size_t o) const {
    return out_.shape.lies[o] == Lie::kContiguous && (is_map() || !pass_.operands[o].stored);
  }
  // Returns whether some operand that is read is strided, so that its elements are read one by one.
  bool any_strided() const {
    bool any = false;
    for (size_t o = 0; o < count_; o++) any |= out_.shape.lies[o] == Lie::kStrided && !pass_.operands[o].stored;
    return any;
  }
  // Returns the bytes of one element of all operands of which vectors are loaded.
  int64_t loaded_bytes() const {
    int64_t bytes = 0;
    for (size_t o = 0; o < count_; o++) bytes += is_in_vectors(o) && !pass_.operands[o].stored ? size_of(o) : 0;
    return bytes;
  }

  // Chooses how many elements a thread takes next to each other, at most `most`: as many as fill 16 bytes of the widest
  // contiguous operand, or in a Map more of them if its stores are narrower. Every row of every contiguous operand must
  // be aligned for that, and rows must have `at_once` as many elements or more; else it takes one.
  void choose_vector(int64_t most, int64_t at_once) {
    int64_t widest = 0;
    for (size_t o = 0; o < count_; o++) {
      if (is_in_vectors(o)) widest = std::max<int64_t>(widest, size_of(o));
    }
    if (widest == 0 && !is_map()) return;
    const int64_t one_access = std::min<int64_t>(kVectorBytes / std::max<int64_t>(widest, 1), most);
    const auto fits = [&](int64_t n) { return out_.length >= n * at_once && is_aligned(n); };
    for (const int64_t n : {is_map() ? fill_stores(one_access, most) : one_access, one_access}) {
      if (!fits(n)) continue;
      out_.shape.vector = static_cast<uint8_t>(n);
      return;
    }
  }

  // Returns `n` elements of a Map, doubled until they fill 16 bytes of the widest operand that is stored. They may take
  // two loads of 16 bytes of each operand that is read, but no more registers than other Maps read ahead. A store is
  // not divided, since its halves would be parts of sectors of memory.
  int64_t fill_stores(int64_t n, int64_t most) const {
    int64_t stored = 0, loaded = 0;
    for (size_t o = 0; o < count_; o++) {
      if (!is_in_vectors(o)) continue;
      int64_t &widest = pass_.operands[o].stored ? stored : loaded;
      widest = std::max<int64_t>(widest, size_of(o));
    }
    if (stored == 0) return n;
    while (2 * n <= most && 2 * n * stored <= kVectorBytes && 2 * n * loaded <= 2 * kVectorBytes &&
           2 * n * loaded_bytes() <= kBytesOnTheirWay)
      n *= 2;
    return n;
  }

  // Returns whether the rows of all operands in vectors begin where `n` elements, or 16 bytes of them, are aligned.
  bool is_aligned(int64_t n) {
    uint64_t misaligned = 0;
    for (size_t o = 0; o < count_; o++) {
      if (!is_in_vectors(o)) continue;
      uint64_t places = memory_[o].address;
      for (int d = 0; d < out_.outer.rank(); d++) places |= static_cast<uint64_t>(stride(out_.outer, d, o));
      misaligned |= places & static_cast<uint64_t>(std::min<int64_t>(n * size_of(o), kVectorBytes) - 1);
    }
    return misaligned == 0;
  }

  // Cuts sequences into chunks and, for a Reduce, chunks into groups. A group begins as one chunk. It is doubled, up to
  // kChunksOfGroup, while the sequences alone fill a GPU, while all groups together are more than fill one, or while a
  // sequence has more groups than one block merges. If a sequence has several groups, a second kernel merges their
  // results. A Scan of several chunks takes three kernels.
  void cut() {
    out_.chunks = (out_.length + GPUOPT_CHUNK - 1) / GPUOPT_CHUNK;
    if (pass_.kind == PassKind::kScan) {
      out_.shape.split = out_.chunks > 1;
      return;
    }
    const auto groups = [&] { return (out_.chunks + out_.chunks_of_group - 1) / out_.chunks_of_group; };
    out_.chunks_of_group = 1;
    const bool many = out_.rows >= kManySequences;
    while (groups() > 1 && out_.chunks_of_group < kChunksOfGroup &&
           (many || groups() > kPartialsOfOne || groups() > kManyPartials / out_.rows))
      out_.chunks_of_group *= 2;
    out_.groups = std::max<int64_t>(groups(), 1);
    out_.shape.split = out_.groups > 1;
  }

  const gpuopt_program &p_;
  const Pass &pass_;
  const std::vector<OperandMemory> &memory_;
  Layout &out_;
  const size_t count_;
};

}  // namespace

int64_t Dimensions::elements() const {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

void find_layout(const gpuopt_program &program, const Pass &pass, const std::vector<OperandMemory> &memory,
                 Layout &layout) {
  LayoutFinder(program, pass, memory, layout).run();
}

}  // namespace gpuopt::cuda
