// tests/unit/cpu_fission_test.cpp -- kernels whose threads wait for each other: as loops and as coroutines, against
// what plain host code, or an interpreter of the same program, says. The bits are the same.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/cpu/block_run.h"
#include "plugins/cpu/cpuid.h"
#include "plugins/cpu/jit.h"
#include "tests/unit/cpu_test_host.h"

namespace {

using gpuopt::cpu::BlockRun;
using gpuopt::cpu::ObjectCode;
using gpuopt::cpu::RawCode;
using gpuopt::test::TestHost;

struct Shape {
  uint32_t x = 1, y = 1, z = 1;
  uint32_t volume() const { return x * y * z; }
};

class Kernel {
 public:
  Kernel(const std::string &text, bool fission, int level = 3) {
    TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
    TestHost::set("GPUOPT_CACHE_MAX_BYTES", "0");
    TestHost::set("GPUOPT_CPU_FISSION", fission ? "1" : "0");
    TestHost::install();
    code_ = gpuopt::cpu::compile_kernel("k", text, true, level);
    const auto number = [&](const char *name) {
      void *const found = code_->find(name);
      return found ? reinterpret_cast<uint64_t (*)()>(found)() : 0;
    };
    raw_.run_block = reinterpret_cast<decltype(raw_.run_block)>(code_->find("gpuopt_run_block"));
    raw_.run_thread = reinterpret_cast<decltype(raw_.run_thread)>(code_->find("gpuopt_run_thread"));
    raw_.shared_bytes = number("gpuopt_shared_bytes");
    raw_.frame_bytes = number("gpuopt_frame_bytes");
  }
  bool loops() const { return raw_.run_block != nullptr; }

  template <class... A>
  void run(Shape grid, Shape block, A... arguments) const {
    const void *const list[] = {&arguments...};
    gpuopt_kernel_launch launch{};
    const uint32_t sizes[2][3] = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
    std::memcpy(launch.grid, sizes[0], sizeof launch.grid);
    std::memcpy(launch.block, sizes[1], sizeof launch.block);
    BlockRun run(raw_, launch, list);
    for (uint64_t k = 0; k < grid.volume(); k++) run.run(k);
  }

 private:
  std::unique_ptr<ObjectCode> code_;
  RawCode raw_;
};

enum class Form { loops, coroutines };

// What a kernel of (const T *in, T *out, int n) writes, which must be the same in both forms; `form`: what it should
// become if it may be loops.
template <class T>
std::vector<T> run_both(const std::string &body, Form form, const std::vector<T> &in, size_t nout, Shape grid,
                        Shape block, int n = 0) {
  const std::string type = sizeof(T) == 8 ? "double" : std::is_integral_v<T> ? "unsigned" : "float";
  const std::string text =
      "typedef " + type + " T;\nextern \"C\" __global__ void k(const T *in, T *out, int n) {\n" + body + "\n}";
  const Kernel loops(text, true), coroutines(text, false);
  EXPECT_EQ(loops.loops(), form == Form::loops) << body;
  std::vector<T> first(nout), second(nout);
  loops.run(grid, block, in.data(), first.data(), n);
  coroutines.run(grid, block, in.data(), second.data(), n);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), nout * sizeof(T)), 0) << body;
  return first;
}

template <class T>
std::vector<T> noise(size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> out(n);
  for (T &x : out) x = static_cast<T>(random() % 2000) / static_cast<T>(std::is_integral_v<T> ? 1 : 7);
  return out;
}

const Shape kShapes[] = {{32, 1, 1}, {1, 1, 1}, {7, 5, 3}, {1024, 1, 1}, {16, 16, 1}, {100, 1, 2}, {4, 8, 16}};

constexpr const char *kNumber =
    "unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,\n"
    "         N = blockDim.x * blockDim.y * blockDim.z;\n";

TEST(Fission, ReversesABlockOfAnyShape) {
  for (const Shape &shape : kShapes) {
    const size_t size = shape.volume(), blocks = 6;
    const std::vector<unsigned> in = noise<unsigned>(size * blocks);
    const auto got = run_both(std::string(kNumber) + R"(
      __shared__ T tile[1024];
      unsigned base = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * N;
      tile[t] = in[base + t];
      __syncthreads();
      out[base + t] = tile[N - 1 - t];)",
                              Form::loops, in, in.size(), {1, 2, 3}, shape);
    for (size_t k = 0; k < got.size(); k++) ASSERT_EQ(got[k], in[k / size * size + size - 1 - k % size]);
  }
}

