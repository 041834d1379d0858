// bench/operations_bench.cpp -- Google Benchmark: cost of a call, throughput of an operation, cost of a fresh result.
#include <benchmark/benchmark.h>
#include <gpuopt/gpuopt.h>

#include <string>

namespace {

gpuopt_device device() {
  static gpuopt_device opened = [] {
    gpuopt_device d = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    if (gpuopt_device_open(nullptr, nullptr, &d, &error) != GPUOPT_OK)
      std::fprintf(stderr, "%s\n", error.message), std::exit(1);
    return d;
  }();
  return opened;
}

void must(benchmark::State &state, gpuopt_status status) {
  if (status != GPUOPT_OK) state.SkipWithError(gpuopt_status_name(status));
}

gpuopt_array ones(benchmark::State &state, gpuopt_dtype dtype, int64_t n) {
  gpuopt_array x = nullptr;
  must(state, gpuopt_ones(device(), dtype, 1, &n, &x, nullptr));
  must(state, gpuopt_eval(1, &x, nullptr));
  return x;
}

// One row of ops.def on n float64 elements, fresh result, run and released.
void operation(benchmark::State &state, gpuopt_op op, int nin, gpuopt_dtype dtype) {
  const int64_t n = state.range(0);
  gpuopt_array x = ones(state, dtype, n);
  const gpuopt_array inputs[3] = {x, x, x};
  for (auto _ : state) {
    gpuopt_array result = nullptr;
    must(state, gpuopt_apply(op, nin, inputs, nullptr, &result, nullptr));
    must(state, gpuopt_eval(1, &result, nullptr));
    gpuopt_array_release(result);
  }
  state.SetItemsProcessed(state.iterations() * n);
  gpuopt_array_release(x);
}

// k additions recorded, then run as one program.
void chain(benchmark::State &state) {
  gpuopt_array x = ones(state, GPUOPT_FLOAT64, state.range(0));
  for (auto _ : state) {
    gpuopt_array sum = gpuopt_array_retain(x);
    for (int k = 0; k < 20; ++k) {
      gpuopt_array next = nullptr;
      must(state, gpuopt_add(sum, x, &next, nullptr));
      gpuopt_array_release(sum);
      sum = next;
    }
    must(state, gpuopt_eval(1, &sum, nullptr));
    gpuopt_array_release(sum);
  }
  gpuopt_array_release(x);
}
BENCHMARK(chain)->Arg(1)->Arg(1000)->Arg(1000000);

struct Op {
  gpuopt_op op;
  const char *name;
  int nin;
  std::string kinds;
};
const Op kOps[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) {GPUOPT_OP_##name, #name, nin, kinds},
#include <gpuopt/ops.def>
};

}  // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  for (const Op &op : kOps)
    for (gpuopt_dtype dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64})
      if (op.kinds.find('f') != std::string::npos)
        benchmark::RegisterBenchmark((std::string(op.name) + "/" + gpuopt_dtype_name(dtype)).c_str(), operation, op.op,
                                     op.nin, dtype)
            ->Arg(1)
            ->Arg(1000)
            ->Arg(100000)
            ->Arg(10000000);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
