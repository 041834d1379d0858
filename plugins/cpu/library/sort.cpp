// plugins/cpu/library/sort.cpp -- sort and argsort: each row is copied into items, these are sorted (sort_items.h), and
// the row of the result is written from them.
//
// The items of a sort are keys alone, from which the elements are made again. Two elements have no key of their own:
// -0, which is equal to 0, and a NaN; a row that has some gets them from the source once more, in their order. The
// items of an argsort have an index each, and so do those of complex numbers. Keys of complex128 have two halves: they
// are sorted by the lower one first, and then by the higher one.
#include "plugins/cpu/library/sort.h"

#include <atomic>

#include "plugins/cpu/library/search.h"
#include "plugins/cpu/library/sort_elements.h"
#include "plugins/cpu/library/sort_items.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
namespace {

using plugin::Walk;
using sorting::sort_in_parallel;
using sorting::sort_serially;

// A row of a call: where it is, how long, and whether all threads work on it.
struct Row {
  Line from, to;
  int64_t n;
  bool parallel;
};

template <typename Item>
void sort_row_items(const Row &row, Item *items, Item *other) {
  row.parallel ? sort_in_parallel(items, other, row.n, false) : sort_serially(items, other, row.n, false);
}

// ---- Sorting keys

// Where a row in order has the first zero and the first NaN, or would have it.
struct FirstOfEqual {
  int64_t zero, nan;
};
template <typename T, bool descending>
FirstOfEqual find_zeros_and_nans(const Row &row) noexcept {
  using K = gpo::uint_of<T>;
  const auto first_from = [&](K key) {
    int64_t begin = 0, end = row.n;
    while (begin < end) {
      const int64_t middle = begin + (end - begin) / 2;
      const bool below = gpo::real_sort_key<T, descending>(read_element<T>(row.to.at(middle))) < key;
      (below ? begin : end) = below ? middle + 1 : middle;
    }
    return begin;
  };
  return {first_from(gpo::real_sort_key<T, descending>(T{})), first_from(gpo::nan_key<K>)};
}

// Writes the zeros and NaNs of a row where they belong, in the order of the row.
template <typename T, bool descending>
void restore_zeros_and_nans(const Row &row, const FirstOfEqual &first) {
  using K = gpo::uint_of<T>;
  const K zero = gpo::real_sort_key<T, descending>(T{}), nan = gpo::nan_key<K>;
  int64_t zeros = first.zero, nans = first.nan;
  for (int64_t i = 0; i < row.n; i++) {
    const T element = read_element<T>(row.from.at(i));
    const K key = gpo::real_sort_key<T, descending>(element);
    if (key == zero) write_element(row.to.at(zeros++), element);
    if (key == nan) write_element(row.to.at(nans++), element);
  }
}

template <typename T, bool descending>
struct KeySort {
  using Item = gpo::uint_of<T>;

  // Returns whether the row has a NaN or a -0.
  static bool load(const Row &row, Item *keys) {
    std::atomic<bool> any{false};
    for_parts_of_line(row.n, row.parallel, [&](int64_t begin, int64_t end) {
      Item special = 0;
      for_places<T>(row.from, begin, end, [&](int64_t i, const char *place) {
        const T element = read_element<T>(place);
        keys[i] = gpo::real_sort_key<T, descending>(element);
        if constexpr (gpo::has_nan<T>) {
          const Item bits = gpo::element_bits(element);
          special = static_cast<Item>(special | (keys[i] == gpo::nan_key<Item>) | (bits == gpo::sign_bit<Item>));
        }
      });
      if (special) any.store(true, std::memory_order_relaxed);
    });
    return any;
  }

