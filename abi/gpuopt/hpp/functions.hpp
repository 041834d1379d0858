// abi/gpuopt/hpp/functions.hpp -- part of gpuopt.hpp: operators, creation, functions beside the op table, files.
#ifndef GPUOPT_HPP_FUNCTIONS_HPP
#define GPUOPT_HPP_FUNCTIONS_HPP

#include "../gpuopt_ops.hpp"

namespace gpuopt {
inline namespace v1 {

// ---- Operators ---------------------------------------------------------------------------------------------------

inline array operator+(operand x1, operand x2) { return add(std::move(x1), std::move(x2)); }
inline array operator-(operand x1, operand x2) { return subtract(std::move(x1), std::move(x2)); }
inline array operator*(operand x1, operand x2) { return multiply(std::move(x1), std::move(x2)); }
inline array operator/(operand x1, operand x2) { return divide(std::move(x1), std::move(x2)); }
inline array operator%(operand x1, operand x2) { return remainder(std::move(x1), std::move(x2)); }
inline array operator&(operand x1, operand x2) { return bitwise_and(std::move(x1), std::move(x2)); }
inline array operator|(operand x1, operand x2) { return bitwise_or(std::move(x1), std::move(x2)); }
inline array operator^(operand x1, operand x2) { return bitwise_xor(std::move(x1), std::move(x2)); }
inline array operator<<(operand x1, operand x2) { return bitwise_left_shift(std::move(x1), std::move(x2)); }
inline array operator>>(operand x1, operand x2) { return bitwise_right_shift(std::move(x1), std::move(x2)); }
// A bool array: the same as equal(x1, x2).
inline array operator==(operand x1, operand x2) { return equal(std::move(x1), std::move(x2)); }
inline array operator!=(operand x1, operand x2) { return not_equal(std::move(x1), std::move(x2)); }
inline array operator<(operand x1, operand x2) { return less(std::move(x1), std::move(x2)); }
inline array operator<=(operand x1, operand x2) { return less_equal(std::move(x1), std::move(x2)); }
inline array operator>(operand x1, operand x2) { return greater(std::move(x1), std::move(x2)); }
inline array operator>=(operand x1, operand x2) { return greater_equal(std::move(x1), std::move(x2)); }
inline array operator-(operand x) { return negative(std::move(x)); }
inline array operator+(operand x) { return positive(std::move(x)); }
inline array operator~(operand x) { return bitwise_invert(std::move(x)); }
inline array operator!(operand x) { return logical_not(std::move(x)); }

// ---- Creating arrays ---------------------------------------------------------------------------------------------

inline array empty(const dims &shape, dtype t = default_dtype, const device &where = current_device()) {
  return detail::create(gpuopt_empty, where, t, shape);
}
inline array zeros(const dims &shape, dtype t = default_dtype, const device &where = current_device()) {
  return detail::create(gpuopt_zeros, where, t, shape);
}
inline array ones(const dims &shape, dtype t = default_dtype, const device &where = current_device()) {
  return detail::create(gpuopt_ones, where, t, shape);
}
inline array full(const dims &shape, const scalar &value, dtype t = default_dtype,
                  const device &where = current_device()) {
  return detail::create(gpuopt_full, where, t, shape, value.raw());
}
inline array empty_like(array x, dtype t = default_dtype) {
  return detail::from_one(gpuopt_empty_like, std::move(x), raw(t));
}
inline array zeros_like(array x, dtype t = default_dtype) {
  return detail::from_one(gpuopt_zeros_like, std::move(x), raw(t));
}
inline array ones_like(array x, dtype t = default_dtype) {
  return detail::from_one(gpuopt_ones_like, std::move(x), raw(t));
}
inline array full_like(array x, const scalar &value, dtype t = default_dtype) {
  return detail::from_one(gpuopt_full_like, std::move(x), raw(t), value.raw());
}
inline array arange(const scalar &start, const scalar &stop, const scalar &step = 1, dtype t = default_dtype,
                    const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_arange, where.get(), raw(t), start.raw(), stop.raw(), step.raw()));
}
// The numbers 0, 1, 2, ... below `stop`. See gpuopt_arange().
inline array arange(const scalar &stop, dtype t = default_dtype, const device &where = current_device()) {
  return arange(0, stop, 1, t, where);
}
inline array linspace(double start, double stop, int64_t num = 50, bool endpoint = true, dtype t = default_dtype,
                      const device &where = current_device()) {
  return detail::created(
      detail::make<array>(gpuopt_linspace, where.get(), raw(t), start, stop, num, int32_t{endpoint}));
}
// Ones on the k-th diagonal; columns < 0 means rows.
inline array eye(int64_t rows, int64_t columns = -1, int64_t k = 0, dtype t = default_dtype,
                 const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_eye, where.get(), raw(t), rows, columns, k));
}
inline array tri(int64_t rows, int64_t columns = -1, int64_t k = 0, dtype t = default_dtype,
                 const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_tri, where.get(), raw(t), rows, columns, k));
}
inline array tril(array x, int64_t k = 0) { return detail::from_one(gpuopt_tril, std::move(x), k); }
inline array triu(array x, int64_t k = 0) { return detail::from_one(gpuopt_triu, std::move(x), k); }

