// core/ufuncs/ufunc_methods.cpp -- the methods reduce, accumulate, outer and at of ufuncs, as of numpy.ufunc, and
// gpuopt_vectorize.
#include <bit>

#include "core/base/error.h"
#include "core/engine/library_call.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/kernels/kernel_elementwise.h"
#include "core/kernels/kernel_reduction.h"
#include "core/ops/select.h"
#include "core/ufuncs/ufunc.h"

namespace gpuopt {
namespace {

// An integer as a weak scalar, to be passed to a kernel.
struct Number {
  explicit Number(int64_t value) : array(make_weak(gpuopt_scalar_int(value))) {}
  ArrayRef array;
};

// Returns a view of x with one axis moved to the end.
ArrayRef with_last(gpuopt_array x, int axis) {
  Dims order;
  for (int d = 0; d < x->ndim; ++d)
    if (d != axis) order.push_back(d);
  order.push_back(axis);
  return permuted_view(x, order.data());
}

int64_t last_size(const gpuopt_array_s &x) { return x.shape[x.ndim - 1]; }

void check_binary(const char *method, const std::string &name, size_t nin) {
  if (nin != 2)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s only supported for binary functions, and it has %zu inputs", name.c_str(),
         method, nin);
}

// Throws ERR_INDEX if an index is not in [-size, size). This reduces the indices to their least and greatest and waits
// for these, so that nothing is written if an index is out of range.
void check_range(const std::string &name, gpuopt_array indices, int64_t size) {
  if (!indices->size) return;
  const uint64_t all = axis_mask(0, nullptr, indices->ndim, "at");
  int64_t least = 0, greatest = 0;
  copy_to_host(record_reduction(GPUOPT_REDUCTION_min, indices, all, false, 0).get(), &least);
  copy_to_host(record_reduction(GPUOPT_REDUCTION_max, indices, all, false, 0).get(), &greatest);
  if (least < -size || greatest >= size)
    fail(GPUOPT_ERR_INDEX, "%s: at: index %lld is out of bounds for axis 0 with size %lld", name.c_str(),
         static_cast<long long>(least < -size ? least : greatest), static_cast<long long>(size));
}

}  // namespace

UserKernel Ufunc::reduce_source(gpuopt_dtype dtype) const {
  UserKernel made = source();
  made.parameters.inputs = {parameter_of("gpuopt_x", dtype, false, false)};
  made.parameters.outputs = {parameter_of("gpuopt_out", dtype, false, true)};
  made.reduces = made.has_identity = true;
  made.operation = "gpuopt_x";
  made.combine = applied("gpuopt_a, gpuopt_b");
  made.finish = "gpuopt_out = gpuopt_a";
  made.identity = identity_;
  return made;
}

// One thread for each line of x along its last axis, which it reduces in order.
UserKernel Ufunc::in_order_source(gpuopt_dtype dtype) const {
  UserKernel made = source();
  made.parameters.inputs = {parameter_of("gpuopt_x", dtype, true, false),
                            parameter_of("gpuopt_length", GPUOPT_INT64, false, false)};
  made.parameters.outputs = {parameter_of("gpuopt_out", dtype, false, true)};
  made.operation =
      "auto gpuopt_r = gpuopt_x[i * gpuopt_length];\nfor (::gpo::i64 gpuopt_k = 1; gpuopt_k < gpuopt_length; "
      "++gpuopt_k) gpuopt_r = " +
      applied("gpuopt_r, gpuopt_x[i * gpuopt_length + gpuopt_k]") + ";\ngpuopt_out = gpuopt_r";
  return made;
}

// One thread for each line of x along its last axis.
UserKernel Ufunc::accumulate_source(gpuopt_dtype dtype) const {
  UserKernel made = source();
  made.parameters.inputs = {parameter_of("gpuopt_x", dtype, true, false),
                            parameter_of("gpuopt_length", GPUOPT_INT64, false, false)};
  made.parameters.outputs = {parameter_of("gpuopt_out", dtype, true, true)};
  made.operation =
      "auto gpuopt_r = gpuopt_x[i * gpuopt_length];\ngpuopt_out[i * gpuopt_length] = gpuopt_r;\nfor (::gpo::i64 "
      "gpuopt_k = 1; gpuopt_k < gpuopt_length; ++gpuopt_k) gpuopt_out[i * "
      "gpuopt_length + gpuopt_k] = gpuopt_r = " +
      applied("gpuopt_r, gpuopt_x[i * gpuopt_length + gpuopt_k]");
  return made;
}

