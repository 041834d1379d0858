// abi/gpuopt/hpp/kernel.hpp -- part of gpuopt.hpp: kernels of your own.
#ifndef GPUOPT_HPP_KERNEL_HPP
#define GPUOPT_HPP_KERNEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "array.hpp"
#include "texture.hpp"

namespace gpuopt {
inline namespace v1 {

namespace detail {
// All that the compiler said when it last refused a text of this kernel (gpuopt_kernel_build_log).
inline std::string build_log(gpuopt_kernel kernel) {
  char *text = nullptr;
  call(gpuopt_kernel_build_log, kernel, &text);
  const std::unique_ptr<char, void (*)(char *)> owner(text, gpuopt_string_free);
  return text;
}
// All outputs. Where no argument is an array, current_device().
inline std::vector<array> call_kernel(gpuopt_kernel kernel, gpuopt_kernel_call_options &options,
                                      const std::vector<operand> &arguments) {
  std::vector<gpuopt_array> raw, results(static_cast<size_t>(gpuopt_kernel_nout(kernel)));
  bool placed = false;
  for (const operand &argument : arguments) {
    raw.push_back(argument.get().get());
    placed = placed || (raw.back() && !gpuopt_array_is_weak(raw.back()));
  }
  gpuopt::device target;
  if (!placed) target = current_device();
  options.device = target.get();
  call(gpuopt_kernel_call, kernel, static_cast<int32_t>(raw.size()), static_cast<const gpuopt_array *>(raw.data()),
       static_cast<const gpuopt_kernel_call_options *>(&options), results.data());
  std::vector<array> outputs;
  for (gpuopt_array result : results) {  // in braces for Doxygen 1.9.4
    outputs.emplace_back(array::handle_type(result));
  }
  return outputs;
}
}  // namespace detail

// Ends the compilations that are under way: the calls that wait for them throw GPUOPT_ERR_CANCELLED, and compile anew
// when they are made again. From any thread, a callback of the log or a signal handler. See
// gpuopt_cancel_compilations().
inline void cancel_compilations() noexcept { gpuopt_cancel_compilations(); }

// Texts beside a kernel's own; empty ones are none.
struct kernel_text {
  std::string preamble, loop_prep, after_loop;
};

// cupy.ElementwiseKernel (gpuopt_elementwise_kernel). Called with its inputs, or with its inputs and outputs, as arrays
// and numbers:
//
//   gp::elementwise_kernel squared_diff("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
//   gp::array z = squared_diff(x, 5);
//
// A copy is another reference to the same kernel. Safe from any threads.
class elementwise_kernel : public detail::shared<detail::kernel_traits> {
 public:
  // Parameters are comma lists of [raw] TYPE NAME; the text is compiled at the first call with such dtypes. Malformed
  // lists and names are GPUOPT_ERR_INVALID_ARGUMENT here. See gpuopt_elementwise_kernel().
  elementwise_kernel(const std::string &in_params, const std::string &out_params, const std::string &operation,
                     const std::string &name = "kernel", const kernel_text &more = {})
      : shared(create(in_params, out_params, operation, name, more)) {}

  // The first output; all of them with outputs().
  template <class... Arguments>
  array operator()(const Arguments &...arguments) const {
    return std::move(outputs(arguments...).front());
  }
  // All outputs.
  template <class... Arguments>
  std::vector<array> outputs(const Arguments &...arguments) const {
    return call(nullptr, {operand(arguments)...});
  }
  // For kernels whose arrays are all raw: i runs from 0 to size, on current_device() if no argument is an array.
  template <class... Arguments>
  array sized(int64_t size, const Arguments &...arguments) const {
    return std::move(call(&size, {operand(arguments)...}).front());
  }

  // All that the compiler said when it last refused the text, of which an error's message has the beginning; "" if it
  // never did.
  std::string build_log() const { return detail::build_log(get()); }

 private:
  static handle_type create(const std::string &in_params, const std::string &out_params, const std::string &operation,
                            const std::string &name, const kernel_text &more) {
    gpuopt_kernel_options options = GPUOPT_KERNEL_OPTIONS_INIT;
    options.preamble = more.preamble.c_str();
    options.loop_prep = more.loop_prep.c_str();
    options.after_loop = more.after_loop.c_str();
    raw_type made = nullptr;
    detail::call(gpuopt_elementwise_kernel, in_params.c_str(), out_params.c_str(), operation.c_str(), name.c_str(),
                 static_cast<const gpuopt_kernel_options *>(&options), &made);
    return handle_type(made);
  }

  std::vector<array> call(const int64_t *size, const std::vector<operand> &arguments) const {
    gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
    options.has_size = size != nullptr;
    options.size = size ? *size : 0;
    return detail::call_kernel(get(), options, arguments);
  }
};

// cupy.ReductionKernel (gpuopt_reduction_kernel):
//
//   gp::reduction_kernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
//   gp::array y = l2norm.over({1}, x);
class reduction_kernel : public detail::shared<detail::kernel_traits> {
 public:
  // An empty identity is none; an empty reduce_type that of the first output.
  reduction_kernel(const std::string &in_params, const std::string &out_params, const std::string &map_expr,
                   const std::string &reduce_expr, const std::string &post_map_expr, const std::string &identity = "",
                   const std::string &name = "kernel", const std::string &reduce_type = "",
                   const std::string &preamble = "")
      : shared(create(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, reduce_type,
                      preamble)) {}

  // Over all axes; the first output.
  template <class... Arguments>
  array operator()(const Arguments &...arguments) const {
    return std::move(outputs(nullptr, false, {operand(arguments)...}).front());
  }
  // Over the axes given; the first output.
  template <class... Arguments>
  array over(const dims &axes, const Arguments &...arguments) const {
    return std::move(outputs(&axes, false, {operand(arguments)...}).front());
  }
  // Axes NULL means all.
  std::vector<array> outputs(const dims *axes, bool keepdims, const std::vector<operand> &arguments) const {
    gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
    const int64_t nothing = 0;
    options.axes = !axes ? nullptr : axes->size() ? axes->data() : &nothing;
    options.naxes = axes ? static_cast<int32_t>(axes->size()) : 0;
    options.keepdims = keepdims;
    return detail::call_kernel(get(), options, arguments);
  }

  // All that the compiler said when it last refused the text, of which an error's message has the beginning; "" if it
  // never did.
  std::string build_log() const { return detail::build_log(get()); }

 private:
  static handle_type create(const std::string &in_params, const std::string &out_params, const std::string &map_expr,
                            const std::string &reduce_expr, const std::string &post_map_expr,
                            const std::string &identity, const std::string &name, const std::string &reduce_type,
                            const std::string &preamble) {
    gpuopt_kernel_options options = GPUOPT_KERNEL_OPTIONS_INIT;
    options.preamble = preamble.c_str();
    options.reduce_type = reduce_type.c_str();
    raw_type made = nullptr;
    detail::call(gpuopt_reduction_kernel, in_params.c_str(), out_params.c_str(), map_expr.c_str(), reduce_expr.c_str(),
                 post_map_expr.c_str(), identity.c_str(), name.c_str(),
                 static_cast<const gpuopt_kernel_options *>(&options), &made);
    return handle_type(made);
  }
};

// Blocks of a grid, threads of a block.
struct dim3 {
  uint32_t x, y, z;
  // The extents along x, y and z.
  constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};

// An array whose elements a raw kernel is to take as what its parameter points to, whatever their dtype; see
// reinterpreted().
struct reinterpreted_array {
  array elements;  // the array as it is
};
// For raw_kernel, as in kernel(4, 256, gp::reinterpreted(x)): float64 as the unsigned long long they are made of.
inline reinterpreted_array reinterpreted(const array &x) { return {x}; }

namespace detail {
inline gpuopt_raw_argument raw_argument(const array &x) { return {x.get(), nullptr, 0}; }
inline gpuopt_raw_argument raw_argument(const reinterpreted_array &x) { return {x.elements.get(), nullptr, 0}; }
inline gpuopt_raw_argument raw_argument(const texture_object &x) { return {nullptr, &x.value(), sizeof(uint64_t)}; }
template <class T, std::enable_if_t<std::is_trivially_copyable_v<T>, int> = 0>
gpuopt_raw_argument raw_argument(const T &value) {
  return {nullptr, &value, sizeof value};
}
// The dtype of an argument as in gpuopt_raw_launch_options: an array is of its own dtype.
template <class T>
constexpr gpuopt_dtype raw_argument_dtype() {
  if constexpr (std::is_same_v<T, reinterpreted_array>) return GPUOPT_RAW_ANY;
  if constexpr (std::is_same_v<T, array>) return GPUOPT_DTYPE_DEFAULT;
  return gpuopt::v1::raw(dtype_of_number<T>());
}
}  // namespace detail

// cupy.RawKernel (gpuopt_raw_kernel). Arguments are arrays of the numbers that the parameters point to, textures and
// surfaces, and values of the parameters' types (GPUOPT_ERR_TYPE); reinterpreted() is for arrays of others:
//
//   gp::raw_kernel add(R"(extern "C" __global__ void add(const float *x, float *y, int n) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) y[i] += x[i];
//   })", "add");
//   add(4, 256, x, y, 1000);
class raw_kernel : public detail::shared<detail::kernel_traits> {
 public:
  // An instance of a template is named as CUDA's name expressions do: "scale<float>".
  raw_kernel(const std::string &code, const std::string &name) : shared(create(code, name)) {}
  // Launches `grid` blocks of `block` threads. See gpuopt_raw_kernel_launch().
  template <class... Arguments>
  void operator()(dim3 grid, dim3 block, const Arguments &...arguments) const {
    launch(grid, block, 0, arguments...);
  }
  // Launches with so many bytes of dynamic shared memory.
  template <class... Arguments>
  void launch(dim3 grid, dim3 block, uint32_t shared_bytes, const Arguments &...arguments) const {
    const gpuopt_raw_argument list[] = {detail::raw_argument(arguments)..., gpuopt_raw_argument{}};
    const uint32_t blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
    const gpuopt_dtype dtypes[] = {detail::raw_argument_dtype<Arguments>()..., GPUOPT_DTYPE_DEFAULT};
    gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
    options.dtypes = dtypes;
    detail::call(gpuopt_raw_kernel_launch, get(), static_cast<const uint32_t *>(blocks),
                 static_cast<const uint32_t *>(threads), shared_bytes, static_cast<int32_t>(sizeof...(arguments)),
                 static_cast<const gpuopt_raw_argument *>(list),
                 static_cast<const gpuopt_raw_launch_options *>(&options));
  }

  // A __constant__ or __device__ variable of the text on current_device(), as a value of just its size or less
  // (gpuopt_raw_kernel_get_global, gpuopt_raw_kernel_set_global).
  template <class T>
  T get_global(const std::string &variable) const {
    static_assert(std::is_trivially_copyable_v<T>, "the bytes of a variable are copied");
    T value;
    const gpuopt::device where = current_device();
    const gpuopt_raw_launch_options options = on(where);
    detail::call(gpuopt_raw_kernel_get_global, get(), variable.c_str(), uint64_t{0}, static_cast<void *>(&value),
                 uint64_t{sizeof value}, &options);
    return value;
  }
  template <class T>
  void set_global(const std::string &variable, const T &value) const {
    static_assert(std::is_trivially_copyable_v<T>, "the bytes of a variable are copied");
    const gpuopt::device where = current_device();
    const gpuopt_raw_launch_options options = on(where);
    detail::call(gpuopt_raw_kernel_set_global, get(), variable.c_str(), uint64_t{0}, static_cast<const void *>(&value),
                 uint64_t{sizeof value}, &options);
  }

  // What it was compiled to on current_device().
  gpuopt_kernel_attributes attributes() const {
    gpuopt_kernel_attributes found = GPUOPT_KERNEL_ATTRIBUTES_INIT;
    const gpuopt::device where = current_device();
    detail::call(gpuopt_raw_kernel_attributes, get(), where.get(), &found);
    return found;
  }

  // All that the compiler said when it last refused the text, of which an error's message has the beginning; "" if it
  // never did.
  std::string build_log() const { return detail::build_log(get()); }

 private:
  friend std::vector<raw_kernel> raw_module(const std::string &code, const std::vector<std::string> &names);
  explicit raw_kernel(handle_type made) : shared(std::move(made)) {}

  static gpuopt_raw_launch_options on(const gpuopt::device &where) {
    gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
    options.device = where.get();
    return options;
  }

  static handle_type create(const std::string &code, const std::string &name) {
    raw_type made = nullptr;
    detail::call(gpuopt_raw_kernel, code.c_str(), name.c_str(), &made);
    return handle_type(made);
  }
};

// cupy.RawModule (gpuopt_raw_module): kernels of one text, which share its variables.
inline std::vector<raw_kernel> raw_module(const std::string &code, const std::vector<std::string> &names) {
  std::vector<const char *> texts;
  for (const std::string &name : names) texts.push_back(name.c_str());
  std::vector<gpuopt_kernel> made(names.size());
  detail::call(gpuopt_raw_module, code.c_str(), static_cast<int32_t>(names.size()),
               static_cast<const char *const *>(texts.data()), made.data());
  std::vector<raw_kernel> kernels;
  for (gpuopt_kernel kernel : made) kernels.push_back(raw_kernel(raw_kernel::handle_type(kernel)));
  return kernels;
}

}  // namespace v1
}  // namespace gpuopt
#endif
