// core/device/loader_selftest.cpp -- checks that a device computes: runs four additions with known results when it is
// opened.
#include <algorithm>
#include <array>
#include <cstdio>

#include "core/device/loader.h"
#include "core/device/stream.h"

namespace gpuopt {
namespace {

constexpr int64_t kElements = 4;
constexpr uint64_t kSpacing = 64, kBytes = 3 * kSpacing;  // of x, y and x + y

// float32 values as bits, so that they do not depend on how this file is compiled: 1.5 + 2.25; 2^24 + 1, a tie that
// rounds to even; the sum of two denormals (flushing them is the most common defect); and -0 + -0.
constexpr std::array<uint32_t, kElements> kX = {0x3FC00000u, 0x4B800000u, 0x00000001u, 0x80000000u};
constexpr std::array<uint32_t, kElements> kY = {0x40100000u, 0x3F800000u, 0x007FFFFFu, 0x80000000u};
constexpr std::array<uint32_t, kElements> kSum = {0x40700000u, 0x4B800000u, 0x00800000u, 0x80000000u};

// Device memory for the duration of the test.
struct Scratch {
  gpuopt_device device;
  void *memory = nullptr;
  explicit Scratch(gpuopt_device d) : device(d) { memory = allocate_memory(d->default_stream, "self-test", kBytes); }
  Scratch(const Scratch &) = delete;
  ~Scratch() { free_memory(device->default_stream, memory, kBytes); }
  void *at(int operand) const { return static_cast<char *>(memory) + operand * kSpacing; }
};

void run_addition(const Scratch &scratch) {
  static const int64_t shape[1] = {kElements}, strides[1] = {sizeof(float)};
  static const gpuopt_step steps[] = {
      {GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, 0, 0, {}},
      {GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, 1, 0, {}},
      {GPUOPT_STEP_ELEMENTWISE, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, GPUOPT_OP_add, 2, {0, 1, 0, 0}},
      {GPUOPT_STEP_OUTPUT, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, 0, 1, {2, 0, 0, 0}}};
  const gpuopt_operand inputs[] = {{scratch.at(0), strides, GPUOPT_FLOAT32, 0},
                                   {scratch.at(1), strides, GPUOPT_FLOAT32, 0}};
  const gpuopt_operand output = {scratch.at(2), strides, GPUOPT_FLOAT32, 0};
  gpuopt_program program{};
  program.struct_size = sizeof program;
  program.key = 0x73656C6674657374;  // any constant, since the steps are always the same
  program.ndim = 1;
  program.nsteps = 4;
  program.ninputs = 2;
  program.noutputs = 1;
  program.shape = shape;
  program.steps = steps;
  program.inputs = inputs;
  program.outputs = &output;
  call_stream(scratch.device->default_stream, "self-test", scratch.device->api().program_run,
              static_cast<const gpuopt_program *>(&program));
}

}  // namespace

void self_test(gpuopt_device device) {
  gpuopt_stream stream = device->default_stream;
  const gpuopt_plugin_api &api = device->api();
  const Scratch scratch(device);
  call_stream(stream, "self-test", api.copy_from_host, scratch.at(0), static_cast<const void *>(kX.data()),
              uint64_t{sizeof kX});
  call_stream(stream, "self-test", api.copy_from_host, scratch.at(1), static_cast<const void *>(kY.data()),
              uint64_t{sizeof kY});
  run_addition(scratch);
  std::array<uint32_t, kElements> sum{};
  call_stream(stream, "self-test", api.copy_to_host, static_cast<void *>(sum.data()),
              static_cast<const void *>(scratch.at(2)), uint64_t{sizeof sum});
  call_stream(stream, "self-test", api.stream_synchronize);
  if (sum == kSum) return;
  const auto wrong = std::mismatch(sum.begin(), sum.end(), kSum.begin());
  char text[128];
  std::snprintf(text, sizeof text, "self-test: element %d of x + y has the bits %08x instead of %08x",
                static_cast<int>(wrong.first - sum.begin()), *wrong.first, *wrong.second);
  throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_SELFTEST_FAILED, 0, text};
}

}  // namespace gpuopt
