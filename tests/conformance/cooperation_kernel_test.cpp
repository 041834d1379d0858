// tests/conformance/cooperation_kernel_test.cpp -- random kernels whose threads work together (cooperation/generator.h)
// on the device under test, against the host, which runs them one statement after the other.
//
// GPUOPT_TEST_SEARCH_SECONDS=600 tries others for so long, from the seed GPUOPT_TEST_SEED on (or one of the time).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/cooperation/generator.h"
#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
using namespace gpuopt::test::cooperation;

class Cooperation : public KernelTest {
 protected:
  void SetUp() override;
};

// Odd seeds are kernels that also ask which lanes are there, where the device tells that as the host expects.
bool tells_lanes = false;
Kernel made(uint64_t seed, const std::set<uint64_t> &dropped) {
  return Generator(seed, dropped, tells_lanes && seed % 2).kernel();
}

std::vector<uint32_t> stored(const Thread &thread) {
  std::vector<uint32_t> out(thread.u, thread.u + kWords);
  uint32_t f = 0;
  std::memcpy(&f, &thread.f, sizeof f);
  out.insert(out.end(), {uint32_t(thread.w), uint32_t(thread.w >> 32), f});
  return out;
}

// What is wrong with a kernel's results, or "".
std::string wrong(const Kernel &kernel) {
  Machine machine = kernel.begin;
  Threads all(machine.threads.size());
  std::iota(all.begin(), all.end(), 0u);
  kernel.body.run(machine, all);
  const int64_t count = static_cast<int64_t>(all.size());
  const gp::array in(machine.in), cells(kernel.begin.cells), buffer = gp::zeros({count}, gp::uint32),
                                                             out = gp::zeros({8 * count}, gp::uint32);
  try {
    gp::raw_kernel(kernel.text, "cooperate")(machine.blocks, {machine.block_size / kernel.y, kernel.y}, in, buffer,
                                             cells, out);
    const std::vector<uint32_t> got = values<uint32_t>(out), counted = values<uint32_t>(cells);
    for (const uint32_t t : all) {
      const std::vector<uint32_t> expected = stored(machine.threads[t]);
      for (size_t k = 0; k < 8; k++)
        if (got[8 * t + k] != expected[k])
          return "thread " + std::to_string(t) + " has " + std::to_string(got[8 * t + k]) + " in word " +
                 std::to_string(k) + ", not " + std::to_string(expected[k]);
    }
    for (size_t k = 0; k < kCells; k++)
      if (counted[k] != machine.cells[k])
        return "cell " + std::to_string(k) + " has " + std::to_string(counted[k]) + ", not " +
               std::to_string(machine.cells[k]);
  } catch (const gp::error &e) {
    return e.what();
  }
  return "";
}

// Leaves out statements as long as something is wrong.
std::string smallest(uint64_t seed) {
  std::set<uint64_t> dropped;
  for (bool found = true; found;) {
    found = false;
    for (const uint64_t statement : made(seed, dropped).statements) {
      std::set<uint64_t> more = dropped;
      more.insert(statement);
      if (wrong(made(seed, more)).empty()) continue;
      dropped = more;
      found = true;
      break;
    }
  }
  const Kernel kernel = made(seed, dropped);
  return wrong(kernel) + "\n" + std::to_string(kernel.begin.blocks) + " blocks of " +
         std::to_string(kernel.begin.block_size / kernel.y) + " x " + std::to_string(kernel.y) + "\n" + kernel.text;
}

void check(uint64_t seed) {
  const std::string problem = wrong(made(seed, {}));
  if (!problem.empty()) ADD_FAILURE() << "seed " << seed << ": " << problem << "\nsmaller: " << smallest(seed);
}

void Cooperation::SetUp() { tells_lanes = device.name().substr(0, 3) == "cpu"; }

TEST_F(Cooperation, RandomKernels) {
  for (uint64_t seed = 1; seed <= 60; seed++) check(seed);
  // Lanes that look for others at a barrier of tiles, and lanes that leave a loop one after the other.
  for (const uint64_t found : {1795994790635948413u, 1795994827821050851u}) check(found);
}

TEST_F(Cooperation, Search) {
  const char *const seconds = std::getenv("GPUOPT_TEST_SEARCH_SECONDS"), *const from = std::getenv("GPUOPT_TEST_SEED");
  if (!seconds) return;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto end = now() + std::chrono::seconds(std::atoi(seconds));
  uint64_t seed = from ? std::strtoull(from, nullptr, 10)
                       : static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  const uint64_t first = seed;
  for (; now() < end && !HasFailure(); seed++) check(seed);
  std::printf("%llu kernels from seed %llu on\n", static_cast<unsigned long long>(seed - first),
              static_cast<unsigned long long>(first));
}

}  // namespace
