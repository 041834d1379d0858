// tests/fuzz/programs/verbs_kernel.cpp -- the verbs that call user kernels, those of kernels.def, which need a
// compiler.
#include <cstring>

#include "tests/fuzz/programs/session.h"

namespace fuzz {
namespace {

gpuopt_array *out(Call &c) { return &c.outcome.result; }
gpuopt_array written(Call &c, size_t i) { return c.outcome.written = c.array(i); }
std::vector<gpuopt_array> arrays(Call &c, size_t first) {
  std::vector<gpuopt_array> all;
  for (size_t i = first; i < c.count(); ++i) all.push_back(c.array(i));
  return all;
}

// Makes a kernel and uses it.
class Kernel {
 public:
  explicit Kernel(Call &c) : call_(c) {}
  ~Kernel() { gpuopt_kernel_release(made_); }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  template <class Make>
  Kernel &make(Make maker) {
    status_ = maker(&made_);
    return *this;
  }
  template <class Use>
  gpuopt_status use(Use user) {
    return status_ == GPUOPT_OK ? user(made_) : status_;
  }
  gpuopt_status call(const std::vector<gpuopt_array> &arguments, const gpuopt_kernel_call_options *options,
                     gpuopt_array *results) {
    return use([&](gpuopt_kernel k) {
      return gpuopt_kernel_call(k, static_cast<int32_t>(arguments.size()), arguments.data(), options, results,
                                &call_.error);
    });
  }

