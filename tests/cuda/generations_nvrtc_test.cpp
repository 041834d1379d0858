// tests/cuda/generations_nvrtc_test.cpp -- kernels do not ask which architecture they are compiled for: what the front
// end of NVIDIA's compiler hands to its code generators is the same for all architectures of a generation.
#include <gtest/gtest.h>

#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "plugins/cuda/compile/embedded.h"
#include "plugins/cuda/driver/os.h"
#include "tests/cuda/nvrtc_checks.h"
#include "tests/cuda/operations_corpus.h"

namespace gpuopt::test {
namespace {

using cuda::find_symbol;

// The front end alone: what -dlto leaves for link time. The backend has no use for it, hence no declarations of it.
class FrontEnd {
 public:
  explicit FrontEnd(const std::string &library) : handle_(cuda::open_library(library, nullptr)) {
#define GPUOPT_NVRTC_SYMBOL(result, name, args) find(table_.name, #name);
#include "plugins/cuda/compile/nvrtc_symbols.def"
    find(size_, "nvrtcGetLTOIRSize");
    find(get_, "nvrtcGetLTOIR");
  }
  bool usable() const { return size_ && get_; }  // from NVRTC 12 on

  std::string run(const std::string &text, int arch) const {
    std::vector<const char *> names, texts;
    for (const cuda::EmbeddedHeader &header : cuda::embedded_headers()) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    nvrtcProgram program = nullptr;
    table_.nvrtcCreateProgram(&program, text.c_str(), "kernels.cu", static_cast<int>(names.size()), texts.data(),
                              names.data());
    std::vector<std::string> options = cuda::compile_options({arch, true, ""});
    options.push_back("-dlto");
    std::vector<const char *> pointers;
    for (const std::string &option : options) pointers.push_back(option.c_str());
    EXPECT_EQ(table_.nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data()), NVRTC_SUCCESS)
        << arch;
    size_t bytes = 0;
    EXPECT_EQ(size_(program, &bytes), NVRTC_SUCCESS);
    std::string made(bytes, '\0');
    EXPECT_EQ(get_(program, made.data()), NVRTC_SUCCESS);
    table_.nvrtcDestroyProgram(&program);
    return made;
  }

 private:
  template <typename Function>
  void find(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(find_symbol(handle_, name));
  }

  void *const handle_;
  cuda::NvrtcTable table_;
  nvrtcResult (*size_)(nvrtcProgram, size_t *) = nullptr;
  nvrtcResult (*get_)(nvrtcProgram, char *) = nullptr;
};

// Whether two are the same but for the 16-bit numbers that name the architecture, ten times what we call it.
bool same_but_for_arch(std::string a, int arch_a, std::string b, int arch_b) {
  if (a.size() != b.size()) return false;
  for (size_t at = 0; at + 2 <= a.size(); at += 2) {
    uint16_t in_a, in_b;
    std::memcpy(&in_a, &a[at], 2);
    std::memcpy(&in_b, &b[at], 2);
    if (in_a != in_b && (in_a != 10 * arch_a || in_b != 10 * arch_b)) return false;
  }
  return true;
}

using GenerationsNvrtc = RealNvrtc<>;

// A generation is made of neighbours; those of NVRTC 13.0 are 7.5 to 9.0 and 10.0 on.
TEST_F(GenerationsNvrtc, TheFrontEndMakesOneProgramForEach) {
  const FrontEnd front_end(compiler.nvrtc->path());
  if (!front_end.usable())
    GTEST_SKIP() << "this NVRTC does not show what its front end makes: " << compiler.nvrtc->path();
  constexpr size_t kHands = 4;  // a share of every kind: the rule is about the compiler, not about a kernel
  std::vector<TranslationUnit> units;
  for (const Corpus &corpus :
       {operations_together(Variant::kPoints), random_programs(Family::kReduction), random_programs(Family::kScan)}) {
    for (const TranslationUnit &unit : corpus.units(0, kHands)) units.push_back(unit);
  }
  for (const TranslationUnit &unit : units) {
    int generations = 1, last = 0;
    std::string made;
    for (const int arch : compiler.nvrtc->archs()) {
      std::string next = front_end.run(unit.text(), arch);
      ASSERT_FALSE(next.empty());
      generations += last && !same_but_for_arch(made, last, next, arch);
      made = std::move(next);
      last = arch;
    }
    EXPECT_LE(generations, 2);
  }
}

// What could make a difference but is not in those kernels.
TEST(Generations, NoHeaderLooksAtTheArchitecture) {
  static const std::regex looks("__CUDA_ARCH__(?!\\))|__CUDA_ARCH_(LIST|FEAT|SPECIFIC|FAMILY_SPECIFIC)");
  // But for users' kernels that call __reduce_add_sync and its like, which architectures before 8.0 lack.
  static const std::regex warp_reduce("__CUDA_ARCH__ < 800\\)\n#include \"plugins/shared/words/warp_reduce.h\"");
  for (const cuda::EmbeddedHeader &header : cuda::embedded_headers()) {
    const std::string text = std::regex_replace(std::string(header.text), warp_reduce, "");
    EXPECT_FALSE(std::regex_search(text, looks)) << header.name << ": only defined(__CUDA_ARCH__) is the same for all";
  }
}

}  // namespace
}  // namespace gpuopt::test
