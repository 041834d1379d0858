// tests/unit/api_bundle_posix_test.cpp -- kernels compiled ahead of time: recorded, put into bundles, and used where
// there is no compiler. Each step is a process of its own.
// POSIX only: it forks, and the compiler is not built for Windows.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/jit_process.h"

namespace {

namespace gp = gpuopt;
namespace fs = std::filesystem;
using gp::test::contents_of;
using gp::test::Outcome;

constexpr int kCount = 1000;

// Whether x has, element by element, what expected(k) says.
template <class T, class Expected>
bool equals(const gp::array &x, Expected expected) {
  const std::vector<T> have = x.to_vector<T>();
  for (size_t k = 0; k < have.size(); k++)
    if (have[k] != expected(static_cast<int>(k))) return false;
  return !have.empty();
}

bool loops_are_right() {
  const gp::array x = gp::arange(kCount, gp::float64), n = gp::arange(kCount, gp::int32);
  const gp::elementwise_kernel halves("T x, T y", "T z", "z = x / 2 + y", "halves");
  const gp::array square = gp::reshape(n, {10, 100});
  return equals<double>(halves(x, 3.0), [](int k) { return k / 2.0 + 3; }) &&
         equals<int>(halves(n, 3), [](int k) { return k / 2 + 3; }) &&
         equals<int>(halves(gp::permute_dims(square, {1, 0}), 0), [](int k) { return (k % 10 * 100 + k / 10) / 2; });
}

bool reductions_are_right() {
  const gp::array n = gp::arange(kCount, gp::int64);
  const gp::reduction_kernel sum("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares");
  const gp::ufunc largest("template <class T> T largest(T a, T b) { return a < b ? b : a; }", "largest",
                          "int64,int64->int64");
  return sum(n).item<int64_t>() == 332833500 && largest.reduce(n).item<int64_t>() == kCount - 1 &&
         equals<int64_t>(largest(n, 500), [](int k) { return k < 500 ? 500 : k; });
}

bool neighbours_are_right() {
  const gp::array n = gp::arange(kCount, gp::int64);
  const gp::stencil slope("T a", "T out", "return a[1] - a[-1];", "slope");
  const gp::gufunc total(
      "void total(array<const int64_t, 1> x, array<int64_t, 0> out) {\n"
      "  out[0] = 0;\n  for (int k = 0; k < x.size(); k++) out[0] += x[k];\n}",
      "total", "int64->int64", "(n)->()");
  return equals<int64_t>(slope(n), [](int k) { return k == 0 || k == kCount - 1 ? 0 : 2; }) &&
         equals<int64_t>(total(gp::reshape(n, {10, 100})), [](int k) { return 10000 * k + 4950; });
}

bool raw_kernels_are_right() {
  const gp::raw_kernel reverse(R"(
extern "C" __global__ void reverse_blocks(const int *x, int *y) {
  __shared__ int block[100];
  block[threadIdx.x] = x[blockIdx.x * 100 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 100 + threadIdx.x] = block[99 - threadIdx.x];
})",
                               "reverse_blocks");
  const gp::array x = gp::arange(kCount, gp::int32), y = gp::zeros({kCount}, gp::int32);
  reverse(10, 100, x, y);
  return equals<int>(y, [](int k) { return k / 100 * 100 + 99 - k % 100; });
}

bool functions_are_right() {
  const gp::cfunc<double(double, int)> scaled("double scaled(double x, int32_t n) { return x * n; }", "scaled");
  return scaled(1.5, 7) == 10.5;
}

bool all_is_right() {
  const gp::with_device scope("cpu");
  return loops_are_right() && reductions_are_right() && neighbours_are_right() && raw_kernels_are_right() &&
         functions_are_right();
}

bool raw_and_functions_are_right() {
  const gp::with_device scope("cpu");
  return raw_kernels_are_right() && functions_are_right();
}

bool fails_with(gpuopt_status status, const char *words, const std::function<void()> &call) {
  try {
    call();
  } catch (const gp::error &e) {
    const bool right = e.code() == status && std::strstr(e.what(), words);
    if (!right) std::fprintf(stderr, "status %d: %s\n", e.code(), e.what());
    return right;
  }
  std::fprintf(stderr, "did not fail: %s\n", words);
  return false;
}