TEST(Fission, TiledMatrixProductWithRaggedEdges) {
  for (const int tile : {8, 16, 32}) {
    const int n = 75, blocks = (n + tile - 1) / tile;
    const std::vector<float> in = noise<float>(size_t(2 * n * n));
    const auto got = run_both("#define TILE " + std::to_string(tile) + R"(
      const T *a = in, *b = in + n * n;
      __shared__ float ta[TILE][TILE], tb[TILE][TILE];
      int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
      float sum = 0;
      for (int s = 0; s < (n + TILE - 1) / TILE; s++) {
        ta[y][x] = row < n && s * TILE + x < n ? a[row * n + s * TILE + x] : 0;
        tb[y][x] = column < n && s * TILE + y < n ? b[(s * TILE + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
      }
      if (row < n && column < n) out[row * n + column] = sum;)",
                              Form::loops, in, size_t(n * n), {uint32_t(blocks), uint32_t(blocks), 1},
                              {uint32_t(tile), uint32_t(tile), 1}, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float want = 0;
        for (int k = 0; k < n; k++) want += in[size_t(i * n + k)] * in[size_t(n * n + k * n + j)];
        ASSERT_EQ(got[size_t(i * n + j)], want) << i << ' ' << j;
      }
  }
}

TEST(Fission, TreeReductionAfterAStridedSum) {
  const int n = 10007;
  const std::vector<double> in = noise<double>(n);
  const auto got = run_both(R"(
      __shared__ T partial[256];
      T mine = 0;
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += in[i];
      partial[threadIdx.x] = mine;
      __syncthreads();
      for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
      }
      if (threadIdx.x == 0) out[blockIdx.x] = partial[0];)",
                            Form::loops, in, 3, {3}, {256}, n);
  for (int block = 0; block < 3; block++) {
    std::vector<double> partial(256);
    for (int t = 0; t < 256; t++)
      for (int i = block * 256 + t; i < n; i += 768) partial[size_t(t)] += in[size_t(i)];
    for (size_t s = 128; s; s /= 2)
      for (size_t t = 0; t < s; t++) partial[t] += partial[t + s];
    EXPECT_EQ(got[size_t(block)], partial[0]);
  }
}

TEST(Fission, ThreadsComeBackToWhatTheyWrote) {
  const std::vector<unsigned> in = noise<unsigned>(256);
  const auto got = run_both(R"(
      __shared__ T s[512];
      unsigned t = threadIdx.x, *p = s + 2 * t;
      s[2 * t] = in[t];
      s[2 * t + 1] = in[t] * 3;
      p[n] += 5;               // n is 1: what was written just now
      out[2 * t] = s[2 * t + 1];
      out[2 * t + 1] = p[0] ^ out[2 * t];
      __syncthreads();
      out[2 * t] += s[2 * (255 - t)];)",
                            Form::loops, in, 512, {1}, {256}, 1);
  for (size_t t = 0; t < 256; t++) {
    EXPECT_EQ(got[2 * t], in[t] * 3 + 5 + in[255 - t]);
    EXPECT_EQ(got[2 * t + 1], in[t] ^ (in[t] * 3 + 5));
  }
}

// Two loads that lie side by side may not become one in front of the store between them.
TEST(Fission, AStoreBetweenTwoLoadsIsSeenByTheSecond) {
  const std::vector<unsigned> in = noise<unsigned>(512);
  const auto got = run_both(R"(
      __shared__ T s[1025];
      unsigned t = threadIdx.x;
      s[2 * t] = in[2 * t];
      s[2 * t + 1] = in[2 * t + 1];
      __syncthreads();
      T *p = s + 2 * t, first = p[0];
      p[n] = first * 7 + t;    // n is 1: the second
      out[t] = first ^ p[1];)",
                            Form::loops, in, 256, {1}, {256}, 1);
  for (unsigned t = 0; t < 256; t++) EXPECT_EQ(got[t], in[2 * t] ^ (in[2 * t] * 7 + t));
}

