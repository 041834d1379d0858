// tests/cuda/library_nvrtc_test.cpp -- the kernels of library operations compile for every architecture.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cuda/real_nvrtc.h"

namespace {

using namespace gpuopt::cuda;

constexpr int kWords = 40;

// A kernel for each of the calls, as library.cpp makes them.
std::string kernels(const std::string &header, const std::vector<std::string> &calls) {
  std::string text = "#include \"plugins/cuda/text/" + header + "\"\nusing namespace gpo;\n";
  for (size_t i = 0; i < calls.size(); i++) {
    text += "extern \"C\" __global__ void k" + std::to_string(i) + "(const gpo::Words<" + std::to_string(kWords) +
            "> p) { " + calls[i] + "(p); }\n";
  }
  return text;
}

void compiles(const std::string &header, const std::vector<std::string> &calls) {
  const Compiler &compiler = gpuopt::test::real_compiler();
  if (!compiler.nvrtc) GTEST_SKIP() << "NVRTC is not installed: " << compiler.tried;
  const std::string text = kernels(header, calls);
  for (const int arch : compiler.nvrtc->archs()) {
    const Compilation made = compiler.nvrtc->compile(text, header.c_str(), {arch, false, ""});
    ASSERT_EQ(made.status, NVRTC_SUCCESS) << arch << made.log;
    EXPECT_EQ(made.log, "") << arch;
    EXPECT_EQ(made.cubin.substr(1, 3), "ELF") << arch;
    EXPECT_EQ(made.ptx.find(".local"), std::string::npos) << arch << ": local memory";
    for (size_t i = 0; i < calls.size(); i++) {
      const std::string parameter = "k" + std::to_string(i) + "_param_0[" + std::to_string(8 * kWords) + "]";
      EXPECT_NE(made.ptx.find(".param .align 8 .b8 " + parameter), std::string::npos) << arch << ": " << calls[i];
    }
  }
}

TEST(NvrtcCompilesLibrary, Gather) {
  std::vector<std::string> calls = {"mask_starts", "mask_counts<u32,1,true>", "mask_indices<u32,1,true,0>",
                                    "mask_indices<u64,3,false,3>"};
  for (const char *const start : {"<u32,1", "<u64,3"}) {
    calls.push_back(std::string("mask_counts") + start + ",false>");
    calls.push_back(std::string("mask_list") + start + ",false>");
    calls.push_back(std::string("index_check") + start + ">");
  }
  for (const char *const unit : {"u8", "u16", "u32", "u64", "Bytes16"}) {
    for (const char *const last : {"false", "true"}) {
      calls.push_back(std::string("mask_move<u32,") + unit + ",1,true," + last + ">");
      calls.push_back(std::string("mask_move<u64,") + unit + ",4,false," + last + ">");
      calls.push_back(std::string("index_move<u32,") + unit + ",2," + last + ">");
      calls.push_back(std::string("index_move<u64,") + unit + ",4," + last + ">");
    }
  }
  compiles("gather.h", calls);
}

TEST(NvrtcCompilesLibrary, Scatter) {
  std::vector<std::string> calls;
  for (const char *const unit : {"u8", "u16", "u32", "u64", "Bytes16"}) {
    calls.push_back(std::string("mask_fill<u32,") + unit + ",1>");
    calls.push_back(std::string("mask_fill<u64,") + unit + ",3>");
  }
  for (const char *const kernel : {"index_note", "index_targets"}) {
    for (const char *const arguments : {"<u32,1,false>", "<u32,2,true>", "<u64,1,true>", "<u64,3,false>"})
      calls.push_back(std::string(kernel) + arguments);
  }
  compiles("scatter.h", calls);
}

TEST(NvrtcCompilesLibrary, Random) {
  std::vector<std::string> calls = {"philox_choice_cdf<float16>", "philox_choice_cdf<c64>"};
  for (const char *const type : {"float16", "bfloat16", "float", "double"}) {
    for (const char *const name : {"Uniform", "Normal", "Exponential"}) {
      for (const char *const aligned : {",true>", ",false>"})
        calls.push_back(std::string("philox_draw<Philox") + name + "<" + type + ">" + aligned);
    }
  }
  const auto add = [&](const char *name, const std::string &type, const char *rest) {
    calls.push_back(std::string("philox_draw<PhiloxInteger") + name + "<" + type + rest + ">,true>");
  };
  for (const char *const type : {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
    add("Power", type, ",u32");
    add("Power", type, ",u64");
    add("32", type, "");
    add("64", type, "");
  }
  for (const char *const type : {"bool", "bfloat16", "float", "c64", "c128"})
    calls.push_back(std::string("philox_choice<PhiloxInteger32<i64>,") + type + ">");
  compiles("random.h", calls);
}

TEST(NvrtcCompilesLibrary, Permutation) {
  compiles("permutation.h", {"permutation_words", "sort_counts", "sort_move<true>", "sort_move<false>"});
}

TEST(NvrtcCompilesLibrary, Matmul) {
  std::vector<std::string> calls = {"copy_units<u32,Bytes16,1>", "copy_units<u64,u16,4>"};
  for (const char *const type : {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
    calls.push_back(std::string("product<") + type + ",1>");
    calls.push_back(std::string("product<") + type + ",3>");
  }
  compiles("matmul.h", calls);
}

}  // namespace
