// tools/plugin_test/operations.cpp -- compares every operation, cast, reduction and scan with the CPU backend, in every
// dtype and several layouts.
#include "tools/plugin_test/operations.h"

#include <optional>

#include "tools/plugin_test/loaded.h"

namespace gpuopt::plugin_test {
namespace {

constexpr int64_t kRows = 9, kColumns = 457;           // elementwise: too many for slot elementwise_loop, and odd
constexpr int64_t kFewRows = 3, kFewColumns = 17;      // few enough for slot elementwise_loop
constexpr int64_t kLongRows = 3, kLongColumns = 1100;  // reductions: more than GPUOPT_CHUNK

// A row of ops.def. `kinds` are the dtype kinds that it has loops for; `selects`: its first input is a mask.
struct Operation {
  const char *name;
  gpuopt_op op;
  int inputs;
  std::string kinds;
  bool selects, logical;
};
enum { SAME, BOOL, REAL, LOGICAL, SELECT, SUM, INDEX };
const Operation kOperations[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) \
  {#name, GPUOPT_OP_##name, nin, kinds, result == SELECT, result == LOGICAL},
#include <gpuopt/ops.def>
};

// A row of ops.def. `to_bool`: elements of any dtype are converted to bool first, as by any(). `extreme`: it only
// compares elements, as min() and argmax() do, so that special values do not make every result NaN or infinite.
struct Reduction {
  const char *name;
  gpuopt_reduction reduction;
  std::string kinds;
  bool to_bool, extreme;
};
const Reduction kReductions[] = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) \
  {#name, GPUOPT_REDUCTION_##name, kinds, std::string(kinds) == "?", std::string(kinds) == "?iuf"},
#include <gpuopt/ops.def>
};

// Returns whether an operation with loops for `kinds` takes arrays of the dtype: it has a loop for it, or bools and
// integers are cast to its loop for float64.
bool takes(const std::string &kinds, gpuopt_dtype dtype) {
  const char kind = gpuopt_dtype_kind(dtype);
  if (kinds.find(kind) != std::string::npos) return true;
  return (kind == '?' || kind == 'i' || kind == 'u') && kinds.find('f') != std::string::npos;
}

// Returns the layouts of the inputs for a message, "strided and reversed": operand k has layout number layout + k.
std::string place_of(int inputs, int layout) {
  std::string text = layout_name(layout);
  for (int k = 1; k < inputs; ++k) text += std::string(" and ") + layout_name((layout + k) % kLayouts);
  return text;
}

array result_of(const Operation &operation, const std::vector<array> &inputs) {
  std::vector<gpuopt_array> handles;
  for (const array &input : inputs) handles.push_back(input.get());
  return detail::make<array>(gpuopt_apply, operation.op, operation.inputs,
                             static_cast<const gpuopt_array *>(handles.data()), nullptr);
}

// Operand k in a layout.
array operand_of(const Operation &operation, const Side &side, gpuopt_dtype dtype, int k, int layout, int64_t rows,
                 int64_t columns) {
  const gpuopt_dtype own = operation.selects && k == 0 ? GPUOPT_BOOL : dtype;
  return side.operand({own, rows, columns, Range::kAll, k}, layout);
}

array apply_to(const Operation &operation, const Side &side, gpuopt_dtype dtype, int layout) {
  std::vector<array> inputs;
  for (int k = 0; k < operation.inputs; ++k)
    inputs.push_back(operand_of(operation, side, dtype, k, (layout + k) % kLayouts, kRows, kColumns));
  return result_of(operation, inputs);
}

// Applies the operation to contiguous operands of a few elements, for which the host may call a loop at once. Operands
// are in memory only when something has looked at them.
array apply_to_few(const Operation &operation, const Side &side, gpuopt_dtype dtype) {
  std::vector<array> inputs;
  for (int k = 0; k < operation.inputs; ++k) {
    inputs.push_back(operand_of(operation, side, dtype, k, kContiguous, kFewRows, kFewColumns));
    inputs.back().eval();
  }
  return result_of(operation, inputs);
}

// Computes x *= y in place, with an x that need not be contiguous, and returns x.
array apply_in_place(const Side &side, gpuopt_dtype dtype, int layout) {
  array x = side.operand({dtype, kRows, kColumns, Range::kAll, 0}, layout);
  const array y = side.operand({dtype, kRows, kColumns, Range::kAll, 1}, kContiguous);
  multiply_into(x, y, x);
  return x;
}

array reduced(const Reduction &row, const array &x, const int64_t *axis) {
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.axes = axis;
  options.naxes = axis ? 1 : 0;
  return detail::make<array>(gpuopt_reduce, row.reduction, x.get(),
                             static_cast<const gpuopt_reduce_options *>(&options));
}

void compare_reduction(const Reduction &row, Comparison &comparison, gpuopt_dtype dtype, const std::string &name) {
  static constexpr int64_t kAxes[] = {0, 1};
  const std::pair<const int64_t *, const char *> kinds[] = {
      {nullptr, "all axes"}, {&kAxes[0], "axis 0"}, {&kAxes[1], "axis 1"}};
  for (const Range range : {Range::kTame, Range::kAll}) {
    if (range == Range::kAll && !row.extreme) continue;  // sums over special values are NaN or infinite
    for (const auto &[axis, said] : kinds) {
      for (const int layout : {kContiguous, kTransposed, kStrided, kReversed}) {
        const Numbers numbers = {dtype, kLongRows, kLongColumns, range, 7};
        comparison.same(name, std::string(said) + ", " + layout_name(layout), [&, over = axis](const Side &side) {
          return reduced(row, side.operand(numbers, layout), over);
        });
      }
    }
  }
}

using ScanFunction = gpuopt_status (*)(gpuopt_array, int64_t, gpuopt_dtype, int32_t, gpuopt_array *, gpuopt_error *);
const std::pair<const char *, ScanFunction> kScans[] = {
#define GPUOPT_SCAN(name, kinds, result, doc) {#name, gpuopt_##name},
#include <gpuopt/ops.def>
};

}  // namespace