// The vector's own memory as a one-dimensional array, without a copy where the device uses host memory.
template <class T>
array adopt(std::vector<T> &&values, const device &where = current_device()) {
  static_assert(!std::is_same_v<T, bool>, "a vector of bool has no elements in memory");
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  const int64_t count = static_cast<int64_t>(owner->size());
  void (*const release)(void *) = [](void *context) { delete static_cast<std::vector<T> *>(context); };
  void *const context = owner.get(), *const memory = owner->data();
  array x = detail::make<array>(gpuopt_from_host, where.get(), memory, raw(dtype_of<T>), 1, &count, nullptr,
                                gpuopt_copy{GPUOPT_COPY_IF_NEEDED}, release, context);
  owner.release();  // the library calls release(context)
  return detail::created(x);
}

// x on the current or another device, itself if it is there already.
inline array asarray(const array &x, const device &where = current_device()) { return x.to(where); }
// x on the CPU.
inline array asnumpy(const array &x) { return x.to(device("cpu")); }
// Runs what the arrays wait for, together.
template <class... X>
void eval(const X &...x) {
  const gpuopt_array list[] = {x.get()...};
  detail::call(gpuopt_eval, int32_t{sizeof...(x)}, list);
}

// ---- Views and copies --------------------------------------------------------------------------------------------

inline array permute_dims(array x, const dims &axes) {
  return detail::from_one(gpuopt_permute_dims, std::move(x), axes.data());
}
inline array matrix_transpose(array x) { return detail::from_one(gpuopt_matrix_transpose, std::move(x)); }
// The same elements in another shape, one number of which may be -1; a view where the strides allow one. See
// gpuopt_reshape().
inline array reshape(array x, const dims &shape) { return std::move(x).reshape(shape); }
inline array broadcast_to(array x, const dims &shape) {
  return detail::from_one(gpuopt_broadcast_to, std::move(x), shape.size(), shape.data());
}
inline array expand_dims(array x, int64_t axis) { return detail::from_one(gpuopt_expand_dims, std::move(x), axis); }
// Without axes: all of size 1; all.
inline array squeeze(array x, const dims &axes = {}) {
  return detail::from_one(gpuopt_squeeze, std::move(x), axes.size(), axes.data());
}
inline array flip(array x, const dims &axes = {}) {
  return detail::from_one(gpuopt_flip, std::move(x), axes.size(), axes.data());
}

inline dtype promote_types(dtype a, dtype b) {
  gpuopt_dtype result = 0;
  detail::call(gpuopt_promote_types, raw(a), raw(b), &result);
  return dtype{result};
}
template <class... X>
dtype result_type(const X &...x) {
  const operand operands[] = {operand(x)...};
  gpuopt_array list[sizeof...(x)];
  for (size_t i = 0; i < sizeof...(x); ++i) list[i] = operands[i].get().get();
  gpuopt_dtype result = 0;
  detail::call(gpuopt_result_type, int32_t{sizeof...(x)}, list, &result);
  return dtype{result};
}
// Safe: no value is lost; else NumPy's same_kind.
inline bool can_cast(dtype from, dtype to, bool safe = true) {
  int32_t allowed = 0;
  detail::call(gpuopt_can_cast, raw(from), raw(to), int32_t{safe ? 0 : 1}, &allowed);
  return allowed != 0;
}

// ---- Selecting ---------------------------------------------------------------------------------------------------

inline array take(const array &x, const array &indices, int64_t axis = 0) {
  return detail::product(gpuopt_take, x, indices, axis);
}
inline void put(const array &x, const array &indices, const operand &values, int64_t axis = 0) {
  const detail::gathered in(x, indices, values);
  detail::call(gpuopt_put, in[0], in[1], axis, in[2]);
}
// The indices of nonzero elements, of shape (count, ndim).
inline array argwhere(array x) { return detail::from_one(gpuopt_argwhere, std::move(x)); }

// ---- Beside the op table -----------------------------------------------------------------------------------------

