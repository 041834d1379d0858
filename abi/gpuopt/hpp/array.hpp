// abi/gpuopt/hpp/array.hpp -- part of gpuopt.hpp: the array, what operations take, selections, and how functions of
// gpuopt.h are called.
#ifndef GPUOPT_HPP_ARRAY_HPP
#define GPUOPT_HPP_ARRAY_HPP

#include <iterator>
#include <memory>

#include "device.hpp"

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
}  // namespace detail

// An array on a device: a reference to its elements. See gpuopt.hpp for copying and assigning, gpuopt.h for the rest.
class array : public detail::shared<detail::array_traits> {
 public:
  array() noexcept = default;  // empty: no array at all
  array(const array &) noexcept = default;
  array(array &&) noexcept = default;
  array &operator=(const array &) &noexcept = default;
  array &operator=(array &&) &noexcept = default;
  array &operator=(const operand &value) &&;  // x(0) = value: writes elements
  // A variable refers to an array, and a number is none: `r = 5` does not compile, and says what to write instead.
  template <class T, detail::if_number<T> = 0>
  array &operator=(T) & {
    static_assert(detail::never<T>,
                  "a number cannot be assigned to a variable that is an array: x.assign(5) writes the elements, "
                  "x = gpuopt::full(shape, 5) makes x another array");
    return *this;
  }
  // An array of gpuopt.h, whose reference this object takes over.
  explicit array(handle_type owned) noexcept : shared(std::move(owned)) {}
  // array({{1, 2}, {3, 4}}), also with a dtype (GPUOPT_ERR_OVERFLOW for a number it cannot hold) and a device.
  array(std::initializer_list<detail::nested> values, gpuopt::dtype t = default_dtype,
        const gpuopt::device &where = current_device())
      : array(detail::from_nested(values, t, where)) {}
  // A copy of host memory in C order; of a vector one-dimensional.
  template <class T>
  array(const T *data, const dims &shape, const gpuopt::device &where = current_device())
      : array(detail::from_memory(data, shape, where)) {}
  template <class T>
  explicit array(const std::vector<T> &values, const gpuopt::device &where = current_device())
      : array(detail::from_memory(values.data(), dims(values.size()), where)) {}

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

  // Views, as Python's x[...]: x[0], x[slice(1, 5, 2)], x[{all, newaxis, 0}], or x(all, newaxis, 0).
  array operator[](const subscript &item) const { return view(&item.raw_, 1); }
  // x[{all, newaxis, 0}]: several subscripts.
  array operator[](std::initializer_list<subscript> items) const;
  // x(all, newaxis, 0): several subscripts.
  template <class... Items>
  array operator()(const Items &...items) const {
    static_assert(sizeof...(items) > 0, "x() has no subscript; x(ellipsis) is all of x");
    const gpuopt_index list[] = {subscript(items).raw_...};
    return view(list, sizeof...(items));
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

  array reshape(const dims &shape, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) const {
    return detail::make<array>(gpuopt_reshape, valid(), shape.size(), shape.data(), copy);
  }
  array ravel() const { return detail::make<array>(gpuopt_ravel, valid()); }
  // NumPy's x.T: the axes in reverse order; a view.
  array transpose() const { return detail::make<array>(gpuopt_permute_dims, valid(), nullptr); }  // x.T
  array astype(gpuopt::dtype t, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) const {
    return detail::make<array>(gpuopt_astype, valid(), gpuopt::raw(t), copy);
  }
  array copy() const { return detail::make<array>(gpuopt_copy_array, valid()); }
  array to(const gpuopt::device &where, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) const {
    return detail::make<array>(gpuopt_to_device, valid(), where.get(), copy);
  }
  array on(const stream &queue) const { return detail::make<array>(gpuopt_array_on_stream, valid(), queue.get()); }

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
  const array &assign(const operand &value) const;
  array &operator+=(const operand &y) { return update(GPUOPT_OP_add, y); }
  array &operator-=(const operand &y) { return update(GPUOPT_OP_subtract, y); }
  array &operator*=(const operand &y) { return update(GPUOPT_OP_multiply, y); }
  array &operator/=(const operand &y) { return update(GPUOPT_OP_divide, y); }
  array &operator%=(const operand &y) { return update(GPUOPT_OP_remainder, y); }
  array &operator&=(const operand &y) { return update(GPUOPT_OP_bitwise_and, y); }
  array &operator|=(const operand &y) { return update(GPUOPT_OP_bitwise_or, y); }
  array &operator^=(const operand &y) { return update(GPUOPT_OP_bitwise_xor, y); }
  array &operator<<=(const operand &y) { return update(GPUOPT_OP_bitwise_left_shift, y); }
  array &operator>>=(const operand &y) { return update(GPUOPT_OP_bitwise_right_shift, y); }

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
  array view(const gpuopt_index *items, size_t count) const {
    return detail::make<array>(gpuopt_slice, valid(), static_cast<int32_t>(count), items);
  }
  array &update(gpuopt_op op, const operand &y);
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
  // The elements that are selected now, as a new array.
  operand(const selection &x) : x_(x) {}
  operand(const scalar &value) : x_(detail::make<array>(gpuopt_weak, value.raw())) {}
  // A C++ number, which takes the dtype of the array beside it.
  template <class T, detail::if_number<T> = 0>
  operand(T value) : operand(scalar(value)) {}
  // The array; a weak scalar for a number.
  const array &get() const noexcept { return x_; }

 private:
  array x_;
};

namespace detail {

inline const array &array_of(const array &x) { return x; }
inline const array &array_of(const operand &x) { return x.get(); }

// The operands of one call; under allow_transfers, those on other devices than the first array's are copied there.
template <size_t N>
class gathered {
 public:
  template <class... X>
  explicit gathered(const X &...x) : arrays_{array_of(x)...} {
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
gathered(const X &...) -> gathered<sizeof...(X)>;

// Any row of the op table; the in-place form; any row of the reduction table.
template <class... X>
array apply(gpuopt_op op, const X &...x) {
  const gathered in(x...);
  return make<array>(gpuopt_apply, op, int32_t{sizeof...(x)}, in.data(), nullptr);
}
template <class... X>
void apply_into(gpuopt_op op, const array &out, const X &...x) {
  const gathered in(out, x...);
  call(gpuopt_apply, op, int32_t{sizeof...(x)}, in.data() + 1, in[0], nullptr);
}
inline array reduce(gpuopt_reduction reduction, const array &x, const axes &over) {
  const gpuopt_reduce_options options = over.raw();
  return make<array>(gpuopt_reduce, reduction, x.get(), &options);
}
// A function of gpuopt.h of two operands and more arguments.
template <class F, class... Args>
array product(F function, const operand &x1, const operand &x2, Args... args) {
  const gathered in(x1, x2);
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
  return view(list.data(), list.size());
}
inline selection array::operator[](const array &index) const { return selection(*this, index); }
inline const array &array::assign(const operand &value) const {
  const detail::gathered in(*this, value);
  detail::call(gpuopt_assign, in[0], in[1]);
  return *this;
}
inline array &array::operator=(const operand &value) && {
  assign(value);
  return *this;
}
inline array &array::update(gpuopt_op op, const operand &y) {
  detail::apply_into(op, *this, *this, y);
  return *this;
}
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
