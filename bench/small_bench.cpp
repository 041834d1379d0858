// bench/small_bench.cpp -- how long x + y of a few computed float64 elements takes through the C ABI, on one thread.
//
//   small_bench [ROUNDS]
//
// prints a row of a table for each length: the median over ROUNDS (9) processes of nanoseconds per call, where small
// operations run at once, where they are recorded (GPUOPT_SMALL_OPERATIONS=off) and then run by gpuopt_array_data, and
// the ratio of both. `fresh` gives a new array, which is released; `into` stores into an array that exists. The
// processes of both settings alternate, so that whatever else the machine does concerns both.
#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kLengths[] = {1, 10, 100, 256, 1000, 4096, 4097};
constexpr size_t kRows = std::size(kLengths);

void must(gpuopt_status status, const gpuopt_error &error) {
  if (status == GPUOPT_OK) return;
  std::fprintf(stderr, "small_bench: %s\n", error.message);
  std::exit(1);
}

// Returns the nanoseconds that a call of body() takes: the median of 25 loops of 4000.
template <class Body>
double nanoseconds(const Body &body) {
  constexpr int kCalls = 4000;
  std::vector<double> times;
  for (int loop = 0; loop < 25; ++loop) {
    const auto begin = Clock::now();
    for (int k = 0; k < kCalls; ++k) body();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kCalls);
  }
  std::nth_element(times.begin(), times.begin() + 12, times.end());
  return times[12];
}

struct Times {
  double fresh, into;
};

Times measure(gpuopt_device device, int64_t n) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const std::vector<double> values(static_cast<size_t>(n), 1.5);
  gpuopt_array x = nullptr, y = nullptr, out = nullptr;
  for (gpuopt_array *array : {&x, &y, &out})
    must(gpuopt_array_from(device, values.data(), GPUOPT_FLOAT64, 1, &n, array, &error), error);
  void *data = nullptr;
  const auto fresh = [&] {
    gpuopt_array sum = nullptr;
    must(gpuopt_add(x, y, &sum, &error), error);
    must(gpuopt_array_data(sum, &data, &error), error);
    gpuopt_array_release(sum);
  };
  const auto into = [&] {
    must(gpuopt_add_into(x, y, out, &error), error);
    must(gpuopt_array_data(out, &data, &error), error);
  };
  const Times times = {nanoseconds(fresh), nanoseconds(into)};
  for (gpuopt_array array : {x, y, out}) gpuopt_array_release(array);
  return times;
}

// In a process with one of the settings: prints two numbers for each length.
int print_times() {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device = nullptr;
  must(gpuopt_device_open("cpu!", nullptr, &device, &error), error);
  measure(device, 1);  // so that the first row, too, finds a processor that runs at its speed
  for (const int64_t n : kLengths) {
    const Times times = measure(device, n);
    std::printf("%.2f %.2f\n", times.fresh, times.into);
  }
  gpuopt_device_release(device);
  return 0;
}

using Table = std::array<Times, kRows>;

Table run(const std::string &program, const char *setting) {
  const std::string command = "GPUOPT_SMALL_OPERATIONS=" + std::string(setting) + " '" + program + "' --times";
  FILE *const pipe = popen(command.c_str(), "r");
  Table table{};
  bool fine = pipe != nullptr;
  for (Times &times : table) fine = fine && std::fscanf(pipe, "%lf %lf", &times.fresh, &times.into) == 2;
  if (!fine || pclose(pipe) != 0) {
    std::fprintf(stderr, "small_bench: %s failed\n", command.c_str());
    std::exit(1);
  }
  return table;
}

double median(const std::vector<Table> &tables, size_t row, double Times::*time) {
  std::vector<double> values;
  for (const Table &table : tables) values.push_back(table[row].*time);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "--times") == 0) return print_times();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  std::vector<Table> at_once, recorded;
  for (int k = 0; k < rounds; ++k) {
    at_once.push_back(run(argv[0], "on"));
    recorded.push_back(run(argv[0], "off"));
  }
  std::puts("| n | fresh, ns | recorded | ratio | into, ns | recorded | ratio |");
  std::puts("|---|---|---|---|---|---|---|");
  for (size_t row = 0; row < kRows && rounds > 0; ++row) {
    std::printf("| %lld ", static_cast<long long>(kLengths[row]));
    for (double Times::*time : {&Times::fresh, &Times::into}) {
      const double now = median(at_once, row, time), before = median(recorded, row, time);
      std::printf("| %.0f | %.0f | %.2f ", now, before, now / before);
    }
    std::puts("|");
  }
  return 0;
}
