// bench/process_bench.cpp -- figures of whole processes: how long one takes that opens a device and exits, and the peak
// memory of one that runs the threefold chain.
//
//   process_bench              milliseconds from fork to exit, medians; the child that opens nothing is what the rest
//   is above process_bench threefold N  peak resident memory of x *= 5; x *= x; x += x on N float32, above the array
//   itself
#include <fcntl.h>
#include <gpuopt/gpuopt.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kRounds = 51;

int failed(const gpuopt_error &error) {
  std::fprintf(stderr, "process_bench: %s\n", error.message);
  return 1;
}

// ---- the children

int open_device(const char *request) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device;
  return gpuopt_device_open(request, nullptr, &device, &error) == GPUOPT_OK ? 0 : failed(error);
}

// The high-water mark of this process's resident memory, in bytes; 0 if it cannot be read.
int64_t peak_memory() {
  std::FILE *status = std::fopen("/proc/self/status", "r");
  if (!status) return 0;
  char line[256];
  int64_t kibibytes = 0;
  while (std::fgets(line, sizeof line, status)) {
    if (std::sscanf(line, "VmHWM: %" SCNd64, &kibibytes) == 1) break;
  }
  std::fclose(status);
  return kibibytes << 10;
}

gpuopt_status threefold(gpuopt_array x, gpuopt_error *error) {
  gpuopt_array five;
  gpuopt_status status = gpuopt_weak(gpuopt_scalar_real(5), &five, error);
  if (status != GPUOPT_OK) return status;
  status = gpuopt_multiply_into(x, five, x, error);
  if (status == GPUOPT_OK) status = gpuopt_multiply_into(x, x, x, error);
  if (status == GPUOPT_OK) status = gpuopt_add_into(x, x, x, error);
  if (status == GPUOPT_OK) status = gpuopt_eval(1, &x, error);
  gpuopt_array_release(five);
  return status;
}

int print_peak_of_threefold(int64_t n) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device;
  gpuopt_array x;
  if (gpuopt_device_open("cpu", nullptr, &device, &error) ||
      gpuopt_full(device, GPUOPT_FLOAT32, 1, &n, gpuopt_scalar_real(0.25), &x, &error) || gpuopt_eval(1, &x, &error)) {
    return failed(error);
  }
  const int64_t before = peak_memory();
  const auto start = std::chrono::steady_clock::now();
  if (threefold(x, &error) != GPUOPT_OK) return failed(error);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int64_t peak = peak_memory(), last = n - 1;
  gpuopt_scalar value;
  if (gpuopt_array_item(x, &last, &value, &error) != GPUOPT_OK) return failed(error);
  const int64_t array = gpuopt_array_nbytes(x);
  gpuopt_array_release(x);
  std::printf("threefold on %" PRId64 " bytes: peak %" PRId64
              ", array + %.1f MiB (%.1f MiB before it ran), %.2f s, result %g\n",
              array, peak, double(peak - array) / (1 << 20), double(before - array) / (1 << 20), seconds,
              value.value.f);
  return value.value.f == 3.125 ? 0 : 1;
}

// ---- the parent

// Milliseconds from the start of a child to its end; negative if it fails.
double time_child(const char *self, const char *what) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char *arguments[] = {const_cast<char *>(self), const_cast<char *>("open"), const_cast<char *>(what), nullptr};
  pid_t child;
  const auto start = std::chrono::steady_clock::now();
  int status = posix_spawn(&child, self, &actions, nullptr, arguments, environ);
  const bool ended = status == 0 && waitpid(child, &status, 0) == child && status == 0;
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&actions);
  return ended ? time.count() : -1;
}

int print_times(const char *self) {
  constexpr const char *jobs[] = {"nothing", "cpu", "cuda"};
  std::vector<double> times[3];
  for (int round = 0; round <= kRounds; ++round) {  // the first one warms up
    for (int job = 0; job < 3; ++job) {
      const double time = time_child(self, jobs[job]);
      if (time < 0) return 1;
      if (round) times[job].push_back(time);
    }
  }
  std::printf("| process that opens | median ms | slowest ms |\n|---|---|---|\n");
  for (int job = 0; job < 3; ++job) {
    std::sort(times[job].begin(), times[job].end());
    std::printf("| %s | %.2f | %.2f |\n", jobs[job], times[job][kRounds / 2], times[job].back());
  }
  return 0;
}

}  // namespace

int main(int count, char **arguments) {
  if (count == 1) return print_times("/proc/self/exe");
  const std::string job = arguments[1], what = count == 3 ? arguments[2] : "";
  if (job == "open") return what == "nothing" ? 0 : open_device(what.c_str());
  if (job == "threefold" && std::atoll(what.c_str()) > 0) return print_peak_of_threefold(std::atoll(what.c_str()));
  std::fprintf(stderr, "usage: process_bench [threefold N]\n");
  return 2;
}