class Bundle : public gp::test::JitProcess {
 protected:
  void SetUp() override {
    setenv("GPUOPT_DISABLE", "cuda", 1);  // on machines with NVRTC, too, all of this is about one backend
    setenv("GPUOPT_LOG", "off", 1);
  }
  // The bundle of all kinds; compiled for the first test, copied for the others.
  void make() {
    static std::string made;
    if (made.empty()) {
      const Outcome recorded = in_process({{"GPUOPT_RECORD_KERNELS", record_}}, all_is_right);
      ASSERT_TRUE(recorded.right) << recorded.message;
      const Outcome built = in_process({}, [&] { return gp::build_bundle(record_, bundle_), true; });
      ASSERT_EQ(built.status, GPUOPT_OK) << built.message;
      made = contents_of(bundle_);
    }
    write(bundle_, made);
  }
  // Where neither a compiler nor a cache is.
  Outcome without_compiler(const std::function<bool()> &body, const std::string &bundles = "",
                           const std::string &level = "v4") {
    return in_process({{"GPUOPT_JIT", nowhere_},
                       {"GPUOPT_CACHE_MAX_BYTES", "0"},
                       {"GPUOPT_BUNDLES", bundles},
                       {"GPUOPT_CPU_LEVEL", level}},
                      body);
  }
  void write(const std::string &path, const std::string &bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  const std::string record_ = cache_ / "record", bundle_ = cache_ / "bundle", other_ = cache_ / "other";
};

TEST_F(Bundle, NeedsNoCompiler) {
  make();
  EXPECT_UNAVAILABLE(without_compiler(all_is_right), nowhere_);
  for (const char *level : {"v2", "v3", "v4"}) {
    const Outcome outcome = without_compiler(all_is_right, bundle_, level);
    EXPECT_TRUE(outcome.right && !outcome.compiler_loaded) << level << ": " << outcome.message;
  }
  const Outcome loaded = without_compiler([&] { return gp::load_bundle(bundle_), all_is_right(); });
  EXPECT_TRUE(loaded.right) << loaded.message;
  const Outcome bytes = without_compiler([&] {
    std::string own = contents_of(bundle_);
    gp::load_bundle_bytes(own);
    own.assign(own.size(), '?');  // they were copied
    return all_is_right();
  });
  EXPECT_TRUE(bytes.right) << bytes.message;
  const Outcome kept = in_process({{"GPUOPT_JIT_POLICY", "cache_only"},
                                   {"GPUOPT_CACHE_MAX_BYTES", "0"},
                                   {"GPUOPT_BUNDLES", other_ + ":" + bundle_}},
                                  all_is_right);
  EXPECT_TRUE(kept.right && !kept.compiler_loaded) << kept.message;
}

TEST_F(Bundle, HasOnlyWhatWasUsed) {
  make();
  EXPECT_UNAVAILABLE(without_compiler(
                         [] {
                           const gp::with_device scope("cpu");
                           const gp::array x = gp::arange(kCount, gp::float32);
                           return gp::elementwise_kernel("T x, T y", "T z", "z = x / 2 + y", "halves")(x, 3).ndim() ==
                                  1;
                         },
                         bundle_),
                     "halves");
}

TEST_F(Bundle, DamagedOnesAreRefused) {
  make();
  const std::string whole = contents_of(bundle_);
  const Outcome outcome = in_process({}, [&] {
    for (size_t k = 0; k < 150; k++) {
      std::string bytes = whole;
      bytes[k < 50 ? k : (whole.size() - 1) * (k - 49) / 100] ^= 1 << k % 8;
      if (!fails_with(GPUOPT_ERR_FORMAT, "bundle", [&] { gp::load_bundle_bytes(bytes); })) return false;
      bytes = whole.substr(0, k < 50 ? k : whole.size() * (k - 49) / 101);
      if (!fails_with(GPUOPT_ERR_FORMAT, "bundle", [&] { gp::load_bundle_bytes(bytes); })) return false;
    }
    return fails_with(GPUOPT_ERR_FORMAT, "bundle", [&] { gp::load_bundle_bytes(whole + '?'); }) && all_is_right();
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
  std::string bytes = whole;
  bytes[bytes.size() / 2] ^= 4;
  write(other_, bytes);
  EXPECT_TRUE(in_process({{"GPUOPT_BUNDLES", other_}}, all_is_right).right);
  EXPECT_UNAVAILABLE(without_compiler(all_is_right, other_), nowhere_);
}

TEST_F(Bundle, OthersMayNotWriteToIt) {
  make();
  const auto load = [&] { return fails_with(GPUOPT_ERR_IO, bundle_.c_str(), [&] { gp::load_bundle(bundle_); }); };
  EXPECT_TRUE(without_compiler([&] { return gp::load_bundle(bundle_), true; }).right);
  chmod(bundle_.c_str(), 0666);
  EXPECT_TRUE(without_compiler(load).right);
  EXPECT_UNAVAILABLE(without_compiler(all_is_right, bundle_), nowhere_);
  fs::remove(bundle_);
  EXPECT_TRUE(without_compiler(load).right);
}

TEST_F(Bundle, ARefusedOneIsAWarning) {
  static std::string said;
  const Outcome outcome = in_process({{"GPUOPT_BUNDLES", record_ + ":relative:"}, {"GPUOPT_LOG", "warn"}}, [] {
    gpuopt_log_set_callback([](const gpuopt_log_record *record, void *) { said += record->line + std::string("\n"); },
                            nullptr);
    return functions_are_right() && said.find("bundle.refused") != std::string::npos &&
           said.find("relative is not an absolute path") != std::string::npos;
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
}

int occurrences(const std::string &text, const std::string &words) {
  int found = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) found++;
  return found;
}

// Whether a process that is to use the bundle warns once, with these words, and names the file once.
bool is_refused_with(const std::string &path, const std::string &words) {
  static std::string said;
  gpuopt_log_set_callback([](const gpuopt_log_record *record, void *) { said += record->line + std::string("\n"); },
                          nullptr);
  const gp::with_device scope("cpu");
  const bool right = occurrences(said, "bundle.refused") == 1 && occurrences(said, path) == 1 &&
                     said.find(path + words) != std::string::npos;
  if (!right) std::fprintf(stderr, "%s", said.c_str());
  return right;
}

TEST_F(Bundle, ARefusedOneIsNamedOnce) {
  write(other_, "not a bundle");
  const auto is_refused = [this](const std::string &path, const std::string &words) {
    return in_process({{"GPUOPT_BUNDLES", path}, {"GPUOPT_LOG", "warn"}}, [&] { return is_refused_with(path, words); })
        .right;
  };
  EXPECT_TRUE(is_refused(other_, ": it is not a bundle of kernels, or not all of one"));
  EXPECT_TRUE(is_refused("relative", " is not an absolute path"));
  EXPECT_TRUE(is_refused(bundle_, ": No such file or directory"));
  chmod(other_.c_str(), 0666);
  EXPECT_TRUE(is_refused(other_, " may be written by every user"));
}

TEST_F(Bundle, WhatCannotBeBuilt) {
  write(bundle_, "as it was");
  const auto build = [&](gpuopt_status status, const char *words) {
    return [=, this] { return fails_with(status, words, [&] { gp::build_bundle(record_, bundle_); }); };
  };
  EXPECT_TRUE(in_process({}, build(GPUOPT_ERR_IO, record_.c_str())).right);
  write(record_, "");
  EXPECT_TRUE(in_process({}, build(GPUOPT_ERR_FORMAT, "no kernel was recorded")).right);
  write(record_, "neither of these is a record of kernels");
  EXPECT_TRUE(in_process({}, build(GPUOPT_ERR_FORMAT, record_.c_str())).right);
  fs::remove(record_);
  ASSERT_TRUE(in_process({{"GPUOPT_RECORD_KERNELS", record_}}, functions_are_right).right);
  EXPECT_TRUE(in_process({{"GPUOPT_JIT", nowhere_}}, build(GPUOPT_ERR_JIT_UNAVAILABLE, nowhere_.c_str())).right);
  const std::string record = contents_of(record_);
  std::string broken = record;
  for (size_t at; (at = broken.find("return")) != std::string::npos;) broken.replace(at, 6, "ruin !");
  write(record_, broken);
  EXPECT_TRUE(in_process({}, build(GPUOPT_ERR_COMPILE, "scaled:1:")).right);
  EXPECT_EQ(contents_of(bundle_), "as it was");
  write(record_, record);
  EXPECT_EQ(in_process({}, [&] { return gp::build_bundle(record_, bundle_), true; }).status, GPUOPT_OK);
  EXPECT_TRUE(without_compiler(functions_are_right, bundle_).right);
}

TEST_F(Bundle, ProcessesRecordAtOnce) {
  std::vector<pid_t> children;
  setenv("GPUOPT_RECORD_KERNELS", record_.c_str(), 1);
  setenv("GPUOPT_CACHE_DIR", cache_.c_str(), 1);
  for (int k = 0; k < 4; k++) {
    const pid_t child = fork();
    if (child == 0) _exit(gp::test::outcome_of(raw_and_functions_are_right).right ? 0 : 1);
    children.push_back(child);
  }
  unsetenv("GPUOPT_RECORD_KERNELS");
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const Outcome built = in_process({}, [&] { return gp::build_bundle(record_, bundle_), true; });
  ASSERT_EQ(built.status, GPUOPT_OK) << built.message;
  EXPECT_TRUE(without_compiler(raw_and_functions_are_right, bundle_).right);
}

// What the cache has needs no compiler either.
class Cfunc : public gp::test::JitProcess {};

TEST_F(Cfunc, IsKeptInTheCache) {
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT", nowhere_}}, functions_are_right), nowhere_);
  const Outcome first = in_process({}, functions_are_right),
                second = in_process({{"GPUOPT_JIT", nowhere_}}, functions_are_right);
  EXPECT_TRUE(first.right && first.compiler_loaded) << first.message;
  EXPECT_TRUE(second.right && !second.compiler_loaded) << second.message;
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT_POLICY", "off"}}, functions_are_right), "off");
}

}  // namespace
