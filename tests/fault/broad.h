// tests/fault/broad.h -- one after the other: devices, arrays, operations, reductions, products, selections, random
// numbers, files, texts, streams and kernels, with results that are known beforehand.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cmath>
#include <cstring>
#include <string>

#include "tests/fault/work.h"

namespace broad {

// The call that failed, or, if its code is GPUOPT_OK, the result that was wrong.
struct Problem {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const char *what = "";
};

struct Run {
  Problem &problem;
  gpuopt_device device = nullptr;

  bool ok(gpuopt_status status) const {
    if (status != GPUOPT_OK) problem.error.code = status;
    return status == GPUOPT_OK;
  }
  bool right(bool value, const char *what) const {
    if (!value) problem.what = what;
    return value;
  }
  gpuopt_error *error() const { return &problem.error; }
};

inline bool devices(Run &run) {
  gpuopt_device_info info{};
  info.struct_size = sizeof info;
  gpuopt_memory_stats stats{};
  stats.struct_size = sizeof stats;
  char *report = nullptr;
  const bool fine = run.ok(gpuopt_device_open(nullptr, nullptr, &run.device, run.error())) &&
                    run.ok(gpuopt_device_get_info(run.device, &info, run.error())) &&
                    run.ok(gpuopt_memory_get_stats(run.device, &stats, run.error())) &&
                    run.ok(gpuopt_discovery_report(nullptr, 1, &report, run.error()));
  gpuopt_string_free(report);
  return fine;
}

// (0 .. n-1) * 2 + 3, then its sum, mean, largest, running sum and sine at 0.
inline bool arrays(Run &run, int64_t n) {
  work::Array i, two, three, doubled, x, total, mean, most, running, none, sine;
  if (!run.ok(gpuopt_arange(run.device, GPUOPT_FLOAT64, gpuopt_scalar_int(0), gpuopt_scalar_int(n),
                            gpuopt_scalar_int(1), i.out(), run.error())) ||
      !run.ok(gpuopt_weak(gpuopt_scalar_int(2), two.out(), run.error())) ||
      !run.ok(gpuopt_weak(gpuopt_scalar_int(3), three.out(), run.error())) ||
      !run.ok(gpuopt_multiply(i, two, doubled.out(), run.error())) ||
      !run.ok(gpuopt_add(doubled, three, x.out(), run.error())) ||
      !run.ok(gpuopt_sum(x, nullptr, total.out(), run.error())) ||
      !run.ok(gpuopt_mean(x, nullptr, mean.out(), run.error())) ||
      !run.ok(gpuopt_max(x, nullptr, most.out(), run.error())) ||
      !run.ok(gpuopt_cumulative_sum(x, 0, 0, 0, running.out(), run.error())) ||
      !run.ok(gpuopt_subtract(x, x, none.out(), run.error())) || !run.ok(gpuopt_sin(none, sine.out(), run.error())))
    return false;
  const double sum = 3 * double(n) + double(n) * double(n - 1);
  const struct {
    gpuopt_array array;
    bool last;
    double value;
  } expected[] = {{total, false, sum},
                  {mean, false, sum / double(n)},
                  {most, false, 2 * double(n - 1) + 3},
                  {running, true, sum},
                  {sine, true, 0}};
  for (const auto &one : expected) {
    gpuopt_scalar value{};
    const int64_t last = n - 1;
    if (!run.ok(gpuopt_array_item(one.array, one.last ? &last : nullptr, &value, run.error()))) return false;
    if (!run.right(value.value.f == one.value, "an element")) return false;
  }
  return true;
}

// [[1, 2], [3, 4]]: its square, its texts, its elements above 1, and those at an index.
inline bool matrices(Run &run) {
  const double four[] = {1, 2, 3, 4};
  const int64_t square[] = {2, 2}, first[] = {1};
  const int64_t places[] = {1};
  work::Array m, product, one, above, chosen, places_of, rows, back, negative;
  if (!run.ok(gpuopt_array_from(run.device, four, GPUOPT_FLOAT64, 2, square, m.out(), run.error())) ||
      !run.ok(gpuopt_matmul(m, m, product.out(), run.error())) ||
      !run.ok(gpuopt_weak(gpuopt_scalar_int(1), one.out(), run.error())) ||
      !run.ok(gpuopt_greater(m, one, above.out(), run.error())) ||
      !run.ok(gpuopt_mask_select(m, above, chosen.out(), run.error())) ||
      !run.ok(gpuopt_array_from(run.device, places, GPUOPT_INT64, 1, first, places_of.out(), run.error())) ||
      !run.ok(gpuopt_take(m, places_of, 0, rows.out(), run.error())) ||
      !run.ok(gpuopt_negative(m, negative.out(), run.error())))
    return false;
  double squared[4], three[3], row[2];
  if (!run.ok(gpuopt_to_host(product, squared, sizeof squared, run.error())) ||
      !run.ok(gpuopt_to_host(chosen, three, sizeof three, run.error())) ||
      !run.ok(gpuopt_to_host(rows, row, sizeof row, run.error())))
    return false;
  char *text = nullptr;
  if (!run.ok(gpuopt_array_to_string(negative, nullptr, &text, run.error()))) return false;
  const bool same = std::strcmp(text, "[[-1. -2.]\n [-3. -4.]]") == 0;
  gpuopt_string_free(text);
  return run.right(same, "a text") && run.right(squared[0] == 7 && squared[3] == 22, "a product") &&
         run.right(three[0] == 2 && three[2] == 4, "a selection") && run.right(row[0] == 3 && row[1] == 4, "a row");
}

// NumPy's RandomState(1).random_sample(2), and generators that repeat.
inline bool random_numbers(Run &run) {
  gpuopt_random_state state = nullptr;
  gpuopt_generator generator = nullptr;
  const int64_t two[] = {2};
  work::Array x, y;
  const bool made = run.ok(gpuopt_random_state_create(run.device, 1, &state, run.error())) &&
                    run.ok(gpuopt_random_state_random_sample(state, 1, two, x.out(), run.error())) &&
                    run.ok(gpuopt_generator_create(run.device, 1, &generator, run.error())) &&
                    run.ok(gpuopt_generator_uniform(generator, 5, 5, GPUOPT_FLOAT64, 1, two, y.out(), run.error()));
  gpuopt_random_state_release(state);
  gpuopt_generator_release(generator);
  double values[2] = {}, fives[2] = {};
  if (!made || !run.ok(gpuopt_to_host(x, values, sizeof values, run.error())) ||
      !run.ok(gpuopt_to_host(y, fives, sizeof fives, run.error())))
    return false;
  return run.right(values[0] == 0.417022004702574 && values[1] == 0.7203244934421581, "a random number") &&
         run.right(fives[0] == 5 && fives[1] == 5, "a number between 5 and 5");
}

inline bool files(Run &run, const std::string &directory) {
  const std::string npy = directory + "/broad.npy", npz = directory + "/broad.npz";
  const double four[] = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  const char *const names[] = {"x"};
  work::Array x, again, member;
  gpuopt_npz archive = nullptr;
  if (!run.ok(gpuopt_array_from(run.device, four, GPUOPT_FLOAT64, 1, shape, x.out(), run.error())) ||
      !run.ok(gpuopt_save_npy(x, npy.c_str(), run.error())) ||
      !run.ok(gpuopt_load_npy(run.device, npy.c_str(), again.out(), run.error())))
    return false;
  const gpuopt_array arrays[] = {x};
  const bool read = run.ok(gpuopt_save_npz(npz.c_str(), 1, names, arrays, 1, run.error())) &&
                    run.ok(gpuopt_npz_open(npz.c_str(), &archive, run.error())) &&
                    run.ok(gpuopt_npz_read(archive, "x", run.device, member.out(), run.error()));
  gpuopt_npz_close(archive);
  return read && run.right(work::holds(again, 4, 1, 1) && work::holds(member, 4, 1, 1), "a file");
}

inline bool streams(Run &run) {
  gpuopt_stream stream = nullptr;
  gpuopt_event event = nullptr;
  const bool fine =
      run.ok(gpuopt_stream_create(run.device, &stream, run.error())) &&
      run.ok(gpuopt_event_record(stream, &event, run.error())) &&
      run.ok(gpuopt_stream_wait(stream, event, run.error())) && run.ok(gpuopt_event_synchronize(event, run.error())) &&
      run.ok(gpuopt_stream_synchronize(stream, run.error())) &&
      run.ok(gpuopt_device_synchronize(run.device, run.error())) && run.ok(gpuopt_memory_trim(run.device, run.error()));
  gpuopt_event_release(event);
  gpuopt_stream_release(stream);
  return fine;
}

// x * 3 by an elementwise kernel, their sum by a reduction kernel and x + 1 by a raw one.
inline bool kernels(Run &run) {
  gpuopt_kernel times = nullptr, sum = nullptr, raw = nullptr;
  const double four[] = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  work::Array x, y, total;
  bool fine =
      run.ok(gpuopt_array_from(run.device, four, GPUOPT_FLOAT64, 1, shape, x.out(), run.error())) &&
      run.ok(gpuopt_elementwise_kernel("T x", "T y", "y = x * 3", "times", nullptr, &times, run.error())) &&
      run.ok(gpuopt_reduction_kernel("T x", "T y", "x", "a + b", "y = a", "0", "total", nullptr, &sum, run.error())) &&
      run.ok(gpuopt_raw_kernel("__global__ void plus(double *x) { x[threadIdx.x] += 1; }", "plus", &raw, run.error()));
  const gpuopt_array first[] = {x};
  fine = fine && run.ok(gpuopt_kernel_call(times, 1, first, nullptr, y.out(), run.error()));
  const gpuopt_array second[] = {y};
  fine = fine && run.ok(gpuopt_kernel_call(sum, 1, second, nullptr, total.out(), run.error()));
  const gpuopt_raw_argument argument{x, nullptr, 0};
  const uint32_t grid[] = {1, 1, 1}, block[] = {4, 1, 1};
  fine = fine && run.ok(gpuopt_raw_kernel_launch(raw, grid, block, 0, 1, &argument, nullptr, run.error()));
  gpuopt_kernel_release(times);
  gpuopt_kernel_release(sum);
  gpuopt_kernel_release(raw);
  gpuopt_scalar value{};
  if (!fine || !run.ok(gpuopt_array_item(total, nullptr, &value, run.error()))) return false;
  return run.right(value.value.f == 30 && work::holds(y, 4, 3, 3) && work::holds(x, 4, 2, 1), "a kernel");
}

// False: see `problem`. Where nothing compiles kernels, everything else is done first.
inline bool everything(const std::string &directory, Problem &problem) {
  Run run{problem};
  return devices(run) && arrays(run, 10) && arrays(run, 300000) && matrices(run) && random_numbers(run) &&
         streams(run) && files(run, directory) && kernels(run);
}

}  // namespace broad
