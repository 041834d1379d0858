// tests/cuda/library_nvrtc_test.cpp -- the kernels of library operations, as library.cpp makes them, compile to machine
// code that spills nothing: one of each template for every architecture, the others dealt out (nvrtc_checks.h says
// why).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugins/cuda/library/library.h"
#include "tests/cuda/nvrtc_checks.h"

namespace gpuopt::test {
namespace {

constexpr int kWords = 40;

// All but one run in blocks of 256.
int threads_of(const std::string &call) { return call == "mask_starts" ? static_cast<int>(cuda::kStartsThreads) : 256; }
std::string entry_of(size_t call) { return "k" + std::to_string(call); }

class NvrtcCompilesLibrary : public RealNvrtc<> {
 protected:
  // A kernel for each of the calls ("name<arguments>").
  void compiles(const std::string &header, const std::vector<std::string> &calls) {
    const size_t archs = compiler.nvrtc->archs().size();
    say(calls.size(), Code::kMachine, asked_for_every_architecture() ? "all" : "one", *compiler.nvrtc);
    for (size_t hand = 0; hand < archs; hand++) {
      std::set<std::string> templates;
      std::vector<std::string> chosen;
      for (size_t k = 0; k < calls.size(); k++) {
        const bool first = templates.insert(calls[k].substr(0, calls[k].find('<'))).second;
        const bool everywhere = asked_for_every_architecture() || (first && (hand == 0 || hand + 1 == archs));
        if (everywhere || k % (archs * pairs_share()) == hand) chosen.push_back(calls[k]);
      }
      if (!chosen.empty()) compiles_for(compiler.nvrtc->archs()[hand], header, chosen);
    }
  }

