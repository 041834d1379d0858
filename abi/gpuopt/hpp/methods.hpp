// abi/gpuopt/hpp/methods.hpp -- part of gpuopt.hpp: the functions that are methods, too, and going through rows.
#ifndef GPUOPT_HPP_METHODS_HPP
#define GPUOPT_HPP_METHODS_HPP

#include <cstddef>
#include <iterator>

#include "statistics.hpp"

namespace gpuopt {
inline namespace v1 {

// ---- Functions as methods ----------------------------------------------------------------------------------------

#define GPUOPT_METHOD(name)                                                                \
  inline array array::name(const axes &over) const & { return gpuopt::name(*this, over); } \
  inline array array::name(const axes &over) && { return gpuopt::name(std::move(*this), over); }
GPUOPT_METHOD(sum)
GPUOPT_METHOD(prod)
GPUOPT_METHOD(mean)
GPUOPT_METHOD(var)
GPUOPT_METHOD(std)
GPUOPT_METHOD(min)
GPUOPT_METHOD(max)
GPUOPT_METHOD(argmin)
GPUOPT_METHOD(argmax)
GPUOPT_METHOD(any)
GPUOPT_METHOD(all)
#undef GPUOPT_METHOD
#define GPUOPT_METHOD(name)                                          \
  inline array array::name() const & { return gpuopt::name(*this); } \
  inline array array::name() && { return gpuopt::name(std::move(*this)); }
GPUOPT_METHOD(real)
GPUOPT_METHOD(imag)
GPUOPT_METHOD(conj)
GPUOPT_METHOD(round)
#undef GPUOPT_METHOD

// The axes in another order: gpuopt::permute_dims().
inline array array::transpose(const dims &axes) const {
  if (axes.size() != ndim()) detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "transpose: axes don't match array");
  return permute_dims(*this, axes);
}
inline array array::cumsum(int64_t axis) const { return cumulative_sum(*this, axis); }
inline array array::cumsum() const { return cumulative_sum(*this); }
inline array array::cumprod(int64_t axis) const { return cumulative_prod(*this, axis); }
inline array array::cumprod() const { return cumulative_prod(*this); }
inline array array::clip(const operand &low, const operand &high) const { return gpuopt::clip(*this, low, high); }
inline array array::dot(const operand &y) const { return gpuopt::dot(*this, y); }
inline array array::diagonal(int64_t offset, int64_t axis1, int64_t axis2) const {
  return gpuopt::diagonal(*this, offset, axis1, axis2);
}
inline array array::trace(int64_t offset, int64_t axis1, int64_t axis2) const {
  return gpuopt::trace(*this, offset, axis1, axis2);
}
inline array array::squeeze(const dims &axes) const { return gpuopt::squeeze(*this, axes); }
inline array array::swapaxes(int64_t axis1, int64_t axis2) const { return gpuopt::swapaxes(*this, axis1, axis2); }
inline array array::repeat(int64_t count, int64_t axis) const { return gpuopt::repeat(*this, count, axis); }
inline array array::take(const array &indices, int64_t axis) const { return gpuopt::take(*this, indices, axis); }
inline const array &array::put(const array &indices, const operand &values, int64_t axis) const {
  gpuopt::put(*this, indices, values, axis);
  return *this;
}
inline std::vector<array> array::nonzero() const { return gpuopt::nonzero(*this); }
inline const array &array::sort(int64_t axis) const { return assign(gpuopt::sort(*this, axis)); }
inline array array::argsort(int64_t axis) const { return gpuopt::argsort(*this, axis); }
inline const array &array::partition(int64_t kth, int64_t axis) const {
  return assign(gpuopt::partition(*this, kth, axis));
}
inline array array::argpartition(int64_t kth, int64_t axis) const { return gpuopt::argpartition(*this, kth, axis); }
inline array array::searchsorted(const operand &values, bool right) const {
  return gpuopt::searchsorted(*this, values, right);
}
inline const array &array::fill(const scalar &value) const { return assign(value); }

// ---- Rows --------------------------------------------------------------------------------------------------------

// Goes through the rows of an array, which are views along its first axis and are made when they are asked for. It
// keeps the array, and is an input iterator of C++17 whose positions can be counted and compared.
class array::row_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = array;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = array;

  row_iterator() = default;
  // Position `at` in x.
  row_iterator(array x, int64_t at) : x_(std::move(x)), at_(at) {}
  // The row at this position: a view.
  array operator*() const { return x_[at_]; }
  // The row `n` positions further on.
  array operator[](difference_type n) const { return x_[at_ + n]; }
  row_iterator &operator++() {
    ++at_;
    return *this;
  }
  row_iterator operator++(int) {
    row_iterator before = *this;
    ++at_;
    return before;
  }
  // Iterators over one array are equal at one position.
  friend bool operator==(const row_iterator &a, const row_iterator &b) { return a.at_ == b.at_; }
  friend bool operator!=(const row_iterator &a, const row_iterator &b) { return a.at_ != b.at_; }
  // How far one is from the other.
  friend difference_type operator-(const row_iterator &a, const row_iterator &b) { return a.at_ - b.at_; }

 private:
  array x_;
  int64_t at_ = 0;
};
// The first row.
inline array::row_iterator array::begin() const {
  if (ndim() == 0) detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "iteration over a 0-d array");
  return {*this, 0};
}
// Behind the last row.
inline array::row_iterator array::end() const { return {*this, ndim() == 0 ? 0 : shape(0)}; }

}  // namespace v1
}  // namespace gpuopt
#endif
