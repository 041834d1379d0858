// tools/plugin_test/operations_library.cpp -- compares library calls with the CPU backend: products, transforms,
// selections, sorts, random numbers.
#include "tools/plugin_test/operations.h"

namespace gpuopt::plugin_test {
namespace {

constexpr int64_t kRows = 13, kColumns = 31;
constexpr int64_t kDepth = 1100;  // of products: more than two of the blocks in which terms are added

array product(const Side &side, gpuopt_dtype dtype, int layout) {
  const array a = side.operand({dtype, kRows, kDepth, Range::kTame, 1}, layout),
              b = side.operand({dtype, kDepth, kRows, Range::kTame, 2}, (layout + 1) % kBroadcast);
  return matmul(a, b);
}

struct Transform {
  const char *name;
  bool of_real;
  array (*run)(const array &x);
};

// Lengths of several radices, and one with a large prime factor.
const Transform kTransforms[] = {
    {"fft", false, [](const array &x) { return fft::fft(x, 60, 1); }},
    {"ifft", false, [](const array &x) { return fft::ifft(x, 74, 0, fft::norm::ortho); }},
    {"rfft", true, [](const array &x) { return fft::rfft(x); }},
    {"irfft", false, [](const array &x) { return fft::irfft(x, fft::whole, 0); }},
};

struct Decomposition {
  const char *name;
  std::function<array(const array &x)> run;  // of square matrices; what there are several of, one behind the other
};

array all_of(const std::vector<array> &parts) {
  std::vector<array> flat;
  for (const array &part : parts) flat.push_back(ravel(part));
  return concat(flat);
}

const Decomposition kDecompositions[] = {
    {"cholesky",
     [](const array &x) {
       const array one = eye(kRows, kRows, 0, x.dtype(), x.device());  // makes sure that it is positive definite
       const array square = matmul(x, matrix_transpose(conj(x))) + one;
       return all_of({linalg::cholesky(square), linalg::cholesky(square, true)});
     }},
    {"qr",
     [](const array &x) {
       const linalg::qr_result whole = linalg::qr(x), tall = linalg::qr(x(all, slice(0, 5)), linalg::qr_mode::complete);
       return all_of({whole.q, whole.r, tall.q, tall.r, linalg::qr_r(x)});
     }},
    {"lu",
     [](const array &x) {
       const linalg::lu_factors factors = linalg::lu_factor(x);
       return all_of({factors.lu, factors.pivots.astype(float32)});
     }},
    {"solve", [](const array &x) { return linalg::solve(x, flip(x)(all, slice(0, 4))); }},
    {"solve_triangular",
     [](const array &x) {
       return all_of({linalg::solve_triangular(x, x, true, true),
                      linalg::solve_triangular(x, x, false, true, linalg::trans::conjugate)});
     }},
    {"lu_solve", [](const array &x) { return linalg::lu_solve(linalg::lu_factor(x), x, linalg::trans::transpose); }},
    {"det", [](const array &x) { return linalg::det(x); }},
    {"eigh",
     [](const array &x) {
       const linalg::eig_result lower = linalg::eigh(x);
       return all_of({lower.w, lower.v, linalg::eigvalsh(x, true)});
     }},
    {"eig",
     [](const array &x) {
       const linalg::eig_result parts = linalg::eig(x);
       return all_of({parts.w, parts.v, linalg::eigvals(x)});
     }},
    {"svd",
     [](const array &x) {
       const linalg::svd_result whole = linalg::svd(x), wide = linalg::svd(x(slice(0, 5), all));
       return all_of({whole.u, whole.s, whole.vh, wide.u, wide.s, wide.vh, linalg::svdvals(x)});
     }},
};

struct Selection {
  const char *name;
  std::function<array(const Side &, const array &x)> run;
};

array indices(const Side &side) {
  const std::vector<int64_t> list = {0, 12, -1, 5, 5, -13, 7};
  return array(list, side.where());
}

array mask(const Side &side) { return side.operand({GPUOPT_BOOL, kRows, kColumns, Range::kAll, 4}); }

const Selection kSelections[] = {
    {"take", [](const Side &side, const array &x) { return take(x, indices(side), 0); }},
    {"mask_select", [](const Side &side, const array &x) { return array(x[mask(side)]); }},
    {"argwhere", [](const Side &, const array &x) { return argwhere(x); }},
    {"put",
     [](const Side &side, const array &x) {
       array target = x.copy();
       put(target, indices(side), x(slice(0, 7)), 0);
       return target;
     }},
    {"mask_assign",
     [](const Side &side, const array &x) {
       array target = x.copy();
       target[mask(side)] = array(flip(x)[mask(side)]);
       return target;
     }},
    {"sort", [](const Side &, const array &x) { return sort(x, 0); }},
    {"argsort", [](const Side &, const array &x) { return argsort(x, 1, true); }},
    {"searchsorted",
     [](const Side &side, const array &x) {
       return searchsorted(arange(0, kRows, 1, int64, side.where()).astype(x.dtype()), x, true);
     }},
    {"bincount", [](const Side &, const array &x) { return bincount(x.astype(bool_).reshape({-1})); }},
};

constexpr uint64_t kSeed = 20240229;
constexpr int64_t kDrawn = 1001;

array drawn(decltype(&gpuopt_generator_uniform) draw, const Side &side, gpuopt_dtype dtype) {
  const auto generator = detail::unique<detail::generator_traits>([&] {
    gpuopt_generator made = nullptr;
    detail::call(gpuopt_generator_create, side.where().get(), kSeed, &made);
    return made;
  }());
  const int64_t shape = kDrawn;
  detail::make<array>(draw, generator.get(), -1.0, 2.0, dtype, 1, &shape);  // the next call continues the sequence
  return detail::make<array>(draw, generator.get(), -1.0, 2.0, dtype, 1, &shape);
}

array drawn_integers(const Side &side, gpuopt_dtype dtype) {
  gpuopt_generator made = nullptr;
  detail::call(gpuopt_generator_create, side.where().get(), kSeed, &made);
  const detail::unique<detail::generator_traits> generator(made);
  const int64_t shape = kDrawn;
  return detail::make<array>(gpuopt_generator_integers, generator.get(), int64_t{0},
                             int64_t{dtype == GPUOPT_BOOL ? 1 : 100}, 1, dtype, 1, &shape);
}

array permuted(const Side &side) {
  gpuopt_generator made = nullptr;
  detail::call(gpuopt_generator_create, side.where().get(), kSeed, &made);
  const detail::unique<detail::generator_traits> generator(made);
  return detail::make<array>(gpuopt_generator_permutation, generator.get(), kDrawn, nullptr);
}

array legacy(const Side &side) {
  gpuopt_random_state made = nullptr;
  detail::call(gpuopt_random_state_create, side.where().get(), uint32_t{1}, &made);
  const detail::unique<detail::random_state_traits> state(made);
  const int64_t shape = kDrawn;
  return detail::make<array>(gpuopt_random_state_normal, state.get(), 0.5, 2.0, 1, &shape);
}

}  // namespace

void compare_products(const Bench &bench) {
  bench.rule("matmul", [&](Comparison &comparison) {
    bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
      for (int layout = kContiguous; layout < kBroadcast; ++layout)
        comparison.same(name, layout_name(layout), [&](const Side &side) { return product(side, dtype, layout); });
    });
  });
}