inline array all_t::operator()(array x, const axes &over) const {
  return detail::reduce(GPUOPT_REDUCTION_all, std::move(x), over);
}
// NaN to `nan`, infinities to the dtype's extremes.
inline array nan_to_num(array x, double nan = 0) {
  return detail::from_one(gpuopt_nan_to_num, std::move(x), nan, nullptr, nullptr);
}
inline array nan_to_num(array x, double nan, double posinf, double neginf) {
  return detail::from_one(gpuopt_nan_to_num, std::move(x), nan, &posinf, &neginf);
}
inline array isclose(operand x1, operand x2, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) {
  return detail::product(gpuopt_isclose, std::move(x1), std::move(x2), rtol, atol, int32_t{equal_nan});
}

#define GPUOPT_REDUCTION(name)                                      \
  inline array name(array x, const axes &over = {}) {               \
    const gpuopt_reduce_options options = over.raw();               \
    return detail::from_one(gpuopt_##name, std::move(x), &options); \
  }
// The arithmetic mean along axes; of integers and bool in float64. See gpuopt_mean().
GPUOPT_REDUCTION(mean)
// The variance along axes, computed in two passes; see axes::correction. See gpuopt_var().
GPUOPT_REDUCTION(var)
// The standard deviation along axes. See gpuopt_std().
GPUOPT_REDUCTION(std)
// The sum along axes of the elements that are not NaN. See gpuopt_nansum().
GPUOPT_REDUCTION(nansum)
// The product along axes of the elements that are not NaN. See gpuopt_nanprod().
GPUOPT_REDUCTION(nanprod)
// The mean along axes of the elements that are not NaN. See gpuopt_nanmean().
GPUOPT_REDUCTION(nanmean)
// The variance along axes of the elements that are not NaN. See gpuopt_nanvar().
GPUOPT_REDUCTION(nanvar)
// The standard deviation along axes of the elements that are not NaN. See gpuopt_nanstd().
GPUOPT_REDUCTION(nanstd)
// The index of the least element that is not NaN; GPUOPT_ERR_INVALID_ARGUMENT for a slice of NaN alone. See
// gpuopt_nanargmin().
GPUOPT_REDUCTION(nanargmin)
// The index of the greatest element that is not NaN; errors as of nanargmin. See gpuopt_nanargmax().
GPUOPT_REDUCTION(nanargmax)
#undef GPUOPT_REDUCTION

// ---- Products and norms ------------------------------------------------------------------------------------------

inline array matmul(operand x1, operand x2) { return detail::product(gpuopt_matmul, std::move(x1), std::move(x2)); }
// Who computes a product of floats, and with which bits; see gpuopt_product_mode.
enum class product_mode : gpuopt_product_mode {
  as_set = GPUOPT_PRODUCT_DEFAULT,
  exact = GPUOPT_PRODUCT_EXACT,
  fast = GPUOPT_PRODUCT_FAST
};
inline array matmul(operand x1, operand x2, product_mode mode) {
  gpuopt_product_options options{};
  options.struct_size = sizeof options;
  options.mode = static_cast<gpuopt_product_mode>(mode);
  return detail::product(gpuopt_matmul_with, std::move(x1), std::move(x2), &options);
}
inline array dot(operand x1, operand x2) { return detail::product(gpuopt_dot, std::move(x1), std::move(x2)); }
inline array vecdot(operand x1, operand x2, int64_t axis = -1) {
  return detail::product(gpuopt_vecdot, std::move(x1), std::move(x2), axis);
}
inline array outer(operand x1, operand x2) { return detail::product(gpuopt_outer, std::move(x1), std::move(x2)); }
// The cross product of vectors of three elements along an axis. See gpuopt_cross().
inline array cross(array x1, array x2, int64_t axis = -1) {
  return detail::product(gpuopt_cross, std::move(x1), std::move(x2), axis);
}
// The Kronecker product. See gpuopt_kron().
inline array kron(array x1, array x2) { return detail::product(gpuopt_kron, std::move(x1), std::move(x2)); }
// The sums of the diagonals of the matrices in two axes. See gpuopt_trace().
inline array trace(array x, int64_t offset = 0, int64_t axis1 = -2, int64_t axis2 = -1) {
  return detail::from_one(gpuopt_trace, std::move(x), offset, axis1, axis2, gpuopt_dtype{GPUOPT_DTYPE_DEFAULT});
}
// Sums over the last `count` axes of x1 with the first of x2, or over pairs of axes.
inline array tensordot(operand x1, operand x2, int32_t count = 2) {
  const int64_t *const none_given = nullptr;
  return detail::product(gpuopt_tensordot, std::move(x1), std::move(x2), count, none_given, none_given);
}
inline array tensordot(operand x1, operand x2, const dims &axes1, const dims &axes2) {
  if (axes1.size() != axes2.size())
    detail::raise(GPUOPT_ERR_SHAPE, "tensordot: the lists of axes have different lengths");
  return detail::product(gpuopt_tensordot, std::move(x1), std::move(x2), axes1.size(), axes1.data(), axes2.data());
}
inline array vector_norm(array x, double order = 2, const axes &over = {}) {
  const gpuopt_reduce_options options = over.raw();
  return detail::from_one(gpuopt_vector_norm, std::move(x), order, &options);
}
inline array matrix_norm(array x, double order = GPUOPT_NORM_FROBENIUS, bool keepdims = false) {
  return detail::from_one(gpuopt_matrix_norm, std::move(x), order, int32_t{keepdims});
}
inline array norm(array x) { return detail::from_one(gpuopt_norm, std::move(x)); }

// ---- Files -------------------------------------------------------------------------------------------------------

inline array load_npy(const std::string &path, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_load_npy, where.get(), path.c_str()));
}
inline void save_npy(const array &x, const std::string &path) { detail::call(gpuopt_save_npy, x.get(), path.c_str()); }

