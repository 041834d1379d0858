// tests/unit/random_nvrtc_test.cpp -- NVRTC accepts the Philox distributions without a single header and contracts
// nothing
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

#ifndef GPUOPT_SOURCE_DIR
#define GPUOPT_SOURCE_DIR "."
#endif

// The text of a header of ours with everything it includes put in its place, once.
std::string inlined(const std::string &name, std::set<std::string> &seen) {
  if (!seen.insert(name).second) return "";
  std::ifstream file(std::string(GPUOPT_SOURCE_DIR) + "/" + name);
  EXPECT_TRUE(file) << "cannot read " << name;
  static const std::regex include("#include \"(plugins/[^\"]+)\"");
  std::string out, line;
  for (std::smatch match; std::getline(file, line);)
    out += std::regex_match(line, match, include) ? inlined(match[1], seen) : line + "\n";
  return out;
}

const char *const kernel = R"(
using namespace gpo;
template <class D>
__device__ void draw(const D &d, const Philox &g, void *out) {
  const u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x;
  philox_block_of(d, g, i, static_cast<typename D::Value *>(out) + philox_block_values<D> * i);
}
extern "C" __global__ void draw_all(Philox g, void **out, float a, double b, u64 range) {
  draw(PhiloxBits<u32>{}, g, out[0]);
  draw(PhiloxBits<u64>{}, g, out[1]);
  draw(PhiloxUniform<float16>{a, a}, g, out[2]);
  draw(PhiloxUniform<bfloat16>{a, a}, g, out[3]);
  draw(PhiloxUniform<float>{a, a}, g, out[4]);
  draw(PhiloxUniform<double>{b, b}, g, out[5]);
  draw(PhiloxExponential<float>{a}, g, out[6]);
  draw(PhiloxExponential<double>{b}, g, out[7]);
  draw(PhiloxNormal<float16>{a, a}, g, out[8]);
  draw(PhiloxNormal<float>{a, a}, g, out[9]);
  draw(PhiloxNormal<double>{b, b}, g, out[10]);
  draw(PhiloxIntegerPower<bool, u32>{false, 31}, g, out[11]);
  draw(PhiloxIntegerPower<i64, u64>{-7, 20}, g, out[12]);
  draw(PhiloxInteger32<i8>{-100, 200}, g, out[13]);
  draw(PhiloxInteger64<u64>{5, range}, g, out[14]);
}
)";

// The few entry points used, by NVRTC's documented signatures; int stands for nvrtcResult.
struct Nvrtc {
  void *library = nullptr;
  Nvrtc() {
    for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  template <class... A>
  int call(const char *name, A... arguments) const {
    const auto f = reinterpret_cast<int (*)(A...)>(dlsym(library, name));
    return f ? f(arguments...) : -1;
  }
  std::string text(const char *size_name, const char *text_name, void *program) const {
    size_t size = 0;
    call(size_name, program, &size);
    std::string out(size, '\0');
    call(text_name, program, out.data());
    return out;
  }
};

TEST(RandomNvrtc, CompilesWithoutHeaders) {
  const Nvrtc nvrtc;
  if (!nvrtc.library) GTEST_SKIP() << "libnvrtc is not installed";
  std::set<std::string> seen;
  const std::string source = inlined("plugins/shared/random_philox.h", seen) + kernel;
  void *program = nullptr;
  const char *const *none = nullptr;
  ASSERT_EQ(nvrtc.call("nvrtcCreateProgram", &program, source.c_str(), "random.cu", 0, none, none), 0);
  const char *const options[] = {"-arch=compute_80", "-fmad=false", "-std=c++17"};
  const int status = nvrtc.call("nvrtcCompileProgram", program, 3, &options[0]);
  ASSERT_EQ(status, 0) << nvrtc.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program);
  const std::string ptx = nvrtc.text("nvrtcGetPTXSize", "nvrtcGetPTX", program);
  nvrtc.call("nvrtcDestroyProgram", &program);
  // A multiply or add without .rn is one that ptxas may contract; local memory would cost the blocks their registers.
  for (const char *unwanted : {"mul.f32", "mul.f64", "add.f32", "add.f64", "sub.f32", "sub.f64", ".ftz", ".local"})
    EXPECT_EQ(ptx.find(unwanted), std::string::npos) << unwanted;
}

}  // namespace