void compare_transforms(const Bench &bench) {
  for (const Transform &transform : kTransforms) {
    bench.rule(transform.name, [&](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        if (transform.of_real && gpuopt_dtype_kind(dtype) == 'c') return;
        for (int layout = 0; layout < kLayouts; ++layout)
          comparison.same(name, layout_name(layout), [&](const Side &side) {
            return transform.run(side.operand({dtype, kRows, kColumns, Range::kTame, 6}, layout));
          });
      });
    });
  }
}

void compare_linalg(const Bench &bench) {
  for (const Decomposition &decomposition : kDecompositions) {
    bench.rule(decomposition.name, [&](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        const int32_t kind = gpuopt_dtype_kind(dtype);
        if ((kind != 'f' && kind != 'c') || gpuopt_dtype_size(dtype) == 2) return;
        for (int layout = 0; layout < kBroadcast; ++layout)
          comparison.same(name, layout_name(layout), [&](const Side &side) {
            return decomposition.run(side.operand({dtype, kRows, kRows, Range::kTame, 6}, layout));
          });
      });
    });
  }
}

void compare_selections(const Bench &bench) {
  for (const Selection &selection : kSelections) {
    bench.rule(selection.name, [&](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        for (int layout = 0; layout < kLayouts; ++layout)
          comparison.same(name, layout_name(layout), [&](const Side &side) {
            return selection.run(side, side.operand({dtype, kRows, kColumns, Range::kAll, 5}, layout));
          });
      });
    });
  }
}

void compare_random(const Bench &bench) {
  const auto floats = [&](const char *rule, decltype(&gpuopt_generator_uniform) draw) {
    bench.rule(rule, [&](Comparison &comparison) {
      bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
        if (gpuopt_dtype_kind(dtype) == 'f')
          comparison.same(name, "1001 numbers", [&](const Side &side) { return drawn(draw, side, dtype); });
      });
    });
  };
  floats("random_uniform", gpuopt_generator_uniform);
  floats("random_normal", gpuopt_generator_normal);
  bench.rule("random_integers", [&](Comparison &comparison) {
    bench.each_dtype([&](gpuopt_dtype dtype, const std::string &name) {
      if (gpuopt_dtype_kind(dtype) != 'f' && gpuopt_dtype_kind(dtype) != 'c')
        comparison.same(name, "1001 numbers", [&](const Side &side) { return drawn_integers(side, dtype); });
    });
  });
  bench.rule("random_permutation", [&](Comparison &comparison) { comparison.same("int64", "of 1001", permuted); });
  bench.rule("random_state",
             [&](Comparison &comparison) { comparison.same("float64", "normal, as NumPy's RandomState", legacy); });
}

}  // namespace gpuopt::plugin_test
