// abi/gpuopt/hpp/apply.hpp -- part of gpuopt.hpp: elementwise operations with the options of NumPy's ufuncs.
#ifndef GPUOPT_HPP_APPLY_HPP
#define GPUOPT_HPP_APPLY_HPP

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

// Which casts are allowed, as NumPy names them: within a kind unless one of the others is given.
enum class casting : gpuopt_casting {
  same_kind = GPUOPT_CASTING_SAME_KIND,
  no = GPUOPT_CASTING_NO,
  safe = GPUOPT_CASTING_SAFE,
  unsafe = GPUOPT_CASTING_UNSAFE
};

// How gpuopt::apply() computes. See gpuopt_apply_options.
struct apply_options {
  array out{};    // the result broadcasts to it; empty: a new array
  array where{};  // bool; empty: all elements
  gpuopt::casting cast = casting::same_kind;
  dtype type = default_dtype;  // that inputs are cast to first
  bool standard = false;       // the array API standard's special cases: GPUOPT_APPLY_STANDARD
  // The options as C has them; the arrays must live as long.
  gpuopt_apply_options raw() const {
    gpuopt_apply_options options{};
    options.struct_size = sizeof options;
    options.flags = standard ? GPUOPT_APPLY_STANDARD : 0;
    options.out = out.get();
    options.where = where.get();
    options.casting = static_cast<gpuopt_casting>(cast);
    options.dtype = gpuopt::raw(type);
    return options;
  }
};

// Any row of the op table with options: apply(GPUOPT_OP_add, how, x, 1). The result, or how.out where there is one.
// See gpuopt_apply_with().
template <class... X>
array apply(gpuopt_op op, const apply_options &how, const X &...x) {
  const detail::gathered in{operand(x)...};
  const gpuopt_apply_options options = how.raw();
  return detail::make<array>(gpuopt_apply_with, op, int32_t{sizeof...(x)}, in.data(), &options);
}

}  // namespace v1
}  // namespace gpuopt

#endif
