// tests/unit/cpu_machine_code_posix_test.cpp -- what users' kernels compile to. Atomic functions become plain
// instructions on memory that only one host thread accesses, and atomic instructions on other memory; kernels whose
// threads first ask whether they have an element are vectorized.
// POSIX only: the machine code is read by objdump, which knows ELF.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plugins/cpu/code/jit_compiler.h"
#include "tests/unit/cpu_test_host.h"

namespace {

using gpuopt::test::TestHost;

#if defined(__x86_64__)
std::string object_of(const std::string &body, uint32_t flags, const char *processor = "x86-64-v3", int bits = 0) {
  TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
  TestHost::install();
  const std::string text =
      "extern \"C\" __global__ void k(const int *x, int *counts, int n, int *more) {\n"
      "int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n" +
      body + "\n}";
  return gpuopt::cpu::compile_source({flags, "k", text.c_str(), processor, bits});
}

// The lines of a kernel's disassembly; empty if there is no objdump.
std::string machine_code(const std::string &object) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("gpuopt_machine_code_" + std::to_string(getpid()) + ".o")).string();
  std::ofstream(file, std::ios::binary).write(object.data(), static_cast<std::streamsize>(object.size()));
  const std::unique_ptr<FILE, int (*)(FILE *)> lines(
      popen(("objdump -d --no-show-raw-insn " + file + " 2>/dev/null").c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> piece;
  for (size_t got; lines && (got = fread(piece.data(), 1, piece.size(), lines.get())) > 0;)
    text.append(piece.data(), got);
  std::filesystem::remove(file);
  return text;
}

// Counts instructions with a lock prefix, and exchanges with memory, for which it is implied.
int locked_in(const std::string &code) {
  int count = 0;
  for (size_t begin = 0, end; (end = code.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = code.substr(begin, end - begin);
    count += line.find("\tlock ") != std::string::npos ||
             (line.find("\txchg") != std::string::npos && line.find('(') != std::string::npos);
  }
  return count;
}

constexpr uint32_t kForms[] = {GPUOPT_JIT_RAW, GPUOPT_JIT_RAW | GPUOPT_JIT_COROUTINES};

int locked(const std::string &body, uint32_t flags) {
  const std::string code = machine_code(object_of(body, flags));
  EXPECT_NE(code.find("ret"), std::string::npos) << "this is no machine code: " << code;
  return locked_in(code);
}

class MachineCode : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("objdump --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no objdump";
  }
};

// Each block counts in its own shared memory.
std::string histogram(const std::string &last) {
  return "__shared__ int bins[256];\nbins[t] = 0;\n__syncthreads();\n"
         "for (int j = i; j < n; j += gridDim.x * blockDim.x) atomicAdd(&bins[x[j] & 255], 1);\n__syncthreads();\n" +
         last;
}

TEST_F(MachineCode, AHistogramInSharedMemoryHasNoLocks) {
  for (const uint32_t flags : kForms) EXPECT_EQ(locked(histogram("counts[blockIdx.x * 256 + t] = bins[t];"), flags), 0);
}

// This shows that the test above can fail.
TEST_F(MachineCode, AHistogramInMemoryOfAllBlocksHasLocks) {
  for (const uint32_t flags : kForms)
    EXPECT_GT(locked("for (int j = i; j < n; j += gridDim.x * blockDim.x) atomicAdd(&counts[x[j] & 255], 1);", flags),
              0);
}

// Only the additions to the counts of all blocks are atomic.
TEST_F(MachineCode, AHistogramThatIsAddedToAllOthersHasTheirLocksOnly) {
  for (const uint32_t flags : kForms) {
    const int alone = locked(
        "__shared__ int bins[256];\nbins[t] = x[i];\n__syncthreads();\natomicAdd(&counts[t], bins[255 - t]);", flags);
    EXPECT_GT(alone, 0);
    EXPECT_EQ(locked(histogram("atomicAdd(&counts[t], bins[255 - t]);"), flags), alone);
  }
}

TEST_F(MachineCode, OtherUpdatesInSharedMemoryHaveNoLocks) {
  const char *const kUpdates[] = {"int was = atomicAdd(&s[x[i] & 63], t); counts[i] = was;",
                                  "atomicMax(&s[x[i] & 63], t);", "atomicExch(&s[x[i] & 63], t);",
                                  "counts[i] = atomicCAS(&s[x[i] & 63], t, i);",
                                  "atomicXor(&s[x[i] & 63], t); atomicAnd(&s[t & 63], i);"};
  for (const char *update : kUpdates) {
    SCOPED_TRACE(update);
    const std::string shared = "__shared__ int s[64];\nif (t < 64) s[t] = 0;\n__syncthreads();\n" +
                               std::string(update) + "\n__syncthreads();\ncounts[i + n] = s[t & 63];";
    const std::string common = "int *s = counts;\n" + std::string(update);
    for (const uint32_t flags : kForms) {
      EXPECT_EQ(locked(shared, flags), 0);
      EXPECT_GT(locked(common, flags), 0);
    }
  }
}

// Counts additions of eight integers at a time.
int vector_additions(const std::string &body) {
  const std::string code = machine_code(object_of(body, GPUOPT_JIT_RAW));
  int count = 0;
  for (size_t at = 0; (at = code.find("vpaddd", at)) != std::string::npos; at++)
    count += code.substr(at, code.find('\n', at) - at).find("ymm") != std::string::npos;
  return count;
}

TEST_F(MachineCode, KernelsWithGuardsAreVectorized) {
  const char *const kGuarded[] = {
      "if (i < n) counts[i] = x[i] + x[i + 1];", "if (i >= n) return;\ncounts[i] = x[i] + x[i + 1];",
      "int r = blockIdx.y * blockDim.y + threadIdx.y;\nif (r < n && i < n) counts[r * n + i] = x[r * n + i] + x[i];",
      "int r = blockIdx.y * blockDim.y + threadIdx.y;\nif (r >= n || i >= n) return;\n"
      "counts[r * n + i] = x[r * n + i] + x[r * n + i + 1];"};
  for (const char *body : kGuarded) EXPECT_GT(vector_additions(body), 0) << body;
}

// The innermost loops of a disassembly, each as the instructions from the target of a jump back to that jump.
std::vector<std::vector<std::string>> innermost_loops(const std::string &code) {
  std::vector<std::pair<unsigned long, std::string>> lines;  // with their addresses
  std::istringstream text(code);
  for (std::string line; std::getline(text, line);) {
    const size_t colon = line.find(":\t");
    if (colon != std::string::npos) lines.emplace_back(std::stoul(line, nullptr, 16), line.substr(colon + 2));
  }
  std::vector<std::vector<std::string>> loops;
  unsigned long last_begin = 0;  // of the loop that ended last
  for (size_t k = 0; k < lines.size(); k++) {
    const auto &[address, instruction] = lines[k];
    const size_t target = instruction.find_first_of("0123456789abcdef", instruction.find_first_of(" \t"));
    if (instruction[0] != 'j' || target == std::string::npos) continue;
    const unsigned long begin = std::strtoul(instruction.c_str() + target, nullptr, 16);
    if (begin > address || begin <= last_begin) continue;  // forward, or around an inner loop
    std::vector<std::string> &loop = loops.emplace_back();
    for (const auto &[at, other] : lines)
      if (at >= begin && at <= address) loop.push_back(other);
    last_begin = begin;
  }
  return loops;
}

// Whether a kernel has an innermost loop that adds vectors and neither clamps indices nor reads elements one by one.
bool adds_contiguous_vectors(const std::string &body) {
  for (const auto &loop : innermost_loops(machine_code(object_of(body, GPUOPT_JIT_RAW)))) {
    int additions = 0, others = 0;
    for (const std::string &instruction : loop) {
      additions += instruction.find("vpaddd") == 0 && instruction.find("ymm") != std::string::npos;
      for (const char *other : {"gather", "vpmaxs", "vpmins", "vpinsr", "vmovd ", "vpmaskmov"})
        others += instruction.find(other) != std::string::npos;
    }
    if (additions && !others) return true;
  }
  return false;
}

// In the interior of an array, threads read their neighbors as vectors.
TEST_F(MachineCode, NeighborsWhoseIndicesAreClampedAreReadAsVectors) {
  const char *const kClamped[] = {
      "if (i < n) counts[i] = x[i] + x[i > 0 ? i - 1 : 0] + x[i < n - 1 ? i + 1 : n - 1];",
      "int r = blockIdx.y * blockDim.y + threadIdx.y;\nif (r >= n || i >= n) return;\n"
      "counts[r * n + i] = x[r * n + i] + x[r * n + (i < 3 ? 0 : i - 3)];",
      "if (i < n) { int left = i == 0 ? 0 : x[i - 1], right = i == n - 1 ? 0 : x[i + 1]; counts[i] = left + right; }"};
  for (const char *body : kClamped) EXPECT_TRUE(adds_contiguous_vectors(body)) << body;
}

// This shows that the test above can fail.
TEST_F(MachineCode, ElementsAtIndicesFromMemoryAreNotReadAsVectors) {
  EXPECT_FALSE(adds_contiguous_vectors("if (i < n) counts[i] = x[i] + x[x[i] & 1023];"));
}

// A block of 32 x 8 threads writes the columns of a tile of 32 rows of so many elements.
std::string column_of(int row) {
  return "__shared__ int tile[32][" + std::to_string(row) +
         "];\nint r = threadIdx.y;\ntile[r][t] = x[r * n + i];\n__syncthreads();\ncounts[r * n + i] = tile[t][r];";
}

int count_in(const std::string &code, const char *what) {
  int count = 0;
  for (size_t at = 0; (at = code.find(what, at)) != std::string::npos; at++) count++;
  return count;
}

TEST_F(MachineCode, ColumnsAreReadElementByElement) {
  const std::string code = machine_code(object_of(column_of(33), GPUOPT_JIT_RAW, "x86-64-v4", 512));
  EXPECT_EQ(count_in(code, "gather"), 0);
  EXPECT_GE(count_in(code, "vpinsrd") + count_in(code, "vinsertps"), 6);
}

// This shows that the test above can fail.
TEST_F(MachineCode, ElementsAtIndicesFromMemoryAreGathered) {
  const std::string body = "__shared__ int s[1024];\ns[t] = x[i];\n__syncthreads();\ncounts[i] = s[x[i + n] & 1023];";
  EXPECT_GT(count_in(machine_code(object_of(body, GPUOPT_JIT_RAW, "x86-64-v4", 512)), "gather"), 0);
}

// Vectors of a whole line would lie in two lines each in rows of 33 elements.
TEST_F(MachineCode, PaddedTilesHaveVectorsOfHalfALine) {
  const auto whole_lines = [](int row) {
    return count_in(machine_code(object_of(column_of(row), GPUOPT_JIT_RAW, "x86-64-v4", 512)), "zmm");
  };
  EXPECT_EQ(whole_lines(33), 0);
  EXPECT_GT(whole_lines(32), 0);
}

TEST_F(MachineCode, RowsOfTheNextBlocksAreRequested) {
  const std::string index = "int r = blockIdx.y * blockDim.y + threadIdx.y;\n";
  const auto requests = [&](const std::string &body) {
    return count_in(machine_code(object_of(index + body, GPUOPT_JIT_RAW)), "prefetch");
  };
  // Two rows that are read, and one that is written.
  EXPECT_GE(requests("if (r < n && i < n) counts[r * n + i] = x[r * n + i] + x[(r > 0 ? r - 1 : 0) * n + i];"), 3);
  EXPECT_GE(requests("if (r < n && i < n) counts[r * n + i] = r * i;"), 1);
  EXPECT_EQ(requests("if (r < n && i < n) counts[0] = 1;"), 0);  // adjacent threads write no adjacent elements
  EXPECT_EQ(requests("__shared__ int s[2048];\ns[t + r] = i;\n__syncthreads();\n"
                     "if (t == 0) counts[r] = s[t + r + 1];"),
            0);  // but shared memory
}

// Such loops are left to LLVM's checks, as the arrays may overlap; what they access is requested all the same.
TEST_F(MachineCode, RowsOfArraysThatMayOverlapAreRequested) {
  const std::string body =
      "int r = blockIdx.y * blockDim.y + threadIdx.y, k = r * n + i;\n"
      "if (r >= n || i >= n) return;\nint v = x[k];\ncounts[k] = v;\nmore[k] = v + x[k + 1];";
  // Three arrays; the second element that is read lies beside the first.
  EXPECT_GE(count_in(machine_code(object_of(body, GPUOPT_JIT_RAW)), "prefetch"), 3);
}

// While all threads go on, a thread reads a number, finds its place and adds; whether it goes on is not asked for each.
TEST_F(MachineCode, TheLoopOfAHistogramHasFewInstructions) {
  double least = 1000;
  for (const auto &loop : innermost_loops(machine_code(object_of(histogram(""), GPUOPT_JIT_RAW)))) {
    int updates = 0;
    for (const std::string &instruction : loop)
      updates += instruction.find("incl") == 0 || instruction.find("addl   $0x1,") == 0;
    if (updates) least = std::min(least, double(loop.size()) / updates);
  }
  EXPECT_LT(least, 7);
}

// This shows that the test of kernels with guards can fail: each thread needs what the one before it has written.
TEST_F(MachineCode, AtomicUpdatesAreNotVectorized) {
  EXPECT_EQ(vector_additions("if (i < n) atomicAdd(&counts[x[i] & 255], x[i]);"), 0);
}
#else
TEST(MachineCode, IsNotReadHere) { GTEST_SKIP() << "the instructions that are looked for are those of x86"; }
#endif

}  // namespace
