// tests/cuda/sass/kernels.cpp -- gpuopt_sass_kernels: machine code of named programs and of the common kernels, for
// check.py to read.
//
// DIRECTORY gets NAME.K.cu, the text of kernel K of a program, ARCHITECTURE/NAME.K.cubin, and the table `kernels`:
// program, number of the kernel, its name, and the bytes that it reads and writes for each element of the program.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "plugins/cuda/tools/common_kernels.h"
#include "tests/cuda/kernel_corpus.h"
#include "tests/cuda/real_nvrtc.h"

namespace gpuopt::test {
namespace {

struct NamedKernel {
  std::string program;
  size_t number;
  cuda::KernelSource source;
  double read, written;  // bytes for each element of the program
  bool common;           // to be dealt out
};

// Long enough for vectors and for sequences that are split.
const std::vector<int64_t> kVector = {1 << 20}, kMatrix = {1024, 1024};

constexpr uint64_t kNone = 0, kFirst = 1, kSecond = 2;  // axes

class Programs {
 public:
  // A program that `steps` makes of a builder; the last step is its output.
  template <class Steps>
  void add(const std::string &name, const std::vector<int64_t> &shape, uint64_t reduced, Steps steps) {
    ProgramBuilder builder(shape, reduced);
    steps(builder);
    builder.output(builder.size() - 1);
    add_kernels(name, builder.program());
  }
  // One operation of operands that lie dense.
  void add(const std::string &name, int op, int dtype, int operands = 2) {
    add(name, kVector, kNone, [&](ProgramBuilder &b) {
      std::vector<int> src(static_cast<size_t>(operands));
      for (int &x : src) x = input(b, dtype);
      b.elementwise(op, src);
    });
  }
  // A reduction along the axes.
  void add_reduction(const std::string &name, const std::vector<int64_t> &shape, uint64_t axes, int reduction,
                     int dtype) {
    add(name, shape, axes, [&](ProgramBuilder &b) { b.reduce(reduction, input(b, dtype)); });
  }
  // An array that lies dense over the axes and is repeated along the others.
  int input(ProgramBuilder &builder, int dtype, uint64_t axes = ~uint64_t{0}) {
    return builder.input(dtype, GPUOPT_LEVEL_FULL, dense_layout(builder.shape(), axes, size_of(dtype)), random_);
  }
  // One with gaps.
  int input_with_gaps(ProgramBuilder &builder, int dtype) {
    Layout layout = dense_layout(builder.shape(), ~uint64_t{0}, size_of(dtype));
    for (int64_t &stride : layout.strides) stride *= 2;
    layout.bytes *= 2;
    return builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random_);
  }
  std::vector<NamedKernel> take() { return std::move(kernels_); }

 private:
  // Bytes of an operand for each element of the program.
  static double bytes_of(const gpuopt_program &program, const gpuopt_operand &operand) {
    double bytes = size_of(operand.dtype);
    for (int d = 0; d < program.ndim; d++) {
      if (operand.strides[d] == 0) bytes /= static_cast<double>(program.shape[d]);
    }
    return bytes;
  }
  void add_kernels(const std::string &name, const gpuopt_program &program) {
    const std::vector<cuda::KernelSource> sources = kernels_of(program, name);
    double read = 0, written = 0;
    for (int i = 0; i < program.ninputs; i++) read += bytes_of(program, program.inputs[i]);
    for (int i = 0; i < program.noutputs; i++) written += bytes_of(program, program.outputs[i]);
    for (size_t k = 0; k < sources.size(); k++) {
      const std::string &text = sources[k].text;
      const auto calls = [&](const char *what) { return text.find(what) != text.npos; };
      // These have partial results alone, and a scan's first kernel writes no others.
      const bool merges = calls("gpo::merge_groups") || calls("gpo::scan_carries"), totals = calls("kTotals");
      kernels_.push_back({name, k, sources[k], merges ? 0 : read, merges || totals ? 0 : written, false});
    }
  }

