// tests/fake_cuda/bundle_test.cpp -- bundles on a GPU: kernels recorded there, compiled for every architecture, and
// used instead of NVRTC. The fake one opens libgpuopt_jit when it compiles users' kernels, and so tells whether it had
// to.
#include "plugins/shared/cache/bundle.h"

#include <string>
#include <vector>

#include "core/kernels/bundle_format.h"
#include "tests/unit/jit_process.h"

namespace {

namespace gp = gpuopt;
using gp::test::Outcome;

bool is_right(const char *device) {
  const gp::with_device scope(device);
  const gp::raw_kernel reverse(R"(
extern "C" __global__ void reverse_blocks(const int *x, int *y, int add) {
  __shared__ int block[64];
  block[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x] + add;
  __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = block[63 - threadIdx.x];
})",
                               "reverse_blocks");
  std::vector<int> values(640), none(640, 0);
  for (int k = 0; k < 640; k++) values[static_cast<size_t>(k)] = k * k;
  const gp::array x(values), y(none);
  reverse(10, 64, x, y, 5);
  const std::vector<int> have = y.to_vector<int>();
  for (int k = 0; k < 640; k++) {
    const int from = k / 64 * 64 + 63 - k % 64;
    if (have[static_cast<size_t>(k)] != from * from + 5) return false;
  }
  return true;
}

class Bundle : public gp::test::JitProcess {
 protected:
  // With no cache, neither the library's nor the fake compiler's.
  Outcome on_gpu(const std::string &bundles) {
    return in_process({{"FAKE_CUDA_DIR", cache_ / "fake"}, {"GPUOPT_BUNDLES", bundles}},
                      [] { return is_right("cuda!"); });
  }
};

TEST_F(Bundle, IsForEveryDevice) {
  const std::string record = cache_ / "record", bundle = cache_ / "bundle";
  const Outcome recorded = in_process({{"GPUOPT_RECORD_KERNELS", record}}, [] { return is_right("cuda!"); });
  ASSERT_TRUE(recorded.right) << recorded.message;
  const Outcome built = in_process({}, [&] { return gp::build_bundle(record, bundle), true; });
  ASSERT_TRUE(built.right) << built.message;
  const Outcome with = on_gpu(bundle), without = on_gpu("");
  EXPECT_TRUE(with.right && !with.compiler_loaded) << with.message;
  EXPECT_TRUE(without.right && without.compiler_loaded) << without.message;
  const Outcome on_cpu =
      in_process({{"GPUOPT_JIT", nowhere_}, {"GPUOPT_BUNDLES", bundle}}, [] { return is_right("cpu"); });
  EXPECT_TRUE(on_cpu.right && !on_cpu.compiler_loaded) << on_cpu.message;
}

std::string g_said;

// It decides nothing for others: whether it is loaded before the bundle or after it, that backend compiles.
TEST_F(Bundle, HasCodeOfAnotherReleaseForABackend) {
  const std::string record = cache_ / "record", bundle = cache_ / "bundle";
  const Outcome built = in_process({{"GPUOPT_RECORD_KERNELS", record}},
                                   [&] { return is_right("cuda!") && (gp::build_bundle(record, bundle), true); });
  ASSERT_TRUE(built.right) << built.message;
  const std::string whole = gp::test::contents_of(bundle),
                    piece = gp::plugin::sealed({"cuda", "another release", "sm_90", "k", std::string(32, 'k'), "code"});
  const uint64_t size = piece.size();
  std::string pieces(gp::bundle_pieces(whole).value());
  pieces.append(reinterpret_cast<const char *>(&size), sizeof size).append(piece);
  const std::string mixed = gp::bundle_head(pieces.size()) + pieces;
  for (const bool before : {true, false}) {
    const auto body = [&] {
      gpuopt_log_set_callback(
          [](const gpuopt_log_record *line, void *) {
            if (line->event == std::string("bundle.refused")) g_said += line->detail;
          },
          nullptr);
      if (before) gp::with_device opened("cuda!");
      gp::load_bundle_bytes(mixed);
      return is_right("cuda!") && g_said.rfind("cuda: ", 0) == 0 && g_said.find("another release") != g_said.npos;
    };
    const Outcome on_gpu = in_process({{"FAKE_CUDA_DIR", cache_ / (before ? "first" : "second")}}, body);
    EXPECT_TRUE(on_gpu.right && on_gpu.compiler_loaded) << before << on_gpu.message;
    const Outcome on_cpu = in_process({{"GPUOPT_JIT", nowhere_}, {"GPUOPT_CACHE_MAX_BYTES", "0"}},
                                      [&] { return body() && is_right("cpu"); });
    EXPECT_TRUE(on_cpu.right) << before << on_cpu.message;
  }
}

}  // namespace