// A .npz file, open for reading.
class npz : public detail::unique<detail::npz_traits> {
 public:
  explicit npz(const std::string &path) : unique(detail::make<handle_type>(gpuopt_npz_open, path.c_str())) {}
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (int32_t i = 0; i < gpuopt_npz_count(get()); ++i) list.push_back(gpuopt_npz_name(get(), i));
    return list;
  }
  array read(const std::string &name, const device &where = current_device()) const {
    return detail::created(detail::make<array>(gpuopt_npz_read, get(), name.c_str(), where.get()));
  }
  array operator[](const std::string &name) const { return read(name); }
};
inline void save_npz(const std::string &path, const std::vector<std::pair<std::string, array>> &members,
                     bool compress = false) {
  std::vector<const char *> names;
  std::vector<gpuopt_array> arrays;
  for (const auto &[name, x] : members) {
    names.push_back(name.c_str());
    arrays.push_back(x.get());
  }
  detail::call(gpuopt_save_npz, path.c_str(), static_cast<int32_t>(members.size()), names.data(), arrays.data(),
               int32_t{compress});
}

// The array API's functions of what arrays have as members, for code that is written for any namespace of arrays.

// Another dtype; the same array if it has it and `copy` does not ask for one. See gpuopt_astype().
inline array astype(const array &x, dtype t, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) { return x.astype(t, copy); }
// The shape that operands of these shapes broadcast to; GPUOPT_ERR_SHAPE if there is none. See
// gpuopt_broadcast_shapes().
inline dims broadcast_shapes(const std::vector<dims> &shapes) {
  std::vector<int32_t> ndims;
  std::vector<const int64_t *> places;
  for (const dims &shape : shapes) {
    ndims.push_back(shape.size());
    places.push_back(shape.data());
  }
  const auto count = static_cast<int32_t>(shapes.size());
  int64_t result[GPUOPT_MAX_NDIM];
  int32_t ndim = 0;
  detail::call(gpuopt_broadcast_shapes, count, ndims.data(), places.data(), &ndim, result);
  return dims(result, static_cast<size_t>(ndim));
}

// Whether t is of a kind of the array API: "bool", "signed integer", "unsigned integer", "integral", "real floating",
// "complex floating" or "numeric"; other texts are GPUOPT_ERR_INVALID_ARGUMENT.
inline bool isdtype(dtype t, const std::string &kind) {
  const std::pair<const char *, const char *> kinds[] = {
      {"bool", "?"},          {"signed integer", "i"},   {"unsigned integer", "u"}, {"integral", "iu"},
      {"real floating", "f"}, {"complex floating", "c"}, {"numeric", "iufc"}};
  for (const auto &[name, letters] : kinds)
    if (kind == name) return std::string(letters).find(gpuopt_dtype_kind(gpuopt::raw(t))) != std::string::npos;
  detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "isdtype: there is no kind of this name");
}

// DLPack: the consumer calls the tensor's deleter; from_dlpack takes the tensor over if it succeeds.
inline DLManagedTensorVersioned *to_dlpack(const array &x, int64_t stream = 0,
                                           gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  DLManagedTensorVersioned *tensor = nullptr;
  detail::call(gpuopt_to_dlpack, x.get(), stream, copy, &tensor);
  return tensor;
}
inline array from_dlpack(DLManagedTensorVersioned *tensor, const device &where = current_device(),
                         gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  return detail::created(detail::make<array>(gpuopt_from_dlpack, where.get(), tensor, copy));
}

}  // namespace v1
}  // namespace gpuopt
#endif
