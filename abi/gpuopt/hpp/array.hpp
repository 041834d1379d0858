// abi/gpuopt/hpp/array.hpp -- part of gpuopt.hpp: the array, what operations take, selections, and how functions of
// gpuopt.h are called.
#ifndef GPUOPT_HPP_ARRAY_HPP
#define GPUOPT_HPP_ARRAY_HPP

#include <iterator>
#include <memory>

#include "device.hpp"
#include "elements.hpp"

namespace gpuopt {
inline namespace v1 {

class operand;
class selection;

// ---- Arrays ------------------------------------------------------------------------------------------------------

namespace detail {
// Numbers in nested braces: their shape, and the numbers in C order.
class nested {
 public:
  template <class T, if_number<T> = 0>
  nested(T value) : values_{scalar(value).raw()}, single_(std::is_same_v<T, float>) {}
  nested(std::initializer_list<nested> rows);

  dtype natural() const;
  // Whether the numbers have to be rounded to t, and are doubles (or complex ones) as they are.
  bool rounds_from_double(dtype t) const;

 private:
  template <class T>
  friend array from_scalars(const nested &from, const gpuopt::device &where);
  std::vector<int64_t> shape_;
  std::vector<gpuopt_scalar> values_;
  bool single_;  // floats alone
};
template <class T>
array from_memory(const T *data, const dims &shape, const device &where);
array from_nested(const nested &values, dtype t, const device &where);
template <class C>
array from_elements(const C &elements, const device &where);
}  // namespace detail

// An array on a device: a reference to its elements. See gpuopt.hpp for copying and assigning, gpuopt.h for the rest.
class array : public detail::shared<detail::array_traits> {
 public:
  array() noexcept = default;  // empty: no array at all
  array(const array &) noexcept = default;
  array(array &&) noexcept = default;
  array &operator=(const array &) &noexcept = default;
  array &operator=(array &&) &noexcept = default;
  array &operator=(operand value) &&;  // x(0) = value: writes elements
  // A number writes all elements, too: a variable refers to an array, and a number is none. `auto r = x[0]; r = 5;`
  // makes the first row of x five; `r = w` with an array makes r refer to w. An empty variable is
  // GPUOPT_ERR_INVALID_ARGUMENT: there are no elements yet.
  template <class T, detail::if_number<T> = 0>
  array &operator=(T number) & {
    return write(scalar(number));
  }
  // An array of gpuopt.h, whose reference this object takes over.
  explicit array(handle_type owned) noexcept : shared(std::move(owned)) {}
  // array({{1, 2}, {3, 4}}), also with a dtype (GPUOPT_ERR_OVERFLOW for a number it cannot hold) and a device.
  array(std::initializer_list<detail::nested> values, gpuopt::dtype t = default_dtype,
        const gpuopt::device &where = current_device())
      : array(detail::from_nested(values, t, where)) {}
  // A copy of host memory in C order.
  template <class T>
  array(const T *data, const dims &shape, const gpuopt::device &where = current_device())
      : array(detail::from_memory(data, shape, where)) {}
  // A copy of what holds elements in the host's memory: std::vector, std::array, std::span, vectors and arrays in one
  // another, whose rows must have one length (GPUOPT_ERR_SHAPE), and std::mdspan or whatever has its members. The dtype
  // is that of the elements.
  template <class C, detail::if_elements<C> = 0>
  explicit array(const C &elements, const gpuopt::device &where = current_device())
      : array(detail::from_elements(elements, where)) {}

  gpuopt::dtype dtype() const { return gpuopt::dtype{gpuopt_array_dtype(valid())}; }
  int32_t ndim() const { return gpuopt_array_ndim(valid()); }
  dims shape() const { return dims(gpuopt_array_shape(valid()), static_cast<size_t>(ndim())); }
  int64_t shape(int32_t axis) const;  // negative ones from the end
  // From one element to the next along each axis, in bytes.
  dims strides() const { return dims(gpuopt_array_strides(valid()), static_cast<size_t>(ndim())); }  // in bytes
  int64_t size() const { return gpuopt_array_size(valid()); }
  int64_t nbytes() const { return gpuopt_array_nbytes(valid()); }
  bool is_contiguous() const { return gpuopt_array_is_contiguous(valid()) != 0; }
  bool is_read_only() const { return gpuopt_array_is_read_only(valid()) != 0; }
  gpuopt::device device() const;  // get_array_module

  // A function of an array that is about to be gone gives up its reference in the call, here and below: what is
  // recorded of (x - y).astype(gp::float32) needs no memory for x - y, whatever looks at the result in the same line.

  // Views, as Python's x[...]: x[0], x[slice(1, 5, 2)], x[{all, newaxis, 0}], or x(all, newaxis, 0).
  array operator[](const subscript &item) const & { return view(*this, &item.raw_, 1); }
  array operator[](const subscript &item) && { return view(std::move(*this), &item.raw_, 1); }
  // x[{all, newaxis, 0}]: several subscripts.
  array operator[](std::initializer_list<subscript> items) const;
  // x(all, newaxis, 0): several subscripts.
  template <class... Items>
  array operator()(const Items &...items) const & {
    static_assert(sizeof...(items) > 0, "x() has no subscript; x(ellipsis) is all of x");
    const gpuopt_index list[] = {subscript(items).raw_...};
    return view(*this, list, sizeof...(items));
  }
  template <class... Items>
  array operator()(const Items &...items) && {
    static_assert(sizeof...(items) > 0, "x() has no subscript; x(ellipsis) is all of x");
    const gpuopt_index list[] = {subscript(items).raw_...};
    return view(std::move(*this), list, sizeof...(items));
  }
#if __cpp_multidimensional_subscript >= 202110L
  // x[all, newaxis, 0], from C++23 on.
  template <class First, class Second, class... More>
  array operator[](const First &first, const Second &second, const More &...more) const {
    return (*this)(first, second, more...);
  }
#endif
  // x[mask] with a bool array, x[indices] with integers (along the first axis): reads give a new array, assignments
  // write into x.
  selection operator[](const array &index) const;

#define GPUOPT_MEMBER(signature, ...)                             \
  array signature const & { return through(*this, __VA_ARGS__); } \
  array signature && { return through(std::move(*this), __VA_ARGS__); }
  // The same elements in another shape, one number of which may be -1. See gpuopt_reshape().
  GPUOPT_MEMBER(reshape(const dims &shape, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED), gpuopt_reshape, shape.size(),
                shape.data(), copy)
  // One dimension, in C order: a view where x is contiguous; `flatten` always copies.
  GPUOPT_MEMBER(ravel(), gpuopt_ravel)
  // A copy of one dimension, in C order.
  array flatten() const { return ravel().copy(); }
  // The axes in reverse order, as NumPy's x.T and x.transpose(): a view. gpuopt::permute_dims takes any order, as does
  // x.transpose({1, 0, 2}).
  GPUOPT_MEMBER(T(), gpuopt_permute_dims, static_cast<const int64_t *>(nullptr))
  GPUOPT_MEMBER(transpose(), gpuopt_permute_dims, static_cast<const int64_t *>(nullptr))
  array transpose(const dims &axes) const;
  // The last two axes swapped, as the array API's x.mT: a view. Fewer than 2 dimensions are GPUOPT_ERR_SHAPE.
  GPUOPT_MEMBER(mT(), gpuopt_matrix_transpose)
  // Another dtype; see gpuopt_astype().
  GPUOPT_MEMBER(astype(gpuopt::dtype t, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED), gpuopt_astype, gpuopt::raw(t), copy)
  // The elements in new memory.
  GPUOPT_MEMBER(copy(), gpuopt_copy_array)
  // On another device; itself if it is there already. See gpuopt_to_device().
  GPUOPT_MEMBER(to(const gpuopt::device &where, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED), gpuopt_to_device,
                where.get(), copy)
  // The same array, whose work goes to another stream.
  GPUOPT_MEMBER(on(const stream &queue), gpuopt_array_on_stream, queue.get())
#undef GPUOPT_MEMBER

  // The functions of these names as methods, as NumPy's ndarray has them: x.sum(0) is gpuopt::sum(x, 0).
#define GPUOPT_MEMBER(name)                  \
  array name(const axes &over = {}) const &; \
  array name(const axes &over = {}) &&;
  GPUOPT_MEMBER(sum)
  GPUOPT_MEMBER(prod)
  GPUOPT_MEMBER(mean)
  GPUOPT_MEMBER(var)
  GPUOPT_MEMBER(std)
  GPUOPT_MEMBER(min)
  GPUOPT_MEMBER(max)
  GPUOPT_MEMBER(argmin)
  GPUOPT_MEMBER(argmax)
  GPUOPT_MEMBER(any)
  GPUOPT_MEMBER(all)
#undef GPUOPT_MEMBER
#define GPUOPT_MEMBER(name) \
  array name() const &;     \
  array name() &&;
  GPUOPT_MEMBER(real)
  GPUOPT_MEMBER(imag)
  GPUOPT_MEMBER(conj)
  GPUOPT_MEMBER(round)
#undef GPUOPT_MEMBER
  // The running sum and product; without an axis of an array of one dimension. See gpuopt::cumulative_sum().
  array cumsum(int64_t axis) const;
  array cumsum() const;
  array cumprod(int64_t axis) const;
  array cumprod() const;
  // Elements below `low` and above `high` become these.
  array clip(const operand &low, const operand &high) const;
  array dot(const operand &y) const;
  array diagonal(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1) const;
  // The sums of the diagonals, by default of the first two axes, as NumPy's method; gpuopt::trace takes the last two.
  array trace(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1) const;
  array squeeze(const dims &axes = {}) const;
  array swapaxes(int64_t axis1, int64_t axis2) const;
  array repeat(int64_t count, int64_t axis = none) const;
  array take(const array &indices, int64_t axis = 0) const;
  const array &put(const array &indices, const operand &values, int64_t axis = 0) const;
  std::vector<array> nonzero() const;
  // Sorts this array's elements in place, as NumPy's method; gpuopt::sort gives a sorted copy.
  const array &sort(int64_t axis = -1) const;
  array argsort(int64_t axis = -1) const;
  // Puts element `kth` where sorting would, in place, as NumPy's method; gpuopt::partition gives a copy.
  const array &partition(int64_t kth, int64_t axis = -1) const;
  array argpartition(int64_t kth, int64_t axis = -1) const;
  array searchsorted(const operand &values, bool right = false) const;
  // Writes the number to all elements.
  const array &fill(const scalar &value) const;
  // The bytes of one element.
  size_t itemsize() const { return gpuopt_dtype_size(gpuopt::raw(dtype())); }

  // for (auto row : x): views of x along its first axis, in order. Writing to a row (row += 1, row = 5) writes to x. An
  // array without dimensions is GPUOPT_ERR_INVALID_ARGUMENT.
  class row_iterator;
  row_iterator begin() const;
  row_iterator end() const;

  // One element; without an index that of an array of one element. Waits.
  template <class T>
  T item(const dims &index = {}) const;
  void set_item(const dims &index, const scalar &value) const;
  // All elements in C order. T must be that of the dtype (use astype), else GPUOPT_ERR_TYPE. Waits.
  template <class T>
  std::vector<T> to_vector() const;
  // The address of the first element, on a device that uses host memory; see gpuopt_array_data.
  template <class T>
  T *data() const;
  // Runs what the array waits for, without waiting for the device.
  const array &eval() const;

  // Writing elements, in place; the value broadcasts.
  const array &assign(operand value) const;
  array &operator+=(operand y);
  array &operator-=(operand y);
  array &operator*=(operand y);
  array &operator/=(operand y);
  array &operator%=(operand y);
  array &operator&=(operand y);
  array &operator|=(operand y);
  array &operator^=(operand y);
  array &operator<<=(operand y);
  array &operator>>=(operand y);

  // As NumPy prints; `repr` with "array(...)" around.
  std::string str(bool repr = false) const;
  // Writes the array as NumPy prints it. Waits.
  friend std::ostream &operator<<(std::ostream &out, const array &x) { return out << x.str(); }

 private:
  raw_type valid() const {
    if (empty())
      detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "the array is empty: it was default-constructed or moved from");
    return get();
  }
  // What a function of gpuopt.h makes of x, whose reference ends with the call.
  template <class F, class... Args>
  static array through(array x, F function, Args... args) {
    return detail::make<array>(function, x.valid(), args...);
  }
  static array view(array x, const gpuopt_index *items, size_t count) {
    return through(std::move(x), gpuopt_slice, static_cast<int32_t>(count), items);
  }
  array &update(gpuopt_op op, operand y);
  array &write(const scalar &number);
  template <class T>
  void expect_type(const char *what) const;
};

// x[mask] or x[indices], not yet read. `auto s = x[mask]` keeps this reference; `array s = x[mask]` reads.
class selection {
 public:
  // What x[index] makes: with a bool array a mask, with integers indices along the first axis.
  selection(const array &x, const array &index);
  selection(const selection &) = default;
  operator array() const;
  const selection &operator=(const operand &value) const;
  // Writes the elements that `value` selects, which are read first.
  selection &operator=(const selection &value);
  // Adds to the selected elements, in place: an index that comes twice is written once, as in NumPy.
  const selection &operator+=(const operand &y) const;
  // Subtracts from the selected elements, in place.
  const selection &operator-=(const operand &y) const;
  // Multiplies the selected elements, in place.
  const selection &operator*=(const operand &y) const;
  // Divides the selected elements, in place.
  const selection &operator/=(const operand &y) const;