// What a turn of a loop began with is asked for when the next turn's is known already.
TEST(Fission, TheLastTurnsBeginningIsReadBehindTheLoop) {
  const std::vector<unsigned> in = noise<unsigned>(64);
  const auto got = run_both(R"(
      __shared__ T s[64];
      unsigned t = threadIdx.x, x = in[t], before = 0;
      for (int k = 0;; k++) {
        before = x;
        s[t] = x;
        __syncthreads();
        x = x * 3 + s[(t + 1) % 64];
        __syncthreads();
        if (k == n) break;
      }
      out[2 * t] = before;
      out[2 * t + 1] = x;)",
                            Form::loops, in, 128, {1}, {64}, 4);
  std::vector<unsigned> x = in, before;
  for (int k = 0; k <= 4; k++) {
    before = x;
    for (size_t t = 0; t < 64; t++) x[t] = before[t] * 3 + before[(t + 1) % 64];
  }
  for (size_t t = 0; t < 64; t++) {
    EXPECT_EQ(got[2 * t], before[t]);
    EXPECT_EQ(got[2 * t + 1], x[t]);
  }
}

TEST(Fission, LocalArraysAndValuesThatSwapAcrossBarriers) {
  const std::vector<unsigned> in = noise<unsigned>(96);
  const auto got = run_both(R"(
      unsigned t = threadIdx.x, local[5] = {in[t], t, 3, 4, 5}, a = in[t], b = t;
      __shared__ T s[96];
      for (int k = 0; k < n; k++) {
        unsigned old = a;
        a = b + local[(t + k) % 5];
        b = old;
        s[t] = a;
        __syncthreads();
        local[k % 5] += s[(t + 1) % 96];
        unsigned *where = k & 1 ? local : local + 1;
        where[t & 3] ^= k;
        __syncthreads();
      }
      out[t] = a * 31 + b + local[0] + local[1] + local[2] + local[3] + local[4];)",
                            Form::loops, in, 96, {1}, {96}, 9);
  std::vector<std::vector<unsigned>> local(96);
  std::vector<unsigned> a = in, b(96), s(96);
  for (unsigned t = 0; t < 96; t++) local[t] = {in[t], t, 3, 4, 5}, b[t] = t;
  for (unsigned k = 0; k < 9; k++) {
    for (unsigned t = 0; t < 96; t++) {
      const unsigned old = a[t];
      s[t] = a[t] = b[t] + local[t][(t + k) % 5];
      b[t] = old;
    }
    for (unsigned t = 0; t < 96; t++) {
      local[t][k % 5] += s[(t + 1) % 96];
      local[t][(k & 1 ? 0 : 1) + (t & 3)] ^= k;
    }
  }
  for (unsigned t = 0; t < 96; t++)
    EXPECT_EQ(got[t], a[t] * 31 + b[t] + local[t][0] + local[t][1] + local[t][2] + local[t][3] + local[t][4]);
}

TEST(Fission, TheOrderOfAtomicsIsThatOfTheThreads) {
  const std::vector<float> in = noise<float>(128);
  const auto got = run_both(R"(
      __shared__ T sum;
      sum = 0;
      __syncthreads();
      for (int k = 0; k < n; k++) atomicAdd(&sum, in[threadIdx.x] * 0.1f + k);
      if (n > 3) atomicAdd(&sum, in[127 - threadIdx.x] * 0.3f);
      __syncthreads();
      out[threadIdx.x] = sum;)",
                            Form::loops, in, 128, {1}, {128}, 5);
  float sum = 0;
  for (size_t t = 0; t < 128; t++) {
    for (int k = 0; k < 5; k++) sum += in[t] * 0.1f + float(k);
    sum += in[127 - t] * 0.3f;
  }
  for (const float x : got) EXPECT_EQ(x, sum);
}

TEST(Fission, AtomicsOnBothSidesOfABranchThatWaitsAreNotReordered) {
  const std::vector<float> in = noise<float>(64);
  run_both(R"(
      __shared__ T sum;
      sum = 0;
      for (int k = 0; k < n; k++) {
        __syncthreads();
        atomicAdd(&sum, in[threadIdx.x] * 0.1f);
        if (k == 2) __syncthreads();
        atomicAdd(&sum, in[threadIdx.x] * 0.3f);
      }
      __syncthreads();
      out[threadIdx.x] = sum;)",
           Form::coroutines, in, 64, {1}, {64}, 5);
}