void compare_elementwise(const Bench &bench) {
  for (const Operation &operation : kOperations) {
    bench.rule(operation.name, [&](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        if (!operation.logical && !operation.selects && !takes(operation.kinds, dtype)) return;
        for (int layout = 0; layout < kLayouts; ++layout)
          comparison.same(name, place_of(operation.inputs, layout),
                          [&](const Side &side) { return apply_to(operation, side, dtype, layout); });
        comparison.same(name, "a few elements", [&](const Side &side) { return apply_to_few(operation, side, dtype); });
      });
    });
  }
  bench.rule("in_place", [&](Comparison &comparison) {
    bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
      for (const int layout : {kContiguous, kTransposed, kStrided, kReversed, kOffset})
        comparison.same(name, layout_name(layout),
                        [&](const Side &side) { return apply_in_place(side, dtype, layout); });
    });
  });
}

void compare_casts(const Bench &bench) {
  bench.rule("cast", [&](Comparison &comparison) {
    bench.each_dtype([&](gpuopt_dtype from, const std::string &name) {
      bench.each_dtype([&](gpuopt_dtype to, const std::string &other) {
        for (const int layout : {kContiguous, kStrided})
          comparison.same(name + " to " + other, layout_name(layout), [&](const Side &side) {
            return side.operand({from, kRows, kColumns, Range::kAll, 3}, layout).astype(dtype{to}, GPUOPT_COPY_ALWAYS);
          });
      });
    });
  });
}

void compare_reductions(const Bench &bench) {
  for (const Reduction &row : kReductions) {
    bench.rule(row.name, [&](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        if (row.to_bool || row.kinds.find(gpuopt_dtype_kind(dtype)) != std::string::npos)
          compare_reduction(row, comparison, dtype, name);
      });
    });
  }
}

void compare_scans(const Bench &bench) {
  for (const auto &[rule, function] : kScans) {
    bench.rule(rule, [&, scan = function](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        for (const int64_t axis : {0, 1}) {
          for (const int layout : {kContiguous, kTransposed, kReversed})
            comparison.same(name, "axis " + std::to_string(axis) + ", " + layout_name(layout), [&](const Side &side) {
              const array x = side.operand({dtype, kLongRows, kLongColumns, Range::kTame, 8}, layout);
              return detail::make<array>(scan, x.get(), axis, gpuopt_dtype{GPUOPT_DTYPE_DEFAULT}, 0);
            });
        }
      });
    });
  }
}