 private:
  array x_, index_;
  bool mask_;
};

// What operations take: an array, or a number as a weak scalar.
class operand {
 public:
  // An array, as another reference to it.
  operand(const array &x) : x_(x) {}
  // An array that is about to be gone: its reference is taken over, and ends with the operation.
  operand(array &&x) noexcept : x_(std::move(x)) {}
  // The elements that are selected now, as a new array.
  operand(const selection &x) : x_(x) {}
  operand(const scalar &value) : x_(detail::make<array>(gpuopt_weak, value.raw())) {}
  // A C++ number, which takes the dtype of the array beside it.
  template <class T, detail::if_number<T> = 0>
  operand(T value) : operand(scalar(value)) {}
  // The array; a weak scalar for a number.
  const array &get() const &noexcept { return x_; }
  // The array itself; the operand is empty afterwards.
  array get() &&noexcept { return std::move(x_); }

 private:
  array x_;
};

namespace detail {

inline array array_of(const array &x) { return x; }
inline array array_of(array &&x) { return std::move(x); }
inline array array_of(const operand &x) { return x.get(); }
inline array array_of(operand &&x) { return std::move(x).get(); }

// The operands of one call, whose references end with this object: those of arguments that are moved from are its own.
// So an intermediate result of an expression is gone when the operation on it has been recorded, although C++ keeps
// temporaries to the end of the line; nobody can ask for it any more, and it gets no memory. Under allow_transfers,
// those on other devices than the first array's are copied there.
template <size_t N>
class gathered {
 public:
  template <class... X>
  explicit gathered(X &&...x) : arrays_{array_of(std::forward<X>(x))...} {
    gpuopt_device target = nullptr;
    for (size_t i = 0; i < N; ++i) {
      raw_[i] = arrays_[i].get();
      const gpuopt_device here = raw_[i] ? gpuopt_array_device(raw_[i]) : nullptr;  // none for weak scalars
      if (!target) target = here;
      if (here == target || !here || this_thread().transfers == 0) continue;
      arrays_[i] = make<array>(gpuopt_to_device, raw_[i], target, gpuopt_copy{GPUOPT_COPY_IF_NEEDED});
      raw_[i] = arrays_[i].get();
    }
  }
  const gpuopt_array *data() const noexcept { return raw_; }
  gpuopt_array operator[](size_t i) const noexcept { return raw_[i]; }

