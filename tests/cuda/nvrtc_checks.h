// tests/cuda/nvrtc_checks.h -- what NVIDIA's compiler must make of kernels, and for which architectures it is asked.
//
// A kernel does not ask which architecture it is compiled for, so the front end of the compiler hands one program to
// all code generators of a generation (generations_nvrtc_test.cpp sees that it does). Hence the rule by which the gate,
// which has minutes, covers every kernel and every architecture:
//   - every kernel is compiled for one architecture: they are dealt out in turn, so that each has a share of every
//   kind;
//   - the library's kernels, one of each template, and users' kernels are compiled for the oldest and the newest.
// Of the kernels that are dealt out the gate compiles a third (GPUOPT_TEST_PAIRS=third), `./dev test --all` all. With
// GPUOPT_TEST_EVERY_ARCHITECTURE=1 every kernel is compiled for every architecture, which takes most of an hour.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/cuda/cubin.h"
#include "tests/cuda/kernel_corpus.h"
#include "tests/cuda/real_nvrtc.h"

namespace gpuopt::test {

// A multiply or add without .rn is one that ptxas may contract; flushed denormals are other bits.
inline void expect_exact_arithmetic(const std::string &ptx) {
  for (const char *const name : {"mul", "add", "sub"}) {
    for (const char *const type : {".f32", ".f64"})
      EXPECT_EQ(ptx.find(std::string(name) + type), ptx.npos) << name << type;
  }
  EXPECT_EQ(ptx.find(".ftz"), ptx.npos);
}

// A kernel takes one struct of `words` 64-bit words, in PTX and, unless it is NULL, in machine code, and declares the
// blocks it runs in.
inline void expect_head(const std::string &ptx, const Cubin *cubin, const std::string &entry, int words, int threads) {
  const std::string bytes = std::to_string(8 * words);
  const std::string head = ".entry " + entry + "(\n\t.param .align 8 .b8 " + entry + "_param_0[" + bytes +
                           "]\n)\n.maxntid " + std::to_string(threads);
  EXPECT_NE(ptx.find(head), ptx.npos) << head;
  if (!cubin) return;
  EXPECT_TRUE(cubin->has_code(entry)) << entry;
  const std::vector<CubinParameter> parameters = cubin->parameters(entry);
  ASSERT_EQ(parameters.size(), 1u) << entry;
  EXPECT_EQ(parameters[0].ordinal, 0) << entry;
  EXPECT_EQ(parameters[0].offset, 0) << entry;
  EXPECT_EQ(parameters[0].bytes, 8 * words) << entry;
}

enum class Code { kPtx, kMachine };

inline void expect_compiled(const cuda::Nvrtc &nvrtc, const TranslationUnit &unit, int arch, Code code) {
  SCOPED_TRACE(arch);
  const bool only_ptx = code == Code::kPtx;
  const cuda::Compilation made = nvrtc.compile(unit.text(), "kernels.cu", {arch, only_ptx, ""});
  ASSERT_EQ(made.status, NVRTC_SUCCESS) << made.log;
  EXPECT_EQ(made.log, "");
  EXPECT_NE(made.ptx.find(".target sm_" + std::to_string(arch)), std::string::npos);
  expect_exact_arithmetic(made.ptx);
  const Cubin cubin(made.cubin);
  for (const cuda::KernelSource &kernel : unit.kernels()) {
    expect_head(made.ptx, only_ptx ? nullptr : &cubin, kernel.entry, kernel.parameter_words, kernel.threads);
  }
}

// "[ COMPILES ] 1234 kernels to PTX, each for one of 12 architectures"; said before, as it takes a while.
inline void say(size_t kernels, Code code, const char *share, const cuda::Nvrtc &nvrtc) {
  std::printf("[ COMPILES ] %zu kernels to %s, each for %s of %zu architectures\n", kernels,
              code == Code::kPtx ? "PTX" : "machine code", share, nvrtc.archs().size());
  std::fflush(stdout);
}

// For every architecture.
inline void expect_for_all(const cuda::Nvrtc &nvrtc, const Corpus &corpus, Code code) {
  say(corpus.kernels(), code, "all", nvrtc);
  for (const int arch : nvrtc.archs()) {
    for (const TranslationUnit &unit : corpus.units()) expect_compiled(nvrtc, unit, arch, code);
  }
}

inline bool asked_for_every_architecture() {
  const char *const set = std::getenv("GPUOPT_TEST_EVERY_ARCHITECTURE");
  return set && *set == '1';
}

// Of how many kernels that are dealt out one is compiled.
inline size_t pairs_share() {
  const char *const set = std::getenv("GPUOPT_TEST_PAIRS");
  return set && std::strcmp(set, "third") == 0 ? 3 : 1;
}

// The oldest and the newest architecture; if asked, all.
inline std::vector<int> ends_of(const cuda::Nvrtc &nvrtc) {
  const auto &known = nvrtc.archs();
  if (asked_for_every_architecture()) return {known.begin(), known.end()};
  return {known.front(), known.back()};
}

// Each kernel for one architecture; if asked, for all.
inline void expect_dealt(const cuda::Nvrtc &nvrtc, const Corpus &corpus, Code code) {
  if (asked_for_every_architecture()) return expect_for_all(nvrtc, corpus, Code::kMachine);
  say(corpus.kernels() / pairs_share(), code, "one", nvrtc);
  for (size_t hand = 0; hand < nvrtc.archs().size(); hand++) {
    for (const TranslationUnit &unit : corpus.units(hand, nvrtc.archs().size() * pairs_share()))
      expect_compiled(nvrtc, unit, nvrtc.archs()[hand], code);
  }
}

}  // namespace gpuopt::test