// Compares expressions that become programs of several steps: elementwise steps before and after a reduction, and
// values that are used more than once.
void compare_programs(const Bench &bench) {
  const auto softmax = [](const array &x) {
    const array e = exp(x - max(x, axes(1).keepdims()));
    return e / sum(e, axes(1).keepdims());
  };
  const auto standardized = [](const array &x) {
    return (x - mean(x, axes(0).keepdims())) / gpuopt::std(x, axes(0).keepdims());
  };
  const auto chain = [](const array &x) { return where(x > 0, sqrt(abs(x)) * 2 + x, sin(x) - x * x); };
  const std::pair<const char *, std::function<array(const array &)>> programs[] = {
      {"softmax", softmax}, {"standardize", standardized}, {"chain of operations", chain}};
  bench.rule("programs", [&](Comparison &comparison) {
    for (const auto &[what, program] : programs) {
      for (const gpuopt_dtype dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
        if (!bench.subject.wants_dtype(gpuopt_dtype_name(dtype))) continue;
        for (const int layout : {kContiguous, kTransposed})
          comparison.same(std::string(what) + " in " + gpuopt_dtype_name(dtype), layout_name(layout),
                          [&, run = program](const Side &side) {
                            return run(side.operand({dtype, kLongRows, kLongColumns, Range::kTame, 9}, layout));
                          });
      }
    }
  });
}

namespace {

// Opens the device of the plugin under test by its path. Returns nothing, and records a failure, if libgpuopt cannot
// open it or takes another file.
std::optional<Side> open_tested(const Subject &subject, Recorder &recorder) {
  const char *const path = subject.path.c_str();
  gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
  options.plugin_path = &path;
  options.plugin_path_count = 1;
  recorder.begin("libgpuopt opens it");
  try {
    Side tested(device((subject.name + "!").c_str(), options), false);
    const gpuopt_device_info info = tested.where().info();
    const bool itself = info.plugin == subject.path;
    recorder.end(itself ? Verdict::kPass : Verdict::kFail,
                 itself ? info.name : std::string("another file was taken: ") + info.plugin);
    if (itself) return tested;
  } catch (const error &failure) {
    recorder.end(Verdict::kFail, failure.what());
  }
  return std::nullopt;
}

// Opens the CPU backend as the reference. Returns nothing, and records a rule that was not run, if that is not possible
// or if the plugin under test is itself the CPU backend: a process has only one backend of that name.
std::optional<Side> open_reference(const Subject &subject, Recorder &recorder) {
  recorder.begin("the CPU backend to compare with");
  try {
    Side reference(device("cpu!"), true);
    const gpuopt_device_info info = reference.where().info();
    const bool itself = info.plugin == subject.path;
    recorder.end(itself ? Verdict::kNotRun : Verdict::kPass,
                 itself ? "this is it: there is no other one to compare it with" : info.plugin);
    if (!itself) return reference;
  } catch (const error &failure) {
    recorder.end(Verdict::kNotRun, failure.what());
  }
  return std::nullopt;
}

}  // namespace

std::set<std::string> operation_rules() {
  std::set<std::string> names = {"in_place",
                                 "cast",
                                 "programs",
                                 "matmul",
                                 "take",
                                 "mask_select",
                                 "argwhere",
                                 "fft",
                                 "ifft",
                                 "rfft",
                                 "irfft",
                                 "cholesky",
                                 "qr",
                                 "lu",
                                 "solve",
                                 "solve_triangular",
                                 "lu_solve",
                                 "det",
                                 "eigh",
                                 "eig",
                                 "svd",
                                 "put",
                                 "mask_assign",
                                 "sort",
                                 "argsort",
                                 "searchsorted",
                                 "bincount",
                                 "random_uniform",
                                 "random_normal",
                                 "random_integers",
                                 "random_permutation",
                                 "random_state"};
#define GPUOPT_OP(name, nin, kinds, result, doc) names.insert(#name);
#define GPUOPT_REDUCTION(name, kinds, result, doc) names.insert(#name);
#define GPUOPT_SCAN(name, kinds, result, doc) names.insert(#name);
#include <gpuopt/ops.def>
  return names;
}

void operations_phase(const Subject &subject, Recorder &recorder) {
  gpuopt_log_set_callback([](const gpuopt_log_record *, void *) {}, nullptr);
  const std::optional<Side> tested = open_tested(subject, recorder),
                            reference = tested ? open_reference(subject, recorder) : std::nullopt;
  if (!reference) return;
  const Bench bench = {subject, *tested, *reference, recorder};
  try {
    for (const auto family : {compare_elementwise, compare_casts, compare_reductions, compare_scans, compare_programs,
                              compare_products, compare_transforms, compare_linalg, compare_selections, compare_random})
      family(bench);
  } catch (const Hopeless &) {  // reported by the rule in which it happened
  }
}

}  // namespace gpuopt::plugin_test