  void compiles_for(int arch, const std::string &header, const std::vector<std::string> &calls) {
    SCOPED_TRACE(arch);
    std::string text = "#include \"plugins/cuda/text/" + header + "\"\nusing namespace gpo;\n";
    for (size_t k = 0; k < calls.size(); k++) {
      text += cuda::kernel_head(entry_of(k), kWords, threads_of(calls[k])) + " { " + calls[k] + "(p); }\n";
    }
    const cuda::Compilation made = compiler.nvrtc->compile(text, header.c_str(), {arch, false, ""});
    ASSERT_EQ(made.status, NVRTC_SUCCESS) << made.log;
    EXPECT_EQ(made.log, "");
    const Cubin cubin(made.cubin);
    const std::map<std::string, uint32_t> frames = cubin.stack_frames();
    for (size_t k = 0; k < calls.size(); k++) {
      SCOPED_TRACE(calls[k]);
      expect_head(made.ptx, &cubin, entry_of(k), kWords, threads_of(calls[k]));
      ASSERT_EQ(frames.count(entry_of(k)), 1u);
      EXPECT_EQ(frames.at(entry_of(k)), 0u) << "local memory";
    }
  }
};

TEST_F(NvrtcCompilesLibrary, Gather) {
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

TEST_F(NvrtcCompilesLibrary, Scatter) {
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

TEST_F(NvrtcCompilesLibrary, Random) {
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

TEST_F(NvrtcCompilesLibrary, Permutation) { compiles("permutation.h", {"permutation_words"}); }

TEST_F(NvrtcCompilesLibrary, Radix) {
  std::vector<std::string> calls;
  for (const char *const type : {"Item<u64,u64>", "Item<u32,u32>"}) {
    calls.push_back(std::string("radix_counts<") + type + ">");
    calls.push_back(std::string("radix_move<") + type + ",false>");
  }
  calls.push_back("radix_move<Item<u64,u64>,true>");
  compiles("radix.h", calls);
}

TEST_F(NvrtcCompilesLibrary, Sort) {
  std::vector<std::string> calls = {"bins_clear<u64>",
                                    "bins_count<u64>",
                                    "bins_items<Item<u64,u64>,u64>",
                                    "bins_sum<Item<u64,u64>,u64>",
                                    "sort_high_keys<true,Item<u64,u64>,u32,1>",
                                    "sort_high_keys<false,Item<u64,u64>,u64,3>"};
  for (const char *const type : {"u8", "i8", "i16", "i32", "i64", "u16", "u32", "u64", "float16", "bfloat16", "float",
                                 "double", "c64", "c128"}) {
    const std::string t = type;
    const bool wide = t.find("64") != t.npos || t == "double" || t == "c128";
    const std::string item = wide ? "Item<u64,u64>" : "Item<u32,u32>";
    calls.push_back("sort_items<" + t + ",true," + item + ",u32,1>");
    calls.push_back("sort_short<" + t + ",u32,false,true,u32,2>");
    calls.push_back("search_sorted<" + t + ",true,u32,1>");
  }
  for (const char *const unit : {"u8", "u16", "u32", "u64", "Bytes16"})
    calls.push_back(std::string("sort_results<") + unit + ",false,Item<u32,u32>,u64,3>");
  calls.push_back("sort_results<u64,true,Item<u64,u64>,u32,1>");
  calls.push_back("sort_short<double,u64,true,false,u64,3>");
  compiles("sort.h", calls);
}

TEST_F(NvrtcCompilesLibrary, Fft) {
  std::vector<std::string> calls;
  for (const std::string type : {"float", "double"}) {
    calls.push_back("fft_table<" + type + ">");
    for (const char *const radix : {"0", "2", "4", "8"})
      calls.push_back("fft_stage<" + type + "," + radix + (type == "float" ? ",u32>" : ",u64>"));
    for (const char *const kind : {"fft_complex", "fft_from_pairs", "fft_from_reals", "fft_to_pairs", "fft_to_reals"}) {
      if (type == "double") calls.push_back("fft_short<double," + std::string(kind) + ",u32,1>");
      calls.push_back((type == "double" ? "fft_load<" : "fft_store<") + type + "," + kind + ",u64,2>");
    }
    for (const char *const step : {"fft_lay_out", "fft_divide", "fft_multiply"})
      calls.push_back("fft_convolve<" + type + "," + step + ",u64>");
  }
  compiles("fft.h", calls);
}

// What goes with the functions of cuFFT.
TEST_F(NvrtcCompilesLibrary, FastFft) {
  compiles("fast_fft.h", {"fast_fft_ends<float>", "fast_fft_ends<double>", "fast_fft_scale<float,u32,1>",
                          "fast_fft_scale<double,u64,3>"});
}

// They take long: unless asked for, the widest type for the oldest architecture, and another for the newest.
TEST_F(NvrtcCompilesLibrary, Linalg) {
  for (const std::string kernel : {"linalg_cholesky", "linalg_lu", "linalg_det", "linalg_solve", "linalg_solve_lu",
                                   "linalg_solve_triangular", "linalg_qr"}) {
    const char *const header = kernel == "linalg_qr" ? "qr.h" : "linalg.h";
    if (asked_for_every_architecture()) {
      compiles(header, {kernel + "<c128,1>", kernel + "<float,1>", kernel + "<c64,1>", kernel + "<double,3>"});
    } else {
      compiles_for(compiler.nvrtc->archs().front(), header, {kernel + "<c128,1>"});
      compiles_for(compiler.nvrtc->archs().back(), header, {kernel + "<float,1>"});
    }
  }
}

// What goes with the functions of cuSOLVER.
TEST_F(NvrtcCompilesLibrary, FastLinalg) {
  for (const std::string type : {"float", "double", "c64", "c128"}) {
    const bool wide = type == "double" || type == "c128";
    std::vector<std::string> calls = {"fast_order", "fast_pivots", wide ? "fast_finite<double>" : "fast_finite<float>"};
    for (const char *const kernel : {"fast_triangles<", "fast_determinant<", "fast_turn<"})
      calls.push_back(kernel + type + ">");
    const auto archs = compiler.nvrtc->archs();
    compiles_for(wide ? archs.front() : archs.back(), "fast_linalg.h", calls);
  }
}

TEST_F(NvrtcCompilesLibrary, Matmul) {
  std::vector<std::string> calls = {"copy_units<u32,Bytes16,1>", "copy_units<u64,u16,4>"};
  for (const char *const type : {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "float16", "bfloat16",
                                 "float", "double", "c64", "c128"}) {
    calls.push_back(std::string("product<") + type + ",4,1>");
    calls.push_back(std::string("product<") + type + ",4,3>");
  }
  calls.push_back("product<float,8,1>");
  compiles("matmul.h", calls);
}

}  // namespace
}  // namespace gpuopt::test
