// abi/gpuopt/hpp/interop.hpp -- part of gpuopt.hpp: arrays from and to C++'s own containers and views, and by Arrow.
#ifndef GPUOPT_HPP_INTEROP_HPP
#define GPUOPT_HPP_INTEROP_HPP

#include "functions.hpp"

namespace gpuopt {
inline namespace v1 {

// ---- Into arrays -------------------------------------------------------------------------------------------------

namespace detail {

// Appends the sizes along the axes, those of the first row at each level.
template <class C>
void list_sizes(const C &container, std::vector<int64_t> &sizes) {
  sizes.push_back(static_cast<int64_t>(container.size()));
  if constexpr (rows<C>::depth > 1) {
    using row = std::remove_cv_t<typename C::value_type>;
    if (container.size() > 0)
      list_sizes(*container.begin(), sizes);
    else
      list_sizes(row(), sizes);
  }
}

// Appends the elements in C order. Throws GPUOPT_ERR_SHAPE for rows of other lengths than `sizes` says.
template <class T, class C>
void list_elements(const C &container, const int64_t *sizes, T *&to) {
  if (static_cast<int64_t>(container.size()) != *sizes)
    raise(GPUOPT_ERR_SHAPE, "array: a row has " + std::to_string(container.size()) + " elements where others have " +
                                std::to_string(*sizes));
  for (const auto &item : container) {
    if constexpr (rows<C>::depth > 1)
      list_elements(item, sizes + 1, to);
    else
      *to++ = item;
  }
}

template <class C>
array from_rows(const C &container, const device &where) {
  using T = typename rows<C>::element_type;
  if constexpr (rows<C>::depth == 1 && !std::is_same_v<C, std::vector<bool>>) {
    return from_memory<T>(container.data(), dims(container.size()), where);
  } else {
    std::vector<int64_t> sizes;
    list_sizes(container, sizes);
    size_t count = 1;
    for (int64_t size : sizes) count *= static_cast<size_t>(size);  // of elements that are in memory: it fits
    const std::unique_ptr<T[]> elements(new T[count]);
    T *to = elements.get();
    list_elements(container, sizes.data(), to);
    return from_memory<T>(elements.get(), dims(sizes), where);
  }
}

// Shape and strides of an mdspan, the latter in bytes.
template <class M>
struct layout_of {
  dims shape, strides;
  explicit layout_of(const M &view) {
    int64_t sizes[GPUOPT_MAX_NDIM] = {}, steps[GPUOPT_MAX_NDIM] = {};
    static_assert(M::rank() <= GPUOPT_MAX_NDIM, "an array has at most 64 dimensions");
    if constexpr (M::rank() > 0) {  // a view of no dimensions has no strides
      for (size_t k = 0; k < M::rank(); ++k) {
        sizes[k] = static_cast<int64_t>(view.extent(k));
        steps[k] = static_cast<int64_t>(view.stride(k)) * static_cast<int64_t>(sizeof(typename M::element_type));
      }
    }
    shape = dims(sizes, M::rank());
    strides = dims(steps, M::rank());
  }
};

template <class M>
array from_mdspan(const M &view, const device &where) {
  using T = std::remove_cv_t<typename M::element_type>;
  const layout_of<M> layout(view);
  const typename M::element_type *first = view.data_handle();
  void *const memory = const_cast<T *>(first);  // which is only read
  void (*const nothing)(void *) = nullptr;
  void *const no_context = nullptr;
  return created(make<array>(gpuopt_from_host, where.get(), memory, raw(dtype_of<T>), layout.shape.size(),
                             layout.shape.data(), layout.strides.data(), gpuopt_copy{GPUOPT_COPY_ALWAYS}, nothing,
                             no_context));
}

template <class C>
array from_elements(const C &elements, const device &where) {
  if constexpr (rows<C>::depth > 0)
    return from_rows(elements, where);
  else
    return from_mdspan(elements, where);
}

}  // namespace detail

// ---- Out of arrays -----------------------------------------------------------------------------------------------

// Copies the elements, in C order, to `count` elements at `to`, which must be x's number (GPUOPT_ERR_SHAPE) and of x's
// dtype (GPUOPT_ERR_TYPE). Waits.
template <class T>
void copy_to(const array &x, T *to, size_t count) {
  static_assert(!std::is_const_v<T>, "the elements are written");
  if (x.dtype() != dtype_of<T>)
    detail::raise(GPUOPT_ERR_TYPE,
                  std::string("copy_to: the array is ") + name(x.dtype()) + ", not " + name(dtype_of<T>));
  if (static_cast<size_t>(x.size()) != count)
    detail::raise(GPUOPT_ERR_SHAPE,
                  "copy_to: the array has " + std::to_string(x.size()) + " elements, not " + std::to_string(count));
  void *const host = to;
  detail::call(gpuopt_to_host, x.get(), host, count * sizeof(T));
}
// The same into a std::array.
template <class T, size_t N>
void copy_to(const array &x, std::array<T, N> &to) {
  copy_to(x, to.data(), N);
}
// The same into a std::mdspan or what has its members, of x's shape (GPUOPT_ERR_SHAPE) and any strides.
template <class M, std::enable_if_t<detail::is_mdspan_like<M>::value, int> = 0>
void copy_to(const array &x, const M &to) {
  using T = typename M::element_type;
  static_assert(!std::is_const_v<T>, "the elements are written");
  const detail::layout_of<M> layout(to);
  if (x.dtype() != dtype_of<T>)
    detail::raise(GPUOPT_ERR_TYPE,
                  std::string("copy_to: the array is ") + name(x.dtype()) + ", not " + name(dtype_of<T>));
  if (x.shape() != layout.shape) detail::raise(GPUOPT_ERR_SHAPE, "copy_to: the view has another shape than the array");
  void *const memory = to.data_handle();
  if (x.size() == 0) return;
  void (*const release)(void *) = [](void *) {};
  void *const no_context = nullptr;
  const device cpu("cpu");
  const array there = detail::make<array>(gpuopt_from_host, cpu.get(), memory, raw(dtype_of<T>), layout.shape.size(),
                                          layout.shape.data(), layout.strides.data(), gpuopt_copy{GPUOPT_COPY_NEVER},
                                          release, no_context);
  there.assign(x.to(cpu));
  there.eval();
  cpu.synchronize();
}

#if defined(__cpp_lib_span)
// Copies the elements, in C order, into a span of as many.
template <class T, size_t N>
void copy_to(const array &x, std::span<T, N> to) {
  copy_to(x, to.data(), to.size());
}
// x's own elements, of an array that is C-contiguous (else GPUOPT_ERR_INVALID_ARGUMENT) on a device that uses the
// host's memory. They are there as long as x's storage; further operations on x may move on only after another call.
// Waits.
template <class T>
std::span<T> as_span(const array &x) {
  if (!x.is_contiguous())
    detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "as_span: the array is not contiguous; copy it, or use as_mdspan");
  return {x.data<T>(), static_cast<size_t>(x.size())};
}
#endif
#if defined(__cpp_lib_mdspan)
// x's own elements as an mdspan of Rank dimensions (else GPUOPT_ERR_SHAPE) with x's strides; for the rest as as_span.
// Strides that are negative are GPUOPT_ERR_INVALID_ARGUMENT, since std::layout_stride has none.
template <class T, size_t Rank>
std::mdspan<T, std::dextents<int64_t, Rank>, std::layout_stride> as_mdspan(const array &x) {
  if (x.ndim() != static_cast<int32_t>(Rank))
    detail::raise(GPUOPT_ERR_SHAPE, "as_mdspan: the array has " + std::to_string(x.ndim()) + " dimensions");
  std::array<int64_t, Rank> sizes{}, steps{};
  for (size_t k = 0; k < Rank; ++k) {
    const int64_t stride = x.strides()[static_cast<int32_t>(k)], item = static_cast<int64_t>(sizeof(T));
    sizes[k] = x.shape(static_cast<int32_t>(k));
    steps[k] = sizes[k] > 1 ? stride / item : 1;
    if (sizes[k] > 1 && (stride <= 0 || stride % item))
      detail::raise(GPUOPT_ERR_INVALID_ARGUMENT,
                    "as_mdspan: std::layout_stride has no stride of " + std::to_string(stride) + " bytes");
  }
  using extents = std::dextents<int64_t, Rank>;
  return {x.data<T>(), typename std::layout_stride::template mapping<extents>(extents(sizes), steps)};
}
#endif

// ---- Arrow -------------------------------------------------------------------------------------------------------

// Fills the two structs of Arrow's C data interface with x's elements; the caller releases both. See gpuopt_to_arrow().
inline void to_arrow(const array &x, ArrowSchema *schema, ArrowArray *elements,
                     gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  detail::call(gpuopt_to_arrow, x.get(), copy, schema, elements);
}
// The array that the two structs describe, which are taken over. Nulls are GPUOPT_ERR_INVALID_ARGUMENT unless `valid`
// is given, which then refers to a bool array that is false where an element is null, and is empty if none is. See
// gpuopt_from_arrow().
inline array from_arrow(ArrowSchema *schema, ArrowArray *elements, array *valid = nullptr,
                        const device &where = current_device(), gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  gpuopt_array mask = nullptr, result = nullptr;
  detail::call(gpuopt_from_arrow, where.get(), schema, elements, copy, &result, valid ? &mask : nullptr);
  if (valid) *valid = array(array::handle_type(mask));
  return detail::created(array(array::handle_type(result)));
}

}  // namespace v1
}  // namespace gpuopt
#endif