TEST(Fission, BlocksLeaveTogetherOrCountTheirThreads) {
  const std::vector<unsigned> in = noise<unsigned>(64);
  const auto got = run_both(R"(
      if (blockIdx.x == 1 || n == 0) return;
      out[blockIdx.x * 64 + threadIdx.x] = __syncthreads_count(in[threadIdx.x] > n) * 10 +
                                           __syncthreads_or(threadIdx.x == 3) * 2 + __syncthreads_and(threadIdx.x == 3);)",
                            Form::loops, in, 192, {3}, {64}, 900);
  unsigned count = 0;
  for (const unsigned x : in) count += x > 900;
  for (size_t k = 0; k < 192; k++) EXPECT_EQ(got[k], k / 64 == 1 ? 0 : count * 10 + 2);
}

TEST(Fission, WhatIsNotProvedStaysWithCoroutines) {
  const std::vector<unsigned> in = noise<unsigned>(64);
  const char *const bodies[] = {
      "if (threadIdx.x > 40) return; __syncthreads(); out[threadIdx.x] = 1;",
      "if (threadIdx.x > 40) __syncthreads(); out[threadIdx.x] = 1;",
      "for (unsigned k = 0; k < 3 + threadIdx.x % 2; k++) __syncthreads(); out[threadIdx.x] = 1;",
      "if (in[0] > 3) __syncthreads(); out[threadIdx.x] = 1;",
      "out[threadIdx.x] = __shfl_down_sync(0xffffffffu, in[threadIdx.x], 1);",
      "if (threadIdx.x & 1) { out[threadIdx.x] = 1; __syncthreads(); } else { out[threadIdx.x] = 2; __syncthreads(); }",
  };
  for (const char *const body : bodies) run_both(body, Form::coroutines, in, 64, {1}, {64}, 5);
}

// ---- Random programs ----
//
// Each expression and statement is made twice: as text, and as what the interpreter does with a thread, or with all
// threads of a block that run it, one statement at a time.

struct State {
  unsigned v[4] = {}, local[4] = {};
  float f[2] = {};
  unsigned x = 0, y = 0, z = 0, t = 0;
};

struct Block {
  std::vector<State> threads;
  std::vector<unsigned> shared, counts, in;
  unsigned block = 0, n = 0, u[8] = {};
  unsigned size() const { return static_cast<unsigned>(threads.size()); }
};

using Active = std::vector<State *>;

template <class T>
struct Expression {
  std::string text;
  std::function<T(Block &, State &)> value;
};
using Word = Expression<unsigned>;
using Real = Expression<float>;