 private:
  array arrays_[N];
  gpuopt_array raw_[N];
};
template <class... X>
gathered(X &&...) -> gathered<sizeof...(X)>;

// Any row of the op table; the in-place form; any row of the reduction table.
template <class... X>
array apply(gpuopt_op op, X &&...x) {
  const gathered in(std::forward<X>(x)...);
  return make<array>(gpuopt_apply, op, int32_t{sizeof...(x)}, in.data(), nullptr);
}
template <class... X>
void apply_into(gpuopt_op op, const array &out, X &&...x) {
  const gathered in(out, std::forward<X>(x)...);
  call(gpuopt_apply, op, int32_t{sizeof...(x)}, in.data() + 1, in[0], nullptr);
}
inline array reduce(gpuopt_reduction reduction, array x, const axes &over) {
  const gpuopt_reduce_options options = over.raw();
  return make<array>(gpuopt_reduce, reduction, x.get(), &options);
}
// A function of gpuopt.h of one array and more arguments; of two operands and more arguments.
template <class F, class... Args>
array from_one(F function, array x, Args... args) {
  return make<array>(function, x.get(), args...);
}
template <class F, class... Args>
array product(F function, operand x1, operand x2, Args... args) {
  const gathered in(std::move(x1), std::move(x2));
  return make<array>(function, in[0], in[1], args...);
}

// Binds a new array to the thread's stream, if with_stream has set one and the array is on its device.
inline array created(array x) {
  const stream *queue = this_thread().stream;
  return queue && gpuopt_array_device(x.get()) == queue->device().get() ? x.on(*queue) : std::move(x);
}
// A creation function of gpuopt.h that takes device, dtype and shape first.
template <class F, class... Args>
array create(F function, const device &where, dtype t, const dims &shape, Args... args) {
  return created(make<array>(function, where.get(), gpuopt::raw(t), shape.size(), shape.data(), args...));
}
template <class T>
array from_memory(const T *data, const dims &shape, const device &where) {
  const void *bytes = data;
  return created(make<array>(gpuopt_array_from, where.get(), bytes, raw(dtype_of<T>), shape.size(), shape.data()));
}

inline nested::nested(std::initializer_list<nested> rows) : single_(rows.size() > 0) {
  shape_.push_back(static_cast<int64_t>(rows.size()));
  if (rows.size() > 0) shape_.insert(shape_.end(), rows.begin()->shape_.begin(), rows.begin()->shape_.end());
  for (const nested &row : rows) {
    if (row.shape_ != rows.begin()->shape_) raise(GPUOPT_ERR_SHAPE, "array: the rows in braces have different shapes");
    values_.insert(values_.end(), row.values_.begin(), row.values_.end());
    single_ = single_ && row.single_;
  }
}

template <class T>
array from_scalars(const nested &from, const device &where) {
  const std::unique_ptr<T[]> elements(new T[from.values_.size()]);
  T *to = elements.get();
  for (const gpuopt_scalar &v : from.values_) *to++ = scalar(v).as<T>();
  return from_memory<T>(elements.get(), from.shape_, where);
}
template <class... Ts>
array from_scalars_as(dtype t, const nested &from, const device &where) {
  array made;
  (void)((t == dtype_of<Ts> ? (made = from_scalars<Ts>(from, where), true) : false) || ...);
  return made.empty() ? from_scalars<float>(from, where).astype(t) : made;  // no C++ type has the elements of float16
}

// What NumPy makes of Python's numbers.
inline dtype nested::natural() const {
  bool has[128] = {};
  for (const gpuopt_scalar &v : values_) has[v.kind & 127] = true;
  if (has[int{'c'}]) return complex128;
  if (has[int{'f'}] || values_.empty()) return single_ ? float32 : float64;
  if (has[int{'i'}]) return int64;
  return has[int{'u'}] ? uint64 : bool_;
}

inline bool nested::rounds_from_double(dtype t) const {
  if (t != float16 && t != bfloat16 && t != complex64 && (t != float32 || single_)) return false;
  constexpr int64_t whole = int64_t{1} << 53;  // up to here every integer is a double
  for (const gpuopt_scalar &v : values_) {
    const bool small = v.kind == 'u' ? v.value.u <= uint64_t{whole} : v.value.i >= -whole && v.value.i <= whole;
    if (v.kind != 'f' && v.kind != '?' && (v.kind == 'c' ? t != complex64 : !small)) return false;
  }
  return true;
}

// The library rounds, once and in any floating-point mode of the program to the nearest.
inline array from_nested(const nested &values, dtype t, const device &where) {
  if (values.rounds_from_double(t)) {
    const array exact =
        t == complex64 ? from_scalars<std::complex<double>>(values, where) : from_scalars<double>(values, where);
    const array rounded = exact.astype(t);
    rounded.eval();
    return rounded;
  }
  return from_scalars_as<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double,
                         std::complex<float>, std::complex<double>>(t == default_dtype ? values.natural() : t, values,
                                                                    where);
}

// The axis of a scan for which none is named: the only one that x has.
inline int64_t only_axis(const array &x, const char *what) {
  if (x.ndim() == 1) return 0;
  raise(GPUOPT_ERR_INVALID_ARGUMENT, std::string(what) + ": an array of " + std::to_string(x.ndim()) +
                                         " dimensions needs an axis; to scan all elements in C order, flatten it "
                                         "first: x.reshape({-1})");
}

}  // namespace detail

// ---- Members of array --------------------------------------------------------------------------------------------

inline int64_t array::shape(int32_t axis) const {
  const int32_t n = ndim(), i = axis < 0 ? axis + n : axis;
  if (i < 0 || i >= n) detail::raise(GPUOPT_ERR_INDEX, "shape: axis " + std::to_string(axis) + " is out of range");
  return gpuopt_array_shape(get())[i];
}
inline device array::device() const {
  const gpuopt_device where = gpuopt_array_device(valid());
  if (!where) detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "a weak scalar is on no device");
  return gpuopt::device(gpuopt::device::handle_type(gpuopt_device_retain(where)));
}
inline array array::operator[](std::initializer_list<subscript> items) const {
  std::vector<gpuopt_index> list;
  for (const subscript &item : items) list.push_back(item.raw_);
  return view(*this, list.data(), list.size());
}
inline selection array::operator[](const array &index) const { return selection(*this, index); }
inline const array &array::assign(operand value) const {
  const detail::gathered in(*this, std::move(value));
  detail::call(gpuopt_assign, in[0], in[1]);
  return *this;
}
inline array &array::operator=(operand value) && {
  assign(std::move(value));
  return *this;
}
inline array &array::write(const scalar &number) {
  valid();
  assign(number);
  return *this;
}
inline array &array::update(gpuopt_op op, operand y) {
  detail::apply_into(op, *this, *this, std::move(y));
  return *this;
}
inline array &array::operator+=(operand y) { return update(GPUOPT_OP_add, std::move(y)); }
inline array &array::operator-=(operand y) { return update(GPUOPT_OP_subtract, std::move(y)); }
inline array &array::operator*=(operand y) { return update(GPUOPT_OP_multiply, std::move(y)); }
inline array &array::operator/=(operand y) { return update(GPUOPT_OP_divide, std::move(y)); }
inline array &array::operator%=(operand y) { return update(GPUOPT_OP_remainder, std::move(y)); }
inline array &array::operator&=(operand y) { return update(GPUOPT_OP_bitwise_and, std::move(y)); }
inline array &array::operator|=(operand y) { return update(GPUOPT_OP_bitwise_or, std::move(y)); }
inline array &array::operator^=(operand y) { return update(GPUOPT_OP_bitwise_xor, std::move(y)); }
inline array &array::operator<<=(operand y) { return update(GPUOPT_OP_bitwise_left_shift, std::move(y)); }
inline array &array::operator>>=(operand y) { return update(GPUOPT_OP_bitwise_right_shift, std::move(y)); }
template <class T>
void array::expect_type(const char *what) const {
  if (dtype() != dtype_of<T>)
    detail::raise(GPUOPT_ERR_TYPE,
                  std::string(what) + ": the array is " + name(dtype()) + ", not " + name(dtype_of<T>));
}
template <class T>
T array::item(const dims &index) const {
  const int64_t zeros[GPUOPT_MAX_NDIM] = {};
  const bool only = index.size() == 0 && size() == 1;
  if (!only && index.size() != ndim())
    detail::raise(GPUOPT_ERR_INDEX, "item: the array has " + std::to_string(ndim()) + " dimensions, the index " +
                                        std::to_string(index.size()) + " numbers");
  gpuopt_scalar value{};
  detail::call(gpuopt_array_item, valid(), only ? zeros : index.data(), &value);
  return scalar(value).as<T>();
}
inline void array::set_item(const dims &index, const scalar &value) const {
  if (index.size() != ndim()) detail::raise(GPUOPT_ERR_INDEX, "set_item: one number per dimension is needed");
  detail::call(gpuopt_array_set_item, valid(), index.data(), value.raw());
}
template <class T>
std::vector<T> array::to_vector() const {
  expect_type<T>("to_vector");
  const size_t count = static_cast<size_t>(size());
  if constexpr (std::is_same_v<T, bool>) {  // a vector of bool has no bytes to write to
    const std::unique_ptr<bool[]> elements(new bool[count]);
    detail::call(gpuopt_to_host, get(), elements.get(), count);
    return std::vector<bool>(elements.get(), elements.get() + count);
  } else {
    std::vector<T> elements(count);
    detail::call(gpuopt_to_host, get(), elements.data(), count * sizeof(T));
    return elements;
  }
}
template <class T>
T *array::data() const {
  expect_type<T>("data");
  if (!device().info().host_memory)
    detail::raise(GPUOPT_ERR_UNSUPPORTED, "data: " + device().name() + " does not use host memory");
  void *address = nullptr;
  detail::call(gpuopt_array_data, get(), &address);
  return static_cast<T *>(address);
}
inline const array &array::eval() const {
  const gpuopt_array x = valid();
  detail::call(gpuopt_eval, 1, &x);
  return *this;
}
inline std::string array::str(bool repr) const {
  gpuopt_print_options options{};
  options.struct_size = sizeof options;
  options.repr = repr;
  char *text = nullptr;
  detail::call(gpuopt_array_to_string, valid(), &options, &text);
  const std::unique_ptr<char, void (*)(char *)> owner(text, gpuopt_string_free);
  return text;
}