  // The keys are kept where the result goes, if they can be and their sort cannot run out of memory: fewer pages of
  // memory are touched.
  static void run(const Row &row, Item *items, Item *other) {
    const bool in_result = sorting::is_sorted_without_memory<Item>() && row.to.step == int64_t{sizeof(T)} &&
                           row.from.first != row.to.first &&
                           reinterpret_cast<uintptr_t>(row.to.first) % sizeof(Item) == 0;
    Item *const keys = in_result ? reinterpret_cast<Item *>(row.to.first) : items;
    Item *const memory = in_result ? items : other;
    const bool special = load(row, keys);
    const auto write = [&](int64_t begin, int64_t end) {
      for_places<T>(row.to, begin, end,
                    [&](int64_t i, char *place) { write_element(place, gpo::element_of_key<T, descending>(keys[i])); });
    };
    if (!sort_and_write(row, keys, memory, write)) {
      sort_row_items(row, keys, memory);
      for_parts_of_line(row.n, row.parallel, write);
    }
    if constexpr (gpo::has_nan<T>) {
      if (special) restore_zeros_and_nans<T, descending>(row, find_zeros_and_nans<T, descending>(row));
    }
  }

 private:
  // Sorts keys by buckets, and writes the elements of each while it is in a cache. Returns whether it has done so.
  template <typename Write>
  static bool sort_and_write(const Row &row, Item *keys, Item *memory, const Write &write) {
    if constexpr (sorting::is_key<Item>) {
      return row.parallel && sorting::is_parallel(row.n) &&
             sorting::sort_keys_in_parallel(keys, memory, row.n, false, write);
    } else {
      return false;
    }
  }
};

// ---- Sorting keys with indices

// Gives each item its key: that of the element of the row at the item's index.
template <typename T, typename Item, typename KeyOfElement>
void set_keys(const Row &row, Item *items, KeyOfElement key) {
  for_parts_of_line(row.n, row.parallel, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      items[i].key = key(read_element<T>(row.from.at(static_cast<int64_t>(items[i].index))));
    }
  });
}

template <typename T, typename Item, typename KeyOfElement>
void set_items(const Row &row, Item *items, KeyOfElement key) {
  for_parts_of_line(row.n, row.parallel, [&](int64_t begin, int64_t end) {
    for_places<T>(row.from, begin, end, [&](int64_t i, const char *place) {
      items[i] = {key(read_element<T>(place)), static_cast<decltype(Item::index)>(i)};
    });
  });
}

// Sorts the indices of a row: the i-th item gets the index of the i-th element in order.
template <typename T, bool descending, typename Item>
void order_row(const Row &row, Item *items, Item *other) {
  if constexpr (gpo::is_same<T, gpo::c128>) {
    using Halves = gpo::key_halves<gpo::u64>;
    const auto halves = [](const T &x) -> Halves { return gpo::complex_key_halves<double, descending>(x); };
    set_items<T>(row, items, [&](const T &x) { return halves(x).low; });
    sort_row_items(row, items, other);
    set_keys<T>(row, items, [&](const T &x) { return halves(x).high; });
  } else {
    set_items<T>(row, items, [](const T &x) { return gpo::sort_key<T, descending>(x); });
  }
  sort_row_items(row, items, other);
}

// Writes the indices of a row in order (argsort), or its elements (sort).
template <typename T, bool descending, bool indices, typename Index>
struct IndexSort {
  using Key = std::conditional_t<sizeof(T) <= 4 && sizeof(Index) == 4, uint32_t, uint64_t>;
  using Item = Indexed<Key, Index>;
  using Result = std::conditional_t<indices, int64_t, T>;

  static void run(const Row &row, Item *items, Item *other) {
    order_row<T, descending>(row, items, other);
    for_parts_of_line(row.n, row.parallel, [&](int64_t begin, int64_t end) {
      for_places<Result>(row.to, begin, end, [&](int64_t i, char *place) {
        const auto index = static_cast<int64_t>(items[i].index);
        if constexpr (indices) {
          write_element(place, index);
        } else {
          write_element(place, read_element<T>(row.from.at(index)));
        }
      });
    });
  }
};

// ---- Calls

// The rows of a call along its axis, in C order of the other axes.
struct RowsOfCall {
  explicit RowsOfCall(const gpuopt_call &call)
      : x(call.tensors[0]),
        out(call.tensors[1]),
        axis(static_cast<int32_t>(call.ints[0])),
        n(x.shape[axis]),
        walk(without_axis()) {}
  Row row(int64_t x_offset, int64_t out_offset, bool parallel) const {
    return {{bytes_of(x) + x_offset, x.strides[axis]}, {bytes_of(out) + out_offset, out.strides[axis]}, n, parallel};
  }