// One thread for each column of x, seen as a matrix with all axes but the first flattened. It processes the indices in
// order, so that an index that occurs twice is applied twice.
UserKernel Ufunc::at_source(gpuopt_dtype dtype) const {
  UserKernel made = source();
  made.parameters.inputs = {parameter_of("gpuopt_at", GPUOPT_INT64, true, false),
                            parameter_of("gpuopt_count", GPUOPT_INT64, false, false),
                            parameter_of("gpuopt_rows", GPUOPT_INT64, false, false),
                            parameter_of("gpuopt_columns", GPUOPT_INT64, false, false)};
  if (nin() == 2) made.parameters.inputs.push_back(parameter_of("gpuopt_values", dtype, true, false));
  made.parameters.outputs = {parameter_of("gpuopt_x", dtype, true, true)};
  const std::string value = nin() == 2 ? ", gpuopt_values[gpuopt_k * gpuopt_columns + i]" : "";
  made.operation =
      "for (::gpo::i64 gpuopt_k = 0; gpuopt_k < gpuopt_count; ++gpuopt_k) {\nconst ::gpo::i64 gpuopt_row = "
      "gpuopt_at[gpuopt_k] < 0 ? gpuopt_at[gpuopt_k] + gpuopt_rows : gpuopt_at[gpuopt_k];\n"
      "auto &gpuopt_element = gpuopt_x[gpuopt_row * gpuopt_columns + i];\ngpuopt_element = " +
      applied("gpuopt_element" + value) + ";\n}";
  return made;
}

// Returns the dtype T in which a method folds x: that of the first signature that accepts x twice, which must be
// T,T->T. Throws ERR_INVALID_ARGUMENT unless the ufunc has two inputs, and ERR_TYPE if the signature is another.
gpuopt_dtype Ufunc::folding_dtype(const char *method, gpuopt_array x) const {
  check_binary(method, name_, nin());
  const gpuopt_array both[] = {x, x};
  const TypeSignature &types = types_[resolved_types(name_, types_, both)];
  if (types.inputs[0] != types.outputs[0] || types.inputs[1] != types.outputs[0])
    fail(GPUOPT_ERR_TYPE, "%s: %s needs types T,T->T, but for %s it has %s,%s->%s", name_.c_str(), method,
         dtype_name(x->dtype), dtype_name(types.inputs[0]), dtype_name(types.inputs[1]), dtype_name(types.outputs[0]));
  return types.outputs[0];
}

