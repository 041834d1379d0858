// plugins/cuda/program/layout.cpp -- see layout.h.
#include "plugins/cuda/program/layout.h"

#include <algorithm>
#include <cstdlib>

#include "plugins/cuda/text/rounds.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cuda {
namespace {

constexpr int64_t kShortRow = 128;        // elements of a Map's row below which a block would mostly idle
constexpr int64_t kShortSequence = 32;    // elements below which a warp would
constexpr int64_t kManySequences = 4096;  // enough of them to fill a GPU
constexpr int64_t kManyPartials = 16384;  // likewise
constexpr int64_t kPartialsOfOne = 4096;  // what one block merges
constexpr int64_t kChunksOfGroup = gpo::most_in_rounds;
constexpr int64_t kVectorBytes = 16;
constexpr int64_t kNarrow = int64_t{1} << 31;

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
    if (out_.shape.kind == KernelKind::kMapRows) choose_vector();
    if (!is_map()) cut();
  }

 private:
  bool is_map() const { return pass_.kind == PassKind::kMap; }
  int size_of(size_t o) const { return plugin::dtype_size(pass_.operands[o].dtype); }
  int64_t &stride(Dimensions &group, int d, size_t o) { return group.strides[static_cast<size_t>(d) * count_ + o]; }
  int64_t last_stride(const Dimensions &group, size_t o) const {
    return group.strides[(group.sizes.size() - 1) * count_ + o];
  }

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
    group.sizes.assign(1, 0);  // no element has a place, and the other sizes may be anything
    group.strides.assign(count_, 0);
  }

  // Whether dimension d should be outside of dimension e: by the first operand, outputs before inputs, whose strides
  // differ.
  bool is_outside(Dimensions &group, int d, int e) {
    for (const bool stored : {true, false}) {
      for (size_t o = 0; o < count_; o++) {
        const int64_t a = std::abs(stride(group, d, o)), b = std::abs(stride(group, e, o));
        if (pass_.operands[o].stored == stored && a != 0 && b != 0 && a != b) return a > b;
      }
    }
    return d < e;
  }

  void sort(Dimensions &group) {
    for (int i = 1; i < group.rank(); i++) {
      for (int d = i; d > 0 && !is_outside(group, d - 1, d); d--) {
        std::swap(group.sizes[static_cast<size_t>(d)], group.sizes[static_cast<size_t>(d) - 1]);
        for (size_t o = 0; o < count_; o++) std::swap(stride(group, d, o), stride(group, d - 1, o));
      }
    }
  }

  // Joins neighbouring dimensions that every operand walks through as if they were one.
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

  // Bytes of operands that lie closer together along a row than across rows, less those for which it is the other way.
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

  Lie lie_of(size_t o) {
    bool along = false, across = false;
    for (int d = 0; d < out_.inner.rank(); d++) along |= stride(out_.inner, d, o) != 0;
    for (int d = 0; d < out_.outer.rank(); d++) across |= stride(out_.outer, d, o) != 0;
    if (along && out_.inner.rank() == 1 && stride(out_.inner, 0, o) == size_of(o)) return Lie::kContiguous;
    if (along) return Lie::kStrided;
    return across || pass_.operands[o].stored ? Lie::kRow : Lie::kUniform;
  }

  // Bytes from the element an offset is counted from to the furthest one, in either direction.
  int64_t reach(Dimensions &group, size_t o) {
    int64_t bytes = 0;
    for (int d = 0; d < group.rank(); d++)
      bytes += std::abs(stride(group, d, o)) * std::max<int64_t>(group.sizes[static_cast<size_t>(d)] - 1, 0);
    return bytes;
  }

  // Whether the number of an element, or an offset to it or on the way to it, needs more than 31 bits. Along its rows a
  // Map counts in 64 bits, so that only where they begin matters there.
  bool is_wide() {
    const bool rows_only = out_.shape.kind == KernelKind::kMapRows;
    // The whole shape's elements were counted without overflow.
    bool wide = (rows_only ? out_.rows : out_.rows * out_.length) >= kNarrow;
    for (size_t o = 0; o < count_; o++)
      wide |= reach(out_.outer, o) + (rows_only ? 0 : reach(out_.inner, o)) + size_of(o) >= kNarrow;
    return wide;
  }

  // Vectors of 16 bytes of the widest element, where every row of every operand allows it.
  void choose_vector() {
    int64_t widest = 1;
    for (size_t o = 0; o < count_; o++) {
      if (out_.shape.lies[o] == Lie::kContiguous) widest = std::max<int64_t>(widest, size_of(o));
    }
    const int64_t wanted = std::min<int64_t>(kVectorBytes / widest, pass_.most_at_once());
    uint64_t misaligned = 0;
    for (size_t o = 0; o < count_; o++) {
      if (out_.shape.lies[o] != Lie::kContiguous) continue;
      uint64_t places = memory_[o].address;
      for (int d = 0; d < out_.outer.rank(); d++) places |= static_cast<uint64_t>(stride(out_.outer, d, o));
      misaligned |= places & static_cast<uint64_t>(wanted * size_of(o) - 1);
    }
    out_.shape.vector = static_cast<uint8_t>(misaligned == 0 && out_.length >= wanted ? wanted : 1);
  }

  // Long sequences are shared out where there are too few of them to fill a GPU.
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