  const gpuopt_tensor &x, &out;
  const int32_t axis;
  const int64_t n;
  const Walk<2> walk;

 private:
  Walk<2> without_axis() const {
    int64_t shape[GPUOPT_MAX_NDIM], from[GPUOPT_MAX_NDIM], to[GPUOPT_MAX_NDIM];
    int32_t ndim = 0;
    for (int32_t i = 0; i < x.ndim; i++) {
      if (i == axis) continue;
      shape[ndim] = x.shape[i];
      from[ndim] = x.strides[i];
      to[ndim++] = out.strides[i];
    }
    return Walk<2>(ndim, shape, {from, to});
  }
};

// What differs from type to type: how one row is sorted, in memory for twice as many items as it has elements.
struct RowSort {
  int64_t item_bytes;
  void (*run)(const Row &row, void *items, void *other);
};

template <typename Sort>
void run_sort_of(const Row &row, void *items, void *other) {
  using Item = typename Sort::Item;
  Sort::run(row, static_cast<Item *>(items), static_cast<Item *>(other));
}

template <typename Sort>
constexpr RowSort row_sort() {
  return {sizeof(typename Sort::Item), run_sort_of<Sort>};
}

// Sorts the rows [begin, end).
void sort_rows(const RowsOfCall &rows, const RowSort &sort, int64_t begin, int64_t end, bool parallel, char *memory) {
  rows.walk.runs(begin, end, [&](int64_t, const auto &offsets, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
      const int64_t from = offsets[0] + i * rows.walk.inner_stride(0), to = offsets[1] + i * rows.walk.inner_stride(1);
      sort.run(rows.row(from, to, parallel), memory, memory + rows.n * sort.item_bytes);
    }
  });
}

// Long rows are sorted one after the other by all threads, short ones by one thread each.
void sort_all(const RowsOfCall &rows, const RowSort &sort) {
  const int64_t count = rows.walk.size(), threads = pool_size();
  const bool parallel = rows.n >= sorting::kManyItems && count < 4 * threads;
  const int64_t block = parallel ? count : std::max<int64_t>(1, sorting::kManyItems / 8 / std::max<int64_t>(rows.n, 1));
  const int64_t tasks = (count + block - 1) / block;
  // Any worker of the pool may take a task, however few there are.
  const auto bytes = static_cast<uint64_t>(2 * rows.n * (parallel ? 1 : threads) * sort.item_bytes);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  if (parallel) return sort_rows(rows, sort, 0, count, true, memory.as<char>());
  parallel_for(tasks, [&](int64_t task, int worker) {
    char *const own = memory.as<char>() + 2 * rows.n * worker * sort.item_bytes;
    sort_rows(rows, sort, task * block, std::min(count, (task + 1) * block), false, own);
  });
}

template <typename T, bool descending, bool indices>
void sort_type(const RowsOfCall &rows) {
  constexpr int64_t kMost32 = int64_t{1} << 32;
  if constexpr (!indices && !gpo::is_complex<T>) {
    sort_all(rows, row_sort<KeySort<T, descending>>());
  } else if (rows.n <= kMost32) {
    sort_all(rows, row_sort<IndexSort<T, descending, indices, uint32_t>>());
  } else {
    sort_all(rows, row_sort<IndexSort<T, descending, indices, uint64_t>>());
  }
}

template <bool indices>
void sort_call(const gpuopt_call &call) {
  if (size_of(call.tensors[0]) == 0) return;
  const RowsOfCall rows(call);
  with_sorted_type(rows.x.dtype, [&](auto type) {
    using T = decltype(type);
    call.ints[1] ? sort_type<T, true, indices>(rows) : sort_type<T, false, indices>(rows);
  });
}

}  // namespace

void run_sort(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_SORT:
      return sort_call<false>(call);
    case GPUOPT_CALL_ARGSORT:
      return sort_call<true>(call);
    case GPUOPT_CALL_SEARCHSORTED:
      return search_sorted(call);
    case GPUOPT_CALL_BINCOUNT:
      return count_bins(call);
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend knows no sort operation %d", call.kind);
  }
}

}  // namespace gpuopt::cpu