struct Statement {
  std::string text;
  std::function<void(Block &, const Active &)> run;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Statement program() {
    Statement all = several(2 + pick(4), 3, true, true);
    if (pick(3) == 0) {  // some leave early, where nobody waits any more
      const Word gone = word(2);
      const Statement rest = several(2, 2, false, false);
      all = {all.text + "if (!(" + gone.text + " & 3)) goto end;\n" + rest.text, [=](Block &b, const Active &active) {
               all.run(b, active);
               rest.run(b, those(b, active, [&](State &s) { return (gone.value(b, s) & 3) != 0; }));
             }};
    }
    return all;
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

  template <class Keep>
  static Active those(Block &, const Active &active, Keep keep) {
    Active kept;
    for (State *s : active)
      if (keep(*s)) kept.push_back(s);
    return kept;
  }

  // What is the same for all threads.
  Word uniform(int depth) {
    if (depth == 0 || pick(3) == 0) {
      if (pick(3) == 0) return {"n", [](Block &b, State &) { return b.n; }};
      if (pick(3) == 0) return {"blockIdx.x", [](Block &b, State &) { return b.block; }};
      if (loops_ && pick(2)) {
        const unsigned k = pick(loops_);
        return {"u" + std::to_string(k), [k](Block &b, State &) { return b.u[k]; }};
      }
      return constant();
    }
    return combine(uniform(depth - 1), uniform(depth - 1));
  }

  Word constant() {
    const unsigned c = pick(4) ? pick(9) : static_cast<unsigned>(random_());
    return {std::to_string(c) + "u", [c](Block &, State &) { return c; }};
  }

  Word combine(const Word &a, const Word &b) {
    static const char *const names[] = {"+", "-", "*", "^", "&", "|", "<", ">>"};
    const unsigned which = pick(8);
    const std::string right = which == 7 ? "(" + b.text + " & 31)" : b.text;
    return {"(" + a.text + " " + names[which] + " " + right + ")", [=](Block &block, State &s) {
              const unsigned x = a.value(block, s), y = b.value(block, s);
              const unsigned results[] = {x + y, x - y, x * y, x ^ y, x & y, x | y, x < y, x >> (y & 31)};
              return results[which];
            }};
  }

  Word word(int depth) {
    const unsigned k = pick(4);
    if (depth == 0 || pick(4) == 0) {
      switch (pick(6)) {
        case 0:
          return {"threadIdx.x", [](Block &, State &s) { return s.x; }};
        case 1:
          return {"(threadIdx.y * 3 + t)", [](Block &, State &s) { return s.y * 3 + s.t; }};
        case 2:
          return uniform(1);
        case 3:
          return constant();
        default:
          return {"v" + std::to_string(k), [k](Block &, State &s) { return s.v[k]; }};
      }
    }
    switch (pick(7)) {
      case 0: {
        const Word at = word(depth - 1);
        return {"local[" + at.text + " & 3]", [=](Block &b, State &s) { return s.local[at.value(b, s) & 3]; }};
      }
      case 1: {
        const Word c = word(depth - 1), a = word(depth - 1), b = word(depth - 1);
        return {"(" + c.text + " & 1 ? " + a.text + " : " + b.text + ")",
                [=](Block &block, State &s) { return c.value(block, s) & 1 ? a.value(block, s) : b.value(block, s); }};
      }
      case 2: {
        const Word at = word(depth - 1);
        return {"in[" + at.text + " & 63]", [=](Block &b, State &s) { return b.in[at.value(b, s) & 63]; }};
      }
      case 3: {
        const unsigned c = pick(2);
        return {"__float_as_uint(f" + std::to_string(c) + ")", [c](Block &, State &s) {
                  unsigned bits;
                  std::memcpy(&bits, &s.f[c], 4);
                  return bits;
                }};
      }
      default:
        return combine(word(depth - 1), word(depth - 1));
    }
  }

  Real real(int depth) {
    const unsigned k = pick(2);
    if (depth == 0) return {"f" + std::to_string(k), [k](Block &, State &s) { return s.f[k]; }};
    if (pick(3) == 0) {
      const Word a = word(depth - 1);
      return {"float(" + a.text + " & 1023)", [=](Block &b, State &s) { return float(a.value(b, s) & 1023); }};
    }
    const Real a = real(depth - 1), b = real(depth - 1);
    static const char *const names[] = {"+", "-", "*"};
    const unsigned which = pick(3);
    return {"(" + a.text + " " + names[which] + " " + b.text + ")", [=](Block &block, State &s) {
              const float x = a.value(block, s), y = b.value(block, s);
              return which == 0 ? x + y : which == 1 ? x - y : x * y;
            }};
  }

  Statement several(unsigned n, int depth, bool together, bool waits) {
    std::vector<Statement> parts;
    std::string text;
    for (unsigned k = 0; k < n; k++) {
      parts.push_back(statement(depth, together, waits));
      text += parts.back().text;
    }
    return {text, [parts](Block &b, const Active &active) {
              for (const Statement &part : parts) part.run(b, active);
            }};
  }

  // together: all threads of the block run it; waits: and it may have barriers.
  Statement statement(int depth, bool together, bool waits) {
    if (depth == 0) return assignment();
    switch (pick(waits ? 9 : 5)) {
      case 0:
        return branch(depth);
      case 1:
        return own_loop(depth);
      case 2:
        return together && pick(2) ? common_loop(depth, waits) : assignment();
      case 3:
        return together ? common_branch(depth, waits) : assignment();
      case 4:
        return assignment();
      case 5:
        return count();
      case 6:
        return common_loop(depth, waits);
      default:
        return exchange();
    }
  }

  Statement assignment() {
    const unsigned k = pick(4);
    const std::string name = std::to_string(k);
    if (pick(5) == 0) {
      const Word at = word(1), value = word(2);
      return {"local[" + at.text + " & 3] = " + value.text + ";\n", [=](Block &b, const Active &active) {
                for (State *s : active) {
                  const unsigned to = at.value(b, *s) & 3;
                  s->local[to] = value.value(b, *s);
                }
              }};
    }
    if (pick(4) == 0) {
      const Real value = real(2);
      const std::string f = "f" + std::to_string(k & 1);  // kept small: what bits a NaN has is nobody's promise
      return {f + " = " + value.text + ";\nif (!(" + f + " < 1e6f && " + f + " > -1e6f)) " + f + " = 0.7f;\n",
              [=](Block &b, const Active &active) {
                for (State *s : active) {
                  const float x = value.value(b, *s);
                  s->f[k & 1] = x < 1e6f && x > -1e6f ? x : 0.7f;
                }
              }};
    }
    const Word value = word(3);
    return {"v" + name + " = " + value.text + ";\n", [=](Block &b, const Active &active) {
              for (State *s : active) s->v[k] = value.value(b, *s);
            }};
  }

  Statement branch(int depth) {
    const Word c = word(2);
    const Statement yes = several(1 + pick(2), depth - 1, false, false), no = several(pick(2), depth - 1, false, false);
    return {"if (" + c.text + " & 1) {\n" + yes.text + "} else {\n" + no.text + "}\n",
            [=](Block &b, const Active &active) {
              std::vector<bool> taken;
              for (State *s : active) taken.push_back(c.value(b, *s) & 1);
              Active left, right;
              for (size_t k = 0; k < active.size(); k++) (taken[k] ? left : right).push_back(active[k]);
              yes.run(b, left);
              no.run(b, right);
            }};
  }

  Statement common_branch(int depth, bool waits) {
    const Word c = uniform(2);
    const Statement yes = several(1 + pick(2), depth - 1, true, waits), no = several(pick(2), depth - 1, true, waits);
    return {"if (" + c.text + " & 1) {\n" + yes.text + "} else {\n" + no.text + "}\n",
            [=](Block &b, const Active &active) {
              if (active.empty()) return;
              (c.value(b, *active[0]) & 1 ? yes : no).run(b, active);
            }};
  }

  Statement own_loop(int depth) {
    const Word bound = word(2);
    const Statement body = several(1, depth - 1, false, false);
    const std::string d = "d" + std::to_string(names_++);
    return {
        "for (unsigned " + d + " = 0, e = " + bound.text + " & 3; " + d + " < e; " + d + "++) {\n" + body.text + "}\n",
        [=](Block &b, const Active &active) {
          std::vector<unsigned> turns;
          for (State *s : active) turns.push_back(bound.value(b, *s) & 3);
          for (size_t k = 0; k < active.size(); k++)
            for (unsigned turn = 0; turn < turns[k]; turn++) body.run(b, {active[k]});
        }};
  }

  Statement common_loop(int depth, bool waits) {
    if (loops_ == 8) return assignment();
    const Word bound = uniform(1);
    const unsigned k = loops_++;
    const Statement body = several(1 + pick(3), depth - 1, true, waits);
    loops_--;
    const std::string u = "u" + std::to_string(k);
    return {"for (unsigned " + u + " = 0; " + u + " < (" + bound.text + " & 7); " + u + "++) {\n" + body.text + "}\n",
            [=](Block &b, const Active &active) {
              if (active.empty()) return;
              for (b.u[k] = 0; b.u[k] < (bound.value(b, *active[0]) & 7); b.u[k]++) body.run(b, active);
            }};
  }

  // Each gives a word to one place, some only if they like; all take one from anywhere.
  Statement exchange() {
    const unsigned shift = pick(40), to = pick(4);
    const Word given = word(2), at = word(2),
               likes = pick(2) ? word(1) : Word{"1u", [](Block &, State &) { return 1u; }};
    const std::string own = "s[(t + " + std::to_string(shift) + ") % N]";
    const bool back = pick(2);
    const std::string read_back = back ? "v" + std::to_string(to) + " += " + own + ";\n" : "";
    return {"if (" + likes.text + " & 1) " + own + " = " + given.text + ";\n" + read_back + "__syncthreads();\nv" +
                std::to_string(to) + " ^= s[" + at.text + " % N];\n__syncthreads();\n",
            [=](Block &b, const Active &active) {
              for (State *s : active) {
                unsigned &place = b.shared[(s->t + shift) % b.size()];
                if (likes.value(b, *s) & 1) place = given.value(b, *s);
                if (back) s->v[to] += place;
              }
              for (State *s : active) s->v[to] ^= b.shared[at.value(b, *s) % b.size()];
            }};
  }

  Statement count() {
    const Word at = word(2), by = word(2);
    const unsigned to = pick(4);
    const std::string v = "v" + std::to_string(to);
    return {"atomicAdd(&counts[" + at.text + " & 7], " + by.text + ");\n__syncthreads();\n" + v +
                " += counts[t & 7];\n" + "__syncthreads();\n",
            [=](Block &b, const Active &active) {
              for (State *s : active) {
                const unsigned where = at.value(b, *s) & 7;
                b.counts[where] += by.value(b, *s);
              }
              for (State *s : active) s->v[to] += b.counts[s->t & 7];
            }};
  }

  std::mt19937 random_;
  unsigned loops_ = 0, names_ = 0;
};

std::string text_of(const Statement &program) {
  return R"(extern "C" __global__ void k(const unsigned *in, unsigned *out, unsigned n) {
  __shared__ unsigned s[1024], counts[8];
)" + std::string(kNumber) +
         R"(  unsigned v0 = t, v1 = in[t & 63], v2 = n * t, v3 = 7, local[4] = {t, 1, 2, 3};
  float f0 = 1.5f, f1 = float(t);
  s[t] = t * 5;
  if (t < 8) counts[t] = t;
  if (N < 8 && t == 0) for (int c = N; c < 8; c++) counts[c] = c;
  __syncthreads();
)" + program.text +
         R"(  end:
  out[(blockIdx.x * N + t) * 5] = v0;
  out[(blockIdx.x * N + t) * 5 + 1] = v1;
  out[(blockIdx.x * N + t) * 5 + 2] = v2;
  out[(blockIdx.x * N + t) * 5 + 3] = v3 + __float_as_uint(f0) * 3 + __float_as_uint(f1);
  out[(blockIdx.x * N + t) * 5 + 4] = local[0] ^ local[1] * 3 ^ local[2] * 5 ^ local[3] * 7;
})";
}