 private:
  Call &call_;
  gpuopt_kernel made_ = nullptr;
  gpuopt_status status_ = GPUOPT_OK;
};

struct Texts {
  const char *texts[6];
};
using Table = std::map<std::string, Texts>;
const Texts &text_of(const Table &table, const std::string &name) {
  const auto found = table.find(name);
  if (found == table.end()) throw std::runtime_error("kernels.def has no " + name);
  return found->second;
}

// ---- elementwise

const Table kElementwise = {
#define FUZZ_KERNEL(name, in, out, body) {#name, {{in, out, body}}},
#include "tests/fuzz/programs/kernels.def"
};
Kernel &make_elementwise(Call &c, Kernel &kernel) {
  const auto &[t] = text_of(kElementwise, c.word(0));
  return kernel.make([&](gpuopt_kernel *k) {
    return gpuopt_elementwise_kernel(t[0], t[1], t[2], c.word(0).c_str(), nullptr, k, &c.error);
  });
}
gpuopt_status kernel(Call &c) {  // NAME X...
  Kernel kernel(c);
  return make_elementwise(c, kernel).call(arrays(c, 1), nullptr, out(c));
}
gpuopt_status kernel_into(Call &c) {  // NAME X... OUT
  Kernel kernel(c);
  written(c, c.count() - 1);
  return make_elementwise(c, kernel).call(arrays(c, 1), nullptr, nullptr);
}

// ---- reductions

const Table kReductions = {
#define FUZZ_REDUCTION(name, in, out, map, reduce, post, identity) {#name, {{in, out, map, reduce, post, identity}}},
#include "tests/fuzz/programs/kernels.def"
};
gpuopt_status reduction_kernel(Call &c) {  // NAME AXES KEEPDIMS X..., "*" for all axes
  const auto &[t] = text_of(kReductions, c.word(0));
  const bool all = c.word(1) == "*";
  const auto axes = all ? std::vector<int64_t>() : c.list(1);
  gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
  options.axes = all ? nullptr : axes.data();
  options.naxes = static_cast<int32_t>(axes.size());
  options.keepdims = static_cast<int32_t>(c.integer(2));
  Kernel kernel(c);
  return kernel
      .make([&](gpuopt_kernel *k) {
        return gpuopt_reduction_kernel(t[0], t[1], t[2], t[3], t[4], t[5], c.word(0).c_str(), nullptr, k, &c.error);
      })
      .call(arrays(c, 3), &options, out(c));
}

// ---- raw kernels

const Table kRawTexts = {
#define FUZZ_RAW(name, text) {#name, {{text}}},
#include "tests/fuzz/programs/kernels.def"
};
bool is_contiguous(gpuopt_array x) {
  int64_t step = gpuopt_dtype_size(gpuopt_array_dtype(x));
  for (int32_t d = gpuopt_array_ndim(x); d-- > 0; step *= gpuopt_array_shape(x)[d])
    if (gpuopt_array_shape(x)[d] > 1 && gpuopt_array_strides(x)[d] != step) return false;
  return true;
}
const char *type_of(gpuopt_dtype dtype) {
  return dtype == GPUOPT_INT32     ? "int"
         : dtype == GPUOPT_INT64   ? "long long"
         : dtype == GPUOPT_FLOAT32 ? "float"
                                   : "double";
}
// NAME ROWS COLUMNS BLOCK GRID X OUT, arrays in C order, without gaps: others would be written beyond their elements.
gpuopt_status raw(Call &c) {
  const gpuopt_array x = c.array(5), target = written(c, 6);
  const int32_t rows = static_cast<int32_t>(c.integer(1)), columns = static_cast<int32_t>(c.integer(2));
  if (!is_contiguous(x) || !is_contiguous(target)) return GPUOPT_ERR_INVALID_ARGUMENT;
  const auto &[t] = text_of(kRawTexts, c.word(0));
  const std::string name = c.word(0) + "<" + type_of(gpuopt_array_dtype(x)) + ">";
  const uint32_t block[3] = {static_cast<uint32_t>(c.integer(3)), 1, 1};
  const uint32_t grid[3] = {static_cast<uint32_t>(c.integer(4)), 1, 1};
  const gpuopt_raw_argument arguments[] = {
      {x, nullptr, 0}, {target, nullptr, 0}, {nullptr, &rows, sizeof rows}, {nullptr, &columns, sizeof columns}};
  Kernel kernel(c);
  return kernel.make([&](gpuopt_kernel *k) { return gpuopt_raw_kernel(t[0], name.c_str(), k, &c.error); })
      .use([&](gpuopt_kernel k) {
        return gpuopt_raw_kernel_launch(k, grid, block, 0, 4, arguments, nullptr, &c.error);
      });
}

// ---- modules: two kernels and the variables that they share

struct ReleaseKernels {
  void operator()(gpuopt_kernel *kernels) const {
    gpuopt_kernel_release(kernels[0]), gpuopt_kernel_release(kernels[1]);
  }
};
using Two = std::unique_ptr<gpuopt_kernel, ReleaseKernels>;
const Table kModules = {
#define FUZZ_MODULE(name, text, first, second, variable) {#name, {{text, first, second, variable}}},
#include "tests/fuzz/programs/kernels.def"
};

// Sets the variable, runs a kernel (int *x, int n), and reads the variable, which nobody but the caller changes.
gpuopt_status set_and_launch(Call &c, gpuopt_kernel kernel, const char *variable, int32_t value, gpuopt_array x) {
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  options.device = c.session.device;
  gpuopt_status status = gpuopt_raw_kernel_set_global(kernel, variable, 0, &value, sizeof value, &options, &c.error);
  if (status != GPUOPT_OK) return status;
  const uint32_t grid[3] = {2, 1, 1}, block[3] = {64, 1, 1};
  const int32_t n = static_cast<int32_t>(gpuopt_array_size(x));
  const gpuopt_raw_argument arguments[] = {{x, nullptr, 0}, {nullptr, &n, sizeof n}};
  status = gpuopt_raw_kernel_launch(kernel, grid, block, 0, 2, arguments, nullptr, &c.error);
  if (status != GPUOPT_OK) return status;
  int32_t read = ~value;
  status = gpuopt_raw_kernel_get_global(kernel, variable, 0, &read, sizeof read, &options, &c.error);
  return status == GPUOPT_OK && read != value ? GPUOPT_ERR_INTERNAL : status;
}
gpuopt_status module(
    Call &c) {  // NAME NUMBER NUMBER X: X is int32 in C order, and written by one kernel after the other
  const gpuopt_array x = written(c, 3);
  if (!is_contiguous(x)) return GPUOPT_ERR_INVALID_ARGUMENT;
  const auto &[t] = text_of(kModules, c.word(0));
  gpuopt_kernel made[2] = {};
  const char *const names[2] = {t[1], t[2]};
  gpuopt_status status = gpuopt_raw_module(t[0], 2, names, made, &c.error);
  const Two kernels(made);
  for (size_t k = 0; k < 2 && status == GPUOPT_OK; ++k)
    status = set_and_launch(c, made[k], t[3], static_cast<int32_t>(c.integer(1 + k)), x);
  return status;
}

// ---- native functions

const Table kCfuncs = {
#define FUZZ_CFUNC(name, text, signature) {#name, {{text, signature}}},
#include "tests/fuzz/programs/kernels.def"
};
gpuopt_status cfunc(Call &c) {  // NAME X Y: numbers; gives the function's value, a double
  const auto &[t] = text_of(kCfuncs, c.word(0));
  gpuopt_cfunc made = nullptr;
  const gpuopt_status status = gpuopt_compile_cfunc(t[0], c.word(0).c_str(), t[1], &made, &c.error);
  if (status != GPUOPT_OK) return status;
  const auto function = reinterpret_cast<double (*)(double, double)>(gpuopt_cfunc_address(made));
  const double value = function(c.real(1), c.real(2));
  c.outcome.payload.resize(sizeof value);
  std::memcpy(c.outcome.payload.data(), &value, sizeof value);
  gpuopt_cfunc_release(made);
  return GPUOPT_OK;
}

// ---- ufuncs, generalized ones, stencils

const Table kUfuncs = {
#define FUZZ_UFUNC(name, text, types, identity) {#name, {{text, types, identity}}},
#include "tests/fuzz/programs/kernels.def"
};
Kernel &make_ufunc(Call &c, Kernel &kernel) {
  const auto &[t] = text_of(kUfuncs, c.word(0));
  return kernel.make(
      [&](gpuopt_kernel *k) { return gpuopt_vectorize(t[0], c.word(0).c_str(), t[1], t[2], k, &c.error); });
}
gpuopt_status ufunc(Call &c) {  // NAME X...
  Kernel kernel(c);
  return make_ufunc(c, kernel).call(arrays(c, 1), nullptr, out(c));
}
gpuopt_status ufunc_reduce(Call &c) {  // NAME X AXES KEEPDIMS, "*" for all axes
  const bool all = c.word(2) == "*";
  const auto axes = all ? std::vector<int64_t>() : c.list(2);
  Kernel kernel(c);
  return make_ufunc(c, kernel).use([&](gpuopt_kernel k) {
    return gpuopt_ufunc_reduce(k, c.array(1), static_cast<int32_t>(axes.size()), all ? nullptr : axes.data(),
                               static_cast<int32_t>(c.integer(3)), out(c), &c.error);
  });
}
gpuopt_status ufunc_accumulate(Call &c) {  // NAME X AXIS
  Kernel kernel(c);
  return make_ufunc(c, kernel).use(
      [&](gpuopt_kernel k) { return gpuopt_ufunc_accumulate(k, c.array(1), c.integer(2), out(c), &c.error); });
}
gpuopt_status ufunc_outer(Call &c) {  // NAME X1 X2
  Kernel kernel(c);
  return make_ufunc(c, kernel).use(
      [&](gpuopt_kernel k) { return gpuopt_ufunc_outer(k, c.array(1), c.array(2), out(c), &c.error); });
}
gpuopt_status ufunc_at(Call &c) {  // NAME X INDICES VALUES
  Kernel kernel(c);
  return make_ufunc(c, kernel).use(
      [&](gpuopt_kernel k) { return gpuopt_ufunc_at(k, written(c, 1), c.array(2), c.array(3), &c.error); });
}

const Table kGufuncs = {
#define FUZZ_GUFUNC(name, text, types, signature) {#name, {{text, types, signature}}},
#include "tests/fuzz/programs/kernels.def"
};
gpuopt_status gufunc(Call &c) {  // NAME X...
  const auto &[t] = text_of(kGufuncs, c.word(0));
  Kernel kernel(c);
  return kernel
      .make([&](gpuopt_kernel *k) { return gpuopt_guvectorize(t[0], c.word(0).c_str(), t[1], t[2], k, &c.error); })
      .call(arrays(c, 1), nullptr, out(c));
}

const Table kStencils = {
#define FUZZ_STENCIL(name, in, out, body) {#name, {{in, out, body}}},
#include "tests/fuzz/programs/kernels.def"
};
gpuopt_status stencil(Call &c) {  // NAME MODE NUMBER X...
  const auto &[t] = text_of(kStencils, c.word(0));
  gpuopt_stencil_options options = GPUOPT_STENCIL_OPTIONS_INIT;
  options.mode = static_cast<int32_t>(c.integer(1));
  options.cval = c.scalar(2);
  Kernel kernel(c);
  return kernel
      .make(
          [&](gpuopt_kernel *k) { return gpuopt_stencil(t[0], t[1], t[2], c.word(0).c_str(), &options, k, &c.error); })
      .call(arrays(c, 3), nullptr, out(c));
}

}  // namespace

const std::map<std::string, Verb> &kernel_verbs() {
  static const std::map<std::string, Verb> verbs = {
      {"kernel", kernel},
      {"kernel_into", kernel_into},
      {"reduction_kernel", reduction_kernel},
      {"raw", raw},
      {"module", module},
      {"cfunc", cfunc},
      {"ufunc", ufunc},
      {"ufunc_reduce", ufunc_reduce},
      {"ufunc_accumulate", ufunc_accumulate},
      {"ufunc_outer", ufunc_outer},
      {"ufunc_at", ufunc_at},
      {"gufunc", gufunc},
      {"stencil", stencil},
  };
  return verbs;
}

}  // namespace fuzz