  Random random_{1};
  std::vector<NamedKernel> kernels_;
};

void add_maps(Programs &programs) {
  programs.add("copy_f32", kVector, kNone, [&](ProgramBuilder &b) { programs.input(b, GPUOPT_FLOAT32); });
  programs.add("add_f32", GPUOPT_OP_add, GPUOPT_FLOAT32);
  programs.add("add_f64", GPUOPT_OP_add, GPUOPT_FLOAT64);
  programs.add("add_f16", kVector, kNone, [&](ProgramBuilder &b) {  // computed in float32, as the host writes it
    const int x = b.cast(programs.input(b, GPUOPT_FLOAT16), GPUOPT_FLOAT32);
    const int y = b.cast(programs.input(b, GPUOPT_FLOAT16), GPUOPT_FLOAT32);
    b.cast(b.elementwise(GPUOPT_OP_add, {x, y}), GPUOPT_FLOAT16);
  });
  programs.add("add_i8", GPUOPT_OP_add, GPUOPT_INT8);
  programs.add("multiply_c64", GPUOPT_OP_multiply, GPUOPT_COMPLEX64);
  programs.add("exp_f32", GPUOPT_OP_exp, GPUOPT_FLOAT32, 1);
  programs.add("exp_f64", GPUOPT_OP_exp, GPUOPT_FLOAT64, 1);
  programs.add("sin_f32", GPUOPT_OP_sin, GPUOPT_FLOAT32, 1);
  programs.add("pow_f64", GPUOPT_OP_pow, GPUOPT_FLOAT64);
  programs.add("cast_f32_f64", kVector, kNone,
               [&](ProgramBuilder &b) { b.cast(programs.input(b, GPUOPT_FLOAT32), GPUOPT_FLOAT64); });
  programs.add("cast_f64_f32", kVector, kNone,
               [&](ProgramBuilder &b) { b.cast(programs.input(b, GPUOPT_FLOAT64), GPUOPT_FLOAT32); });
  programs.add("add_row_f32", kMatrix, kNone, [&](ProgramBuilder &b) {
    const int x = programs.input(b, GPUOPT_FLOAT32);
    b.elementwise(GPUOPT_OP_add, {x, programs.input(b, GPUOPT_FLOAT32, kSecond)});
  });
  programs.add("add_gaps_f32", kMatrix, kNone, [&](ProgramBuilder &b) {
    const int x = programs.input_with_gaps(b, GPUOPT_FLOAT32);
    b.elementwise(GPUOPT_OP_add, {x, programs.input_with_gaps(b, GPUOPT_FLOAT32)});
  });
}

void add_chains(Programs &programs) {
  programs.add("axpy_f32", kVector, kNone, [&](ProgramBuilder &b) {
    const int x = programs.input(b, GPUOPT_FLOAT32), y = programs.input(b, GPUOPT_FLOAT32);
    b.elementwise(GPUOPT_OP_add, {b.elementwise(GPUOPT_OP_multiply, {b.constant(2.5f), x}), y});
  });
  programs.add("threefold_f32", kVector, kNone, [&](ProgramBuilder &b) {
    const int x = b.elementwise(GPUOPT_OP_multiply, {programs.input(b, GPUOPT_FLOAT32), b.constant(5.0f)});
    const int square = b.elementwise(GPUOPT_OP_multiply, {x, x});
    b.elementwise(GPUOPT_OP_add, {square, square});
  });
  programs.add("softplus_f32", kVector, kNone, [&](ProgramBuilder &b) {
    const int x = programs.input(b, GPUOPT_FLOAT32);
    const int above = b.elementwise(GPUOPT_OP_maximum, {b.constant(0.0f), x});
    int log = x;
    for (const int op : {GPUOPT_OP_abs, GPUOPT_OP_negative, GPUOPT_OP_exp, GPUOPT_OP_log1p})
      log = b.elementwise(op, {log});
    b.elementwise(GPUOPT_OP_add, {above, log});
  });
  programs.add("where_f32", kVector, kNone, [&](ProgramBuilder &b) {
    const int x = programs.input(b, GPUOPT_FLOAT32), y = programs.input(b, GPUOPT_FLOAT32);
    b.elementwise(GPUOPT_OP_where, GPUOPT_FLOAT32, {b.elementwise(GPUOPT_OP_greater, {x, y}), x, y});
  });
  programs.add("standardize_f32", kMatrix, kNone, [&](ProgramBuilder &b) {
    const int x = programs.input(b, GPUOPT_FLOAT32), mean = programs.input(b, GPUOPT_FLOAT32, kSecond);
    const int centred = b.elementwise(GPUOPT_OP_subtract, {x, mean});
    b.elementwise(GPUOPT_OP_divide, {centred, programs.input(b, GPUOPT_FLOAT32, kSecond)});
  });
}

void add_folds(Programs &programs) {
  programs.add_reduction("sum_f32", kVector, kFirst, GPUOPT_REDUCTION_sum, GPUOPT_FLOAT32);
  programs.add_reduction("sum_f64", kVector, kFirst, GPUOPT_REDUCTION_sum, GPUOPT_FLOAT64);
  programs.add_reduction("sum_rows_f32", kMatrix, kSecond, GPUOPT_REDUCTION_sum, GPUOPT_FLOAT32);
  programs.add_reduction("sum_columns_f32", kMatrix, kFirst, GPUOPT_REDUCTION_sum, GPUOPT_FLOAT32);
  programs.add_reduction("max_f32", kVector, kFirst, GPUOPT_REDUCTION_max, GPUOPT_FLOAT32);
  programs.add_reduction("argmax_f32", kVector, kFirst, GPUOPT_REDUCTION_argmax, GPUOPT_FLOAT32);
  programs.add("cumulative_sum_f32", kVector, kFirst,
               [&](ProgramBuilder &b) { b.scan(GPUOPT_SCAN_cumulative_sum, programs.input(b, GPUOPT_FLOAT32)); });
  programs.add("squared_distance_f32", kMatrix, kSecond, [&](ProgramBuilder &b) {
    const int x = programs.input(b, GPUOPT_FLOAT32), y = programs.input(b, GPUOPT_FLOAT32);
    b.reduce(GPUOPT_REDUCTION_sum, b.elementwise(GPUOPT_OP_square, {b.elementwise(GPUOPT_OP_subtract, {x, y})}));
  });
}

std::vector<NamedKernel> all_kernels() {
  Programs programs;
  add_maps(programs);
  add_chains(programs);
  add_folds(programs);
  std::vector<NamedKernel> kernels = programs.take();
  size_t number = 0;
  for (cuda::KernelSource &source : cuda::common_kernels()) kernels.push_back({"common", number++, source, 0, 0, true});
  return kernels;
}

void write_file(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  if (file << bytes && file.flush()) return;
  std::fprintf(stderr, "gpuopt_sass_kernels: cannot write %s\n", path.c_str());
  std::exit(1);
}

// The table of kernels, and their texts.
void write_texts(const std::filesystem::path &directory, const std::vector<NamedKernel> &kernels) {
  std::string table;
  for (const NamedKernel &kernel : kernels) {
    char bytes[64];
    std::snprintf(bytes, sizeof bytes, "%.6g\t%.6g", kernel.read, kernel.written);
    const std::string number = std::to_string(kernel.number);
    table += kernel.program + "\t" + number + "\t" + kernel.source.operation + "\t" + bytes + "\n";
    write_file(directory / (kernel.program + "." + number + ".cu"), kernel.source.text);
  }
  write_file(directory / "kernels", table);
}

// Returns how many of the kernels do not compile.
size_t compile(const cuda::Nvrtc &nvrtc, const std::filesystem::path &directory,
               const std::vector<NamedKernel> &kernels, const std::vector<int> &archs, bool all) {
  std::atomic<size_t> next{0}, failed{0};
  const auto work = [&] {
    for (size_t job; (job = next++) < kernels.size() * archs.size();) {
      const NamedKernel &kernel = kernels[job / archs.size()];
      const int arch = archs[job % archs.size()];
      if (kernel.common && !all && kernel.number % archs.size() != job % archs.size()) continue;
      const cuda::Compilation made = nvrtc.compile(kernel.source.text, "sass.cu", {arch, false, ""});
      const std::string name = kernel.program + "." + std::to_string(kernel.number);
      if (made.status != NVRTC_SUCCESS) failed++, std::fprintf(stderr, "%s: %s\n", name.c_str(), made.log.c_str());
      write_file(directory / std::to_string(arch) / (name + ".cubin"), made.cubin);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency() / 2); i++) threads.emplace_back(work);
  for (std::thread &thread : threads) thread.join();
  return failed;
}

// `only`: the name of the program to compile; empty for all.
int run(const std::filesystem::path &directory, const std::vector<int> &archs, bool all, const std::string &only) {
  const cuda::Compiler &compiler = real_compiler();
  if (!compiler.nvrtc) return std::fprintf(stderr, "gpuopt_sass_kernels: no NVRTC: %s\n", compiler.tried.c_str()), 1;
  for (const int arch : archs) std::filesystem::create_directories(directory / std::to_string(arch));
  std::vector<NamedKernel> kernels = all_kernels();
  std::erase_if(kernels, [&](const NamedKernel &kernel) { return !only.empty() && kernel.program != only; });
  if (kernels.empty()) return std::fprintf(stderr, "gpuopt_sass_kernels: no program %s\n", only.c_str()), 2;
  write_texts(directory, kernels);
  write_file(directory / "version", std::to_string(compiler.nvrtc->version()) + "\n");
  return compile(*compiler.nvrtc, directory, kernels, archs, all) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuopt::test

int main(int argc, char **argv) {
  const char *const usage =
      "usage: gpuopt_sass_kernels DIRECTORY [--all] [--only=NAME] ARCHITECTURE...\n"
      "  --all: the common kernels for every architecture; otherwise each for one of them\n"
      "  --only: the kernels of this program, or of \"common\", alone\n";
  bool all = false;
  std::string only;
  std::vector<int> archs;
  for (int k = 2; k < argc; k++) {
    const std::string word = argv[k];
    if (word == "--all") {
      all = true;
    } else if (word.rfind("--only=", 0) == 0) {
      only = word.substr(7);
    } else {
      archs.push_back(std::atoi(argv[k]));
    }
  }
  if (archs.empty() || std::count(archs.begin(), archs.end(), 0) > 0) return std::fputs(usage, stderr), 2;
  return gpuopt::test::run(argv[1], archs, all, only);
}
