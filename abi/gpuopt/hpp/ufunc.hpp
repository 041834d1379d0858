// abi/gpuopt/hpp/ufunc.hpp -- part of gpuopt.hpp: universal functions, generalized ones and stencils of your own.
#ifndef GPUOPT_HPP_UFUNC_HPP
#define GPUOPT_HPP_UFUNC_HPP

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel.hpp"

namespace gpuopt {
inline namespace v1 {

namespace detail {
// A kernel called with its inputs, or with its inputs and outputs, as arrays and numbers.
class callable : public shared<kernel_traits> {
 public:
  // The first output; all of them with outputs().
  template <class... Arguments>
  array operator()(const Arguments &...arguments) const {
    return std::move(outputs(arguments...).front());
  }
  template <class... Arguments>
  std::vector<array> outputs(const Arguments &...arguments) const {
    gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
    return call_kernel(get(), options, {operand(arguments)...});
  }

 protected:
  explicit callable(handle_type made) : shared(std::move(made)) {}
};
}  // namespace detail

// numba.vectorize (gpuopt_vectorize):
//
//   gp::ufunc hypot2("template <class T> T hypot2(T x, T y) { return x * x + y * y; }", "hypot2",
//                    "float32,float32->float32; float64,float64->float64");
//   gp::array z = hypot2(x, y), all = hypot2.outer(x, y);
class ufunc : public detail::callable {
 public:
  // An empty identity is none.
  ufunc(const std::string &code, const std::string &name, const std::string &types, const std::string &identity = "")
      : callable(create(code, name, types, identity)) {}

  // Over one axis, in order; with an identity also over several, or over all.
  array reduce(const array &x, const dims &axes, bool keepdims = false) const {
    return detail::make<array>(gpuopt_ufunc_reduce, get(), x.get(), static_cast<int32_t>(axes.size()),
                               axes.size() ? axes.data() : &none_, int32_t{keepdims});
  }
  array reduce(const array &x) const {
    return detail::make<array>(gpuopt_ufunc_reduce, get(), x.get(), int32_t{0}, static_cast<const int64_t *>(nullptr),
                               int32_t{0});
  }
  array accumulate(const array &x, int64_t axis = 0) const {
    return detail::make<array>(gpuopt_ufunc_accumulate, get(), x.get(), axis);
  }
  array outer(const array &a, const array &b) const {
    return detail::make<array>(gpuopt_ufunc_outer, get(), a.get(), b.get());
  }
  // x[indices[k]] = f(x[indices[k]], values[k]), in order and in place; without values of a function of one input.
  void at(const array &x, const array &indices, const operand &values) const {
    detail::call(gpuopt_ufunc_at, get(), x.get(), indices.get(), values.get().get());
  }
  void at(const array &x, const array &indices) const {
    detail::call(gpuopt_ufunc_at, get(), x.get(), indices.get(), static_cast<gpuopt_array>(nullptr));
  }

 private:
  static handle_type create(const std::string &code, const std::string &name, const std::string &types,
                            const std::string &identity) {
    raw_type made = nullptr;
    detail::call(gpuopt_vectorize, code.c_str(), name.c_str(), types.c_str(), identity.c_str(), &made);
    return handle_type(made);
  }
  static constexpr int64_t none_ = 0;
};

// numba.guvectorize (gpuopt_guvectorize):
//
//   gp::gufunc matmul(R"(template <class T>
//     void matmul(array<const T, 2> a, array<const T, 2> b, array<T, 2> c) {
//       for (int i = 0; i < c.shape(0); i++)
//         for (int j = 0; j < c.shape(1); j++) {
//           T sum = 0;
//           for (int k = 0; k < a.shape(1); k++) sum += a(i, k) * b(k, j);
//           c(i, j) = sum;
//         }
//     })", "matmul", "float64,float64->float64", "(m,n),(n,p)->(m,p)");
class gufunc : public detail::callable {
 public:
  gufunc(const std::string &code, const std::string &name, const std::string &types, const std::string &signature)
      : callable(create(code, name, types, signature)) {}

 private:
  static handle_type create(const std::string &code, const std::string &name, const std::string &types,
                            const std::string &signature) {
    raw_type made = nullptr;
    detail::call(gpuopt_guvectorize, code.c_str(), name.c_str(), types.c_str(), signature.c_str(), &made);
    return handle_type(made);
  }
};

// What an index means that leaves an array: GPUOPT_STENCIL_*.
enum class stencil_mode : int32_t {
  constant = GPUOPT_STENCIL_CONSTANT,
  reflect = GPUOPT_STENCIL_REFLECT,
  nearest = GPUOPT_STENCIL_NEAREST,
  wrap = GPUOPT_STENCIL_WRAP
};

// Beside a stencil's own text. The neighborhood has the least and the greatest offset of each axis; empty: the text's.
struct stencil_options {
  stencil_mode mode = stencil_mode::constant;
  std::optional<scalar> cval;
  std::vector<std::pair<int64_t, int64_t>> neighborhood;
  std::string preamble;
};

// numba.stencil (gpuopt_stencil):
//
//   gp::stencil blur("T a", "T out", "return (a(0, 1) + a(1, 0) + a(0, -1) + a(-1, 0)) / 4;", "blur");
class stencil : public detail::callable {
 public:
  stencil(const std::string &in_params, const std::string &out_params, const std::string &body,
          const std::string &name = "stencil", const stencil_options &more = {})
      : callable(create(in_params, out_params, body, name, more)) {}

 private:
  static handle_type create(const std::string &in_params, const std::string &out_params, const std::string &body,
                            const std::string &name, const stencil_options &more) {
    std::vector<int64_t> edges;
    for (const auto &axis : more.neighborhood) {
      edges.push_back(axis.first);
      edges.push_back(axis.second);
    }
    gpuopt_stencil_options options = GPUOPT_STENCIL_OPTIONS_INIT;
    options.mode = static_cast<int32_t>(more.mode);
    options.ndim = static_cast<int32_t>(more.neighborhood.size());
    options.neighborhood = edges.empty() ? nullptr : edges.data();
    if (more.cval) options.cval = more.cval->raw();
    options.preamble = more.preamble.c_str();
    raw_type made = nullptr;
    detail::call(gpuopt_stencil, in_params.c_str(), out_params.c_str(), body.c_str(), name.c_str(),
                 static_cast<const gpuopt_stencil_options *>(&options), &made);
    return handle_type(made);
  }
};

}  // namespace v1
}  // namespace gpuopt
#endif
