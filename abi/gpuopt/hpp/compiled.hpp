// abi/gpuopt/hpp/compiled.hpp -- part of gpuopt.hpp: native functions, and kernels compiled ahead of time.
#ifndef GPUOPT_HPP_COMPILED_HPP
#define GPUOPT_HPP_COMPILED_HPP

#include <string>
#include <string_view>
#include <type_traits>

#include "base.hpp"

namespace gpuopt {
inline namespace v1 {

namespace detail {
struct cfunc_traits {
  using raw = gpuopt_cfunc;
  static void retain(raw h) { gpuopt_cfunc_retain(h); }
  static void release(raw h) { gpuopt_cfunc_release(h); }
};

// What gpuopt_compile_cfunc calls a type of C++.
template <class T>
std::string c_type() {
  if constexpr (std::is_void_v<T>) {
    return std::is_const_v<T> ? "const void" : "void";
  } else if constexpr (std::is_pointer_v<T>) {
    return c_type<std::remove_pointer_t<T>>() + "*";
  } else {
    return std::string(std::is_const_v<T> ? "const " : "") + name(dtype_of<std::remove_const_t<T>>);
  }
}
template <class F>
struct c_signature;
template <class R, class... A>
struct c_signature<R(A...)> {
  static std::string text() {
    std::string arguments;
    ((arguments += (arguments.empty() ? "" : ",") + c_type<A>()), ...);
    return arguments + "->" + c_type<R>();
  }
};
}  // namespace detail

// numba.cfunc (gpuopt_compile_cfunc), by the type that C has for it:
//
//   gp::cfunc<int(const void *, const void *)> compare("int32_t compare(const void *a, const void *b) { ... }",
//   "compare"); std::qsort(data, n, sizeof *data, compare.pointer());
//
// It stays where it is while a copy of this object lives.
template <class F>
class cfunc : public detail::shared<detail::cfunc_traits> {
 public:
  // Compiles the function `name` of the C++ text `code`, whose types must be those of F.
  cfunc(const std::string &code, const std::string &name) : shared(create(code, name)) {}

  F *pointer() const { return reinterpret_cast<F *>(gpuopt_cfunc_address(get())); }
  // Calls the function.
  template <class... A>
  auto operator()(A... arguments) const {
    return pointer()(arguments...);
  }

 private:
  static handle_type create(const std::string &code, const std::string &name) {
    raw_type made = nullptr;
    detail::call(gpuopt_compile_cfunc, code.c_str(), name.c_str(), detail::c_signature<F>::text().c_str(), &made);
    return handle_type(made);
  }
};

// Kernels compiled ahead of time (gpuopt_bundle_load); bytes are those of a bundle in the program.
inline void load_bundle(const std::string &path) { detail::call(gpuopt_bundle_load, path.c_str()); }
inline void load_bundle_bytes(std::string_view bytes) {
  detail::call(gpuopt_bundle_load_memory, static_cast<const void *>(bytes.data()), static_cast<uint64_t>(bytes.size()));
}
// Compiles what a program recorded (gpuopt_bundle_build).
inline void build_bundle(const std::string &recorded, const std::string &path) {
  detail::call(gpuopt_bundle_build, recorded.c_str(), path.c_str());
}

}  // namespace v1
}  // namespace gpuopt
#endif