ArrayRef Ufunc::reduce(gpuopt_array x, int naxes, const int64_t *axes, bool keepdims) {
  const gpuopt_dtype dtype = folding_dtype("reduce", x);
  const ArrayRef typed = in_dtype(x, dtype);
  if (naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", name_.c_str());
  if (identity_.empty()) {
    const uint64_t mask = axis_mask(naxes, axes, x->ndim, name_.c_str());
    if (!mask || mask & (mask - 1))
      fail(GPUOPT_ERR_INVALID_ARGUMENT,
           "%s: reduction operation without an identity is not reorderable, so one axis has to be specified",
           name_.c_str());
    return reduce_in_order(typed.get(), dtype, std::countr_zero(mask), keepdims);
  }
  gpuopt_kernel_s &kernel = kernels_.get("reduce " + std::to_string(dtype), [&] { return reduce_source(dtype); });
  gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
  options.axes = axes;
  options.naxes = naxes;
  options.keepdims = keepdims;
  const gpuopt_array argument = typed.get();
  gpuopt_array result = nullptr;
  call_reduction(kernel, {&argument, 1}, options, &result);
  return ArrayRef::adopt(result);
}

// Reduces x, which has the dtype `dtype`, along one axis in order, for a ufunc without an identity.
ArrayRef Ufunc::reduce_in_order(gpuopt_array x, gpuopt_dtype dtype, int axis, bool keepdims) {
  if (!x->shape[axis] && x->size == 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "zero-size array to reduction operation %s which has no identity", name_.c_str());
  gpuopt_kernel_s &kernel = kernels_.get("in order " + std::to_string(dtype), [&] { return in_order_source(dtype); });
  Dims shape;
  for (int d = 0; d < x->ndim; ++d)
    if (d != axis || keepdims) shape.push_back(d == axis ? 1 : x->shape[d]);
  ArrayRef out = make_array(x->stream.get(), dtype, static_cast<int>(shape.size()), shape.data());
  const ArrayRef lines = with_last(x, axis);
  const Number n(x->shape[axis]);
  const gpuopt_array arguments[] = {lines.get(), n.array.get(), out.get()};
  call_elementwise(kernel, arguments, GPUOPT_KERNEL_CALL_OPTIONS_INIT, nullptr);
  return out;
}

ArrayRef Ufunc::accumulate(gpuopt_array x, int64_t given_axis) {
  const gpuopt_dtype dtype = folding_dtype("accumulate", x);
  const int axis = checked_axis(given_axis, x->ndim, name_.c_str());
  gpuopt_kernel_s &kernel =
      kernels_.get("accumulate " + std::to_string(dtype), [&] { return accumulate_source(dtype); });
  const ArrayRef typed = in_dtype(x, dtype), lines = with_last(typed.get(), axis);
  ArrayRef out = make_array(x->stream.get(), dtype, x->ndim, x->shape);
  if (!x->size) return out;
  const ArrayRef out_lines = with_last(out.get(), axis);
  const Number n(last_size(*lines));
  const gpuopt_array arguments[] = {lines.get(), n.array.get(), out_lines.get()};
  call_elementwise(kernel, arguments, sized_call(x->size / last_size(*lines)), nullptr);
  return out;
}

ArrayRef Ufunc::outer(gpuopt_array a, gpuopt_array b) {
  check_binary("outer", name_, nin());
  ArrayRef wide = ArrayRef::share(a);
  for (int d = 0; d < b->ndim; ++d) wide = expanded_view(wide.get(), -1);
  const gpuopt_array arguments[] = {wide.get(), b};
  gpuopt_array result = nullptr;
  call(arguments, GPUOPT_KERNEL_CALL_OPTIONS_INIT, &result);
  return ArrayRef::adopt(result);
}

void Ufunc::at(gpuopt_array x, gpuopt_array indices, gpuopt_array values) {
  if (nin() > 2 || (nin() == 2) != (values != nullptr))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: at takes values for functions of two inputs, and none for those of one",
         name_.c_str());
  check_same_device("at", {x, indices});
  if (values && !values->weak) check_same_device("at", {x, values});
  if (x->read_only) fail(GPUOPT_ERR_READ_ONLY, "%s: at: the array is read-only", name_.c_str());
  if (!x->ndim) fail(GPUOPT_ERR_INDEX, "%s: at: the array has no axis", name_.c_str());
  const gpuopt_array operands[] = {x, values};
  const TypeSignature &types = types_[resolved_types(name_, types_, {operands, nin()})];
  if (types.inputs[0] != x->dtype || types.inputs.back() != x->dtype || types.outputs[0] != x->dtype)
    fail(GPUOPT_ERR_TYPE, "%s: at changes %s in place, but for these operands the function gives %s", name_.c_str(),
         dtype_name(x->dtype), dtype_name(types.outputs[0]));
  const ArrayRef places = apart_from(x, int64_indices("at", indices));
  check_range(name_, places.get(), x->shape[0]);
  Dims shape(places->shape, places->shape + places->ndim);
  shape.insert(shape.end(), x->shape + 1, x->shape + x->ndim);
  const Number count(places->size), rows(x->shape[0]);
  const int64_t width = x->shape[0] ? x->size / x->shape[0] : 0;
  const Number columns(width);
  std::vector<gpuopt_array> arguments{places.get(), count.array.get(), rows.array.get(), columns.array.get()};
  ArrayRef typed, wide;
  if (values) {
    typed = apart_from(x, typed_input(x->stream.get(), values, x->dtype));
    wide = broadcast_view(typed.get(), shape, name_.c_str());
    arguments.push_back(wide.get());
  }
  arguments.push_back(x);
  if (places->size && width)
    call_elementwise(kernels_.get("at " + std::to_string(x->dtype), [&] { return at_source(x->dtype); }), arguments,
                     sized_call(width), nullptr);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_vectorize(const char *code, const char *name, const char *types, const char *identity,
                               gpuopt_kernel *kernel, gpuopt_error *error) {
  return giving_kernel(kernel, error, "vectorize", name,
                       [&](const std::string &title) { return std::make_unique<Ufunc>(title, code, types, identity); });
}

gpuopt_status gpuopt_ufunc_reduce(gpuopt_kernel kernel, gpuopt_array x, int32_t naxes, const int64_t *axes,
                                  int32_t keepdims, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    Ufunc &ufunc = ufunc_of(kernel, "ufunc_reduce");
    return ufunc.reduce(&deref_strong(x, "ufunc_reduce"), naxes, axes, keepdims != 0);
  });
}

gpuopt_status gpuopt_ufunc_accumulate(gpuopt_kernel kernel, gpuopt_array x, int64_t axis, gpuopt_array *result,
                                      gpuopt_error *error) {
  return giving(result, error, [&] {
    Ufunc &ufunc = ufunc_of(kernel, "ufunc_accumulate");
    return ufunc.accumulate(&deref_strong(x, "ufunc_accumulate"), axis);
  });
}

gpuopt_status gpuopt_ufunc_outer(gpuopt_kernel kernel, gpuopt_array a, gpuopt_array b, gpuopt_array *result,
                                 gpuopt_error *error) {
  return giving(result, error, [&] {
    Ufunc &ufunc = ufunc_of(kernel, "ufunc_outer");
    return ufunc.outer(&deref_strong(a, "ufunc_outer"), &deref_strong(b, "ufunc_outer"));
  });
}

gpuopt_status gpuopt_ufunc_at(gpuopt_kernel kernel, gpuopt_array x, gpuopt_array indices, gpuopt_array values,
                              gpuopt_error *error) {
  return guarded(error, [&] {
    Ufunc &ufunc = ufunc_of(kernel, "ufunc_at");
    ufunc.at(&deref_strong(x, "ufunc_at"), &deref_strong(indices, "ufunc_at"), values);
  });
}

}  // extern "C"
