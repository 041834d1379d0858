// abi/gpuopt/hpp/fuse.hpp -- part of gpuopt.hpp: functions of arrays whose operations run together.
#ifndef GPUOPT_HPP_FUSE_HPP
#define GPUOPT_HPP_FUSE_HPP

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

namespace detail {

// The arrays in what a function takes or gives: one, or several in a tuple, pair, std::array or vector. Numbers have
// none.
inline void list_arrays(std::vector<gpuopt_array> &list, const array &x) { list.push_back(x.get()); }
inline void list_arrays(std::vector<gpuopt_array> &, const scalar &) {}
inline void list_arrays(std::vector<gpuopt_array> &list, const std::vector<array> &several) {
  for (const array &x : several) list_arrays(list, x);
}
template <class Several, size_t = std::tuple_size<Several>::value>
void list_arrays(std::vector<gpuopt_array> &list, const Several &several) {
  std::apply([&](const auto &...x) { (list_arrays(list, x), ...); }, several);
}

template <class... X>
void eval_together(const X &...x) {
  std::vector<gpuopt_array> list;
  (list_arrays(list, x), ...);
  call(gpuopt_eval, static_cast<int32_t>(list.size()), static_cast<const gpuopt_array *>(list.data()));
}

inline const array &weak_or_array(const operand &x) { return x.get(); }

template <class Body, class... X>
auto call_fused(const Body &body, const X &...x) {
  if constexpr (std::is_void_v<std::invoke_result_t<const Body &, const X &...>>) {
    body(x...);
    eval_together(x...);
  } else {
    auto results = body(x...);
    eval_together(results);
    return results;
  }
}

}  // namespace detail

// cupy.fuse: a function of arrays, such as a lambda, whose operations are recorded when it is called and run together
// when it returns: as one program where they fit one, with nothing between them in memory. Its result is an array, or
// several in a tuple, pair, std::array or vector, all of them computed; a function without result is one that writes to
// its arguments.
//
//   const auto length = gp::fuse([](const gp::array &x, const gp::array &y) { return gp::sqrt(x * x + y * y); });
//   gp::array z = length(a, b), w = length(a, 2);
//
// A number is given to a parameter that is a number, or of no fixed type, as it is; to an array's as a weak scalar,
// which takes the dtype of the array beside it. The function is run at each call, and may look at dtypes and shapes;
// where it looks at elements, what they wait for runs first. Results are those of the function itself, and the same
// bits.
template <class Function>
auto fuse(Function function) {
  return [function = std::move(function)](const auto &...arguments) {
    if constexpr (std::is_invocable_v<const Function &, decltype(arguments)...>)
      return detail::call_fused(function, arguments...);
    else
      return detail::call_fused(function, detail::weak_or_array(arguments)...);
  };
}

}  // namespace v1
}  // namespace gpuopt
#endif