// ---- Selections --------------------------------------------------------------------------------------------------

inline selection::selection(const array &x, const array &index) : x_(x), index_(index), mask_(index.dtype() == bool_) {}
inline selection::operator array() const {
  const detail::gathered in(x_, index_);
  if (mask_) return detail::make<array>(gpuopt_mask_select, in[0], in[1]);
  return detail::make<array>(gpuopt_take, in[0], in[1], int64_t{0});
}
inline const selection &selection::operator=(const operand &value) const {
  const detail::gathered in(x_, index_, value);
  if (mask_)
    detail::call(gpuopt_mask_assign, in[0], in[1], in[2]);
  else
    detail::call(gpuopt_put, in[0], in[1], int64_t{0}, in[2]);
  return *this;
}
inline selection &selection::operator=(const selection &value) {
  std::as_const(*this) = operand(value);
  return *this;
}
inline const selection &selection::operator+=(const operand &y) const {
  return *this = detail::apply(GPUOPT_OP_add, operand(*this), y);
}
inline const selection &selection::operator-=(const operand &y) const {
  return *this = detail::apply(GPUOPT_OP_subtract, operand(*this), y);
}
inline const selection &selection::operator*=(const operand &y) const {
  return *this = detail::apply(GPUOPT_OP_multiply, operand(*this), y);
}
inline const selection &selection::operator/=(const operand &y) const {
  return *this = detail::apply(GPUOPT_OP_divide, operand(*this), y);
}

}  // namespace v1
}  // namespace gpuopt
#endif
