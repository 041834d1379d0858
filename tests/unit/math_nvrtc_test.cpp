// tests/unit/math_nvrtc_test.cpp -- NVRTC accepts the scalar definitions without a single header and contracts nothing
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

#ifndef GPUOPT_SOURCE_DIR
#define GPUOPT_SOURCE_DIR "."
#endif

// The four entry points used, by NVRTC's documented signatures; int stands for nvrtcResult.
struct Nvrtc {
  using Program = void *;
  int (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *) = nullptr;
  int (*compile)(Program, int, const char *const *) = nullptr;
  int (*log_size)(Program, size_t *) = nullptr;
  int (*log)(Program, char *) = nullptr;
  int (*ptx_size)(Program, size_t *) = nullptr;
  int (*ptx)(Program, char *) = nullptr;
  int (*destroy)(Program *) = nullptr;

  static const Nvrtc *load() {
    static Nvrtc api;
    static const bool loaded = api.open();
    return loaded ? &api : nullptr;
  }

 private:
  template <class F>
  static bool find(void *library, const char *name, F &f) {
    f = reinterpret_cast<F>(dlsym(library, name));
    return f != nullptr;
  }
  bool open() {
    void *library = nullptr;
    for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "nvrtcCreateProgram", create) && find(library, "nvrtcCompileProgram", compile) &&
           find(library, "nvrtcGetProgramLogSize", log_size) && find(library, "nvrtcGetProgramLog", log) &&
           find(library, "nvrtcGetPTXSize", ptx_size) && find(library, "nvrtcGetPTX", ptx) &&
           find(library, "nvrtcDestroyProgram", destroy);
  }
};

// Every header reachable from `root`, by the name it is included under.
void collect_headers(const std::string &name, std::map<std::string, std::string> &found) {
  if (found.count(name)) return;
  std::ifstream file(std::string(GPUOPT_SOURCE_DIR) + "/" + name);
  ASSERT_TRUE(file) << "cannot read " << name << " below " << GPUOPT_SOURCE_DIR;
  std::stringstream text;
  text << file.rdbuf();
  const std::string source = found[name] = text.str();
  static const std::regex include("#include \"([^\"]+)\"");
  for (std::sregex_iterator it(source.begin(), source.end(), include), end; it != end; ++it)
    collect_headers((*it)[1], found);
}

struct Compiled {
  int status = -1;
  std::string log, ptx;
};

Compiled compile(const std::string &source, const std::vector<const char *> &options) {
  const Nvrtc &api = *Nvrtc::load();
  std::map<std::string, std::string> headers;
  collect_headers("plugins/shared/scalar_ops.h", headers);
  collect_headers("plugins/shared/reduce_ops.h", headers);
  std::vector<const char *> names, texts;
  for (const auto &[name, text] : headers) names.push_back(name.c_str()), texts.push_back(text.c_str());
  Nvrtc::Program program = nullptr;
  Compiled out;
  api.create(&program, source.c_str(), "kernel.cu", int(names.size()), texts.data(), names.data());
  out.status = api.compile(program, int(options.size()), options.data());
  size_t size = 0;
  api.log_size(program, &size);
  out.log.resize(size);
  api.log(program, out.log.data());
  if (out.status == 0) {
    api.ptx_size(program, &size);
    out.ptx.resize(size);
    api.ptx(program, out.ptx.data());
  }
  api.destroy(&program);
  return out;
}

// One kernel that applies every row to every loop dtype its kinds name.
std::string every_op_source() {
  std::string body;
  const std::map<char, std::vector<const char *>> types = {{'?', {"bool"}},
                                                           {'i', {"i8", "i16", "i32", "i64"}},
                                                           {'u', {"u8", "u16", "u32", "u64"}},
                                                           {'f', {"float", "double"}},
                                                           {'c', {"c64", "c128"}}};
  const auto add = [&](const char *name, int inputs, const std::string &kinds, const std::string &result) {
    for (char kind : kinds) {
      for (const std::string type : types.at(kind)) {
        const std::string x = "((" + type + "*)p)[";
        const std::string first = result == "SELECT" ? "((bool*)p)[i]" : x + "i]";
        body += "case __LINE__: { auto r = ops::" + std::string(name) + "::apply(" + first;
        for (int k = 1; k < inputs; ++k) body += ", " + x + "i + " + std::to_string(k) + "]";
        body += "); ((decltype(r)*)q)[i] = r; break; }\n";
      }
    }
  };
#define GPUOPT_OP(name, nin, kinds, result, doc) add(#name, nin, kinds, #result);
#include "gpuopt/ops.def"
  return "#include \"plugins/shared/scalar_ops.h\"\n#include \"plugins/shared/reduce_ops.h\"\nusing namespace gpo;\n"
         "extern \"C\" __global__ void every_op(int op, void* p, void* q, int i) {\nswitch (op) {\n" +
         body + "}\n}\n";
}

// A statement that applies a row to float, or else int, or else bool.
std::string call(const std::string &name, int inputs, const std::string &kinds, const std::string &result) {
  const char *const array = kinds.find('f') != kinds.npos ? "f" : kinds.find('i') != kinds.npos ? "n" : "c";
  std::string text = std::string(array) + "[0] = ops::" + name + "::apply(";
  for (int k = 0; k < inputs; ++k) {
    text +=
        (k ? ", " : "") + std::string(k == 0 && result == "SELECT" ? "c" : array) + "[" + std::to_string(k + 1) + "]";
  }
  return text + ");\n";
}

class NvrtcTest : public testing::TestWithParam<const char *> {
 protected:
  void SetUp() override {
    if (!Nvrtc::load()) {
      std::printf("NOT RUN: libnvrtc is not installed, so nothing below was compiled for a GPU\n");
      GTEST_SKIP() << "libnvrtc is not installed";
    }
  }
};

TEST_P(NvrtcTest, CompilesEveryOpWithoutHeaders) {
  const Compiled out = compile(every_op_source(), {GetParam(), "-fmad=false", "-std=c++17"});
  ASSERT_EQ(out.status, 0) << out.log;
  // A multiply or add without .rn is one that ptxas may contract.
  static const std::regex contractible("\\b(mul|add|sub)\\.f(32|64)");
  std::smatch match;
  EXPECT_FALSE(std::regex_search(out.ptx, match, contractible)) << match.str();
  EXPECT_EQ(out.ptx.find(".ftz"), std::string::npos);
}

// op_headers.def promises that a row's own header is enough for its real loops.
TEST_P(NvrtcTest, EachOpHeaderStandsAlone) {
  std::map<std::string, std::string> header_of, body_of;
#define GPO_OP_HEADER(name, header) header_of[#name] = header;
#include "plugins/shared/op_headers.def"
#define GPUOPT_OP(name, nin, kinds, result, doc)                                  \
  ASSERT_EQ(header_of.count(#name), 1u) << #name " has no row in op_headers.def"; \
  body_of[header_of[#name]] += call(#name, nin, kinds, #result);
#include "gpuopt/ops.def"
  for (const auto &[header, body] : body_of) {
    const std::string source = "#include \"" + header + "\"\nusing namespace gpo;\n" +
                               "extern \"C\" __global__ void k(float* f, int* n, bool* c) {\n" + body + "}\n";
    const Compiled out = compile(source, {GetParam(), "-fmad=false", "-std=c++17"});
    EXPECT_EQ(out.status, 0) << header << '\n' << out.log;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcTest, testing::Values("-arch=sm_75", "-arch=sm_90"));

}  // namespace