unsigned bits_of(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

std::vector<unsigned> interpret(const Statement &program, const std::vector<unsigned> &in, Shape shape, unsigned blocks,
                                unsigned n) {
  std::vector<unsigned> out;
  for (unsigned block = 0; block < blocks; block++) {
    Block b;
    b.threads.resize(shape.volume());
    b.in = in;
    b.block = block;
    b.n = n;
    b.shared.resize(shape.volume());
    for (unsigned c = 0; c < 8; c++) b.counts.push_back(c);
    Active all;
    for (unsigned t = 0; t < shape.volume(); t++) {
      State &s = b.threads[t];
      s.x = t % shape.x, s.y = t / shape.x % shape.y, s.z = t / shape.x / shape.y, s.t = t;
      s.v[0] = t, s.v[1] = in[t & 63], s.v[2] = n * t, s.v[3] = 7;
      s.local[0] = t, s.local[1] = 1, s.local[2] = 2, s.local[3] = 3;
      s.f[0] = 1.5f, s.f[1] = float(t);
      b.shared[t] = t * 5;
      all.push_back(&s);
    }
    program.run(b, all);
    for (State &s : b.threads) {
      out.insert(out.end(), {s.v[0], s.v[1], s.v[2], s.v[3] + bits_of(s.f[0]) * 3 + bits_of(s.f[1]),
                             s.local[0] ^ s.local[1] * 3 ^ s.local[2] * 5 ^ s.local[3] * 7});
    }
  }
  return out;
}

TEST(Fission, RandomPrograms) {
  const Shape shapes[] = {{33, 1, 1}, {5, 4, 3}, {64, 2, 1}, {1, 1, 1}, {16, 8, 1}};
  const std::vector<unsigned> in = noise<unsigned>(64);
  for (unsigned seed = 0; seed < 30; seed++) {
    const Statement program = Generator(seed).program();
    const std::string text = text_of(program);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const int level = seed % 3 == 0 ? 4 : 3;
    const Kernel loops(text, true, gpuopt::cpu::isa_level() < level ? 3 : level), coroutines(text, false);
    ASSERT_TRUE(loops.loops());
    ASSERT_FALSE(coroutines.loops());
    const Shape shape = shapes[seed % 5];
    const std::vector<unsigned> want = interpret(program, in, shape, 2, seed);
    std::vector<unsigned> first(want.size()), second(want.size());
    loops.run({2}, shape, in.data(), first.data(), seed);
    coroutines.run({2}, shape, in.data(), second.data(), seed);
    ASSERT_EQ(second, want);
    ASSERT_EQ(first, want);
  }
}

}  // namespace
