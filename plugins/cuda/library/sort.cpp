// plugins/cuda/library/sort.cpp -- the slot sort: sort, argsort, searchsorted and bincount.
#include <algorithm>
#include <bit>

#include "plugins/cuda/library/radix.h"
#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

constexpr int64_t kShortItems = 1024, kShortThreads = 256;  // short_items and short_threads of text/sort.h

// The type that elements are read as: the bytes of a bool are ordered as those of a u8.
std::string sorted_type(int32_t dtype) { return dtype == GPUOPT_BOOL ? "gpo::u8" : element_type(dtype); }

// The rows of x and of the result along an axis.
struct SortRows {
  explicit SortRows(const gpuopt_call &call)
      : x(call.tensors[0]),
        out(call.tensors[1]),
        row_size(x.shape[call.ints[0]]),
        count(size_of(x) / row_size),
        descending(call.ints[1] != 0),
        indices(call.kind == GPUOPT_CALL_ARGSORT),
        walk(axes(call.ints[0]).walk()) {}

  const gpuopt_tensor &x, &out;
  const int64_t row_size, count;
  const bool descending, indices;
  const Walk<2> walk;  // of (out, x), in which rows lie along the last axis

  std::string type() const { return sorted_type(x.dtype); }
  // Elements are copied as units of their size; those of 16 bytes need not be aligned to it.
  std::string unit() const { return x.dtype == GPUOPT_COMPLEX128 ? "gpo::c128" : unit_type(element_size(x.dtype)); }
  std::string position() const { return count_type(size_of(x)); }
  std::string rank() const { return std::to_string(walk.ndim()); }

 private:
  Axes<2> axes(int64_t axis) const {
    Axes<2> all;
    for (int32_t k = 0; k < x.ndim; k++) {
      if (k != axis) all.append(x.shape[k], {out.strides[k], x.strides[k]});
    }
    all.append(row_size, {out.strides[axis], x.strides[axis]});
    return all;
  }
};

void sort_short(const Work &work, const SortRows &rows) {
  const int64_t of_block = kShortItems / rows.row_size * rows.row_size, n = size_of(rows.x);
  const uint64_t used = static_cast<uint64_t>(std::min(of_block, n));
  KernelWords words{static_cast<uint64_t>(n),
                    static_cast<uint64_t>(of_block),
                    static_cast<uint64_t>(rows.row_size),
                    std::bit_ceil(used),
                    address_of(rows.x),
                    address_of(rows.out)};
  launch_library(work, "sort.h",
                 instance("sort_short", {rows.type(), rows.unit(), flag(rows.descending), flag(rows.indices),
                                         rows.position(), rows.rank()}),
                 words.add(rows.walk), (n - 1) / of_block + 1, kShortThreads);
}

void sort_long(const Work &work, const SortRows &rows) {
  const int64_t element = element_size(rows.x.dtype), n = size_of(rows.x);
  RadixItems items(work, rows.count, rows.row_size, element <= 4 ? 4 : 8);
  const auto launch = [&](const char *kernel, std::initializer_list<std::string> arguments) {
    KernelWords words{static_cast<uint64_t>(n), items.address(),    static_cast<uint64_t>(rows.row_size),
                      items.bits_address(),     address_of(rows.x), address_of(rows.out)};
    launch_moves(work, "sort.h", instance(kernel, arguments), words.add(rows.walk), n);
  };
  items.clear_bits();
  launch("sort_items", {rows.type(), flag(rows.descending), items.type(), rows.position(), rows.rank()});
  items.sort_noted();
  if (rows.x.dtype == GPUOPT_COMPLEX128) {
    items.clear_bits();
    launch("sort_high_keys", {flag(rows.descending), items.type(), rows.position(), rows.rank()});
    items.sort_noted();
  }
  launch("sort_results", {rows.unit(), flag(rows.indices), items.type(), rows.position(), rows.rank()});
}

void sort_call(const Work &work, const gpuopt_call &call) {
  if (!size_of(call.tensors[0])) return;
  const SortRows rows(call);
  rows.row_size <= kShortItems ? sort_short(work, rows) : sort_long(work, rows);
}

void search_sorted(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &sorted = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  const int64_t n = size_of(values);
  if (!n) return;
  const Walk<2> walk(values.ndim, values.shape, {values.strides, out.strides});
  KernelWords words{static_cast<uint64_t>(n),
                    address_of(values),
                    address_of(out),
                    address_of(sorted),
                    static_cast<uint64_t>(sorted.shape[0]),
                    static_cast<uint64_t>(sorted.strides[0])};
  launch_moves(work, "sort.h",
               instance("search_sorted", {sorted_type(sorted.dtype), flag(call.ints[0] != 0), count_type(n),
                                          std::to_string(walk.ndim())}),
               words.add(walk), n);
}

// Integers are counted by atomic additions. Weights are added in their order: each bin's are found by a sort.
void count_bins(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &out = call.tensors[call.ntensors - 1];
  const int64_t n = x.shape[0], bins = out.shape[0];
  if (!bins) return;
  KernelWords words{static_cast<uint64_t>(n),
                    address_of(x),
                    static_cast<uint64_t>(x.strides[0]),
                    address_of(out),
                    static_cast<uint64_t>(out.strides[0]),
                    static_cast<uint64_t>(bins)};
  if (call.ntensors == 2 || !n) {
    launch_moves(work, "sort.h", instance("bins_clear", {"gpo::u64"}), words, bins);
    if (n) launch_moves(work, "sort.h", instance("bins_count", {"gpo::u64"}), words, n);
    return;
  }
  RadixItems items(work, 1, n, 8);
  const gpuopt_tensor &weights = call.tensors[1];
  const auto launch = [&](const char *kernel, int64_t positions) {
    KernelWords all = words;
    for (const uint64_t word :
         {address_of(weights), static_cast<uint64_t>(weights.strides[0]), items.address(), items.bits_address()})
      all.add(static_cast<int64_t>(word));
    launch_moves(work, "sort.h", instance(kernel, {items.type(), "gpo::u64"}), all, positions);
  };
  items.clear_bits();
  launch("bins_items", n);
  items.sort_noted();
  launch("bins_sum", bins);
}

}  // namespace

gpuopt_status slots::sort(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                          gpuopt_error *) {
  const ContextScope context(*device);
  switch (call->kind) {
    case GPUOPT_CALL_SORT:
      sort_call({*device, *stream, "sort"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_ARGSORT:
      sort_call({*device, *stream, "argsort"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_SEARCHSORTED:
      search_sorted({*device, *stream, "searchsorted"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_BINCOUNT:
      count_bins({*device, *stream, "bincount"}, *call);
      return GPUOPT_OK;
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend knows no sort operation %d", static_cast<int>(call->kind));
  }
}

}  // namespace gpuopt::cuda
