// tests/unit/cpu_divergent_programs_test.cpp -- random programs whose threads diverge, as the compiler lowers them, and
// with one thread of the operating system for each thread of the program. The results have the same bits, and the check
// finds nothing wrong.
//
// Each statement has two forms: its text, and a function that one thread runs, in which a std::barrier stands for each
// barrier of the text. Threads return early while others go on to barriers, parts of warps have operations of their
// own, and barriers are in nested loops.
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>

#include "plugins/cpu/kernel/block_check.h"
#include "plugins/cpu/kernel/kernel_object.h"
#include "plugins/shared/host/barrier.h"
#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::kNumber;
using gpuopt::test::noise;
using gpuopt::test::Shape;
using gpuopt::test::TestHost;

constexpr unsigned kWarp = 32;
// The lanes of a part of a warp that has an operation of its own, as a condition in the text and as a mask.
constexpr struct {
  const char *text;
  unsigned mask;
} kParts[] = {{"lane % 2 == 0", 0x55555555},
              {"lane < 20", 0x000fffff},
              {"(lane >> 2) % 2 == 1", 0xf0f0f0f0},
              {"lane % 3 == 0", 0x49249249},
              {"lane >= 0", 0xffffffff}};

// The threads of one warp that wait for each other: those of a part, or the others.
struct Group {
  explicit Group(unsigned members) : meet(members) {}
  std::barrier<> meet;
  std::array<unsigned, kWarp> words{};
};

struct Block {
  Block(Shape shape, unsigned number, unsigned n_, const std::vector<unsigned> &in_)
      : size(shape.volume()), block(number), n(n_), in(in_), shared(size), gone(size), meet(size) {
    for (unsigned warp = 0; warp * kWarp < size; warp++) {
      for (const auto &part : kParts) {
        for (const unsigned mask : {part.mask, ~part.mask}) {
          unsigned members = 0;
          for (unsigned lane = 0; lane < kWarp && warp * kWarp + lane < size; lane++) members += mask >> lane & 1;
          groups.push_back(std::make_unique<Group>(members));
        }
      }
    }
  }
  const unsigned size, block, n;
  const std::vector<unsigned> &in;
  std::vector<unsigned> shared;
  std::vector<char> gone;
  std::barrier<> meet;
  std::vector<std::unique_ptr<Group>> groups;
};

struct Thread {
  Block &b;
  unsigned t, x, y, v[4], u[8] = {};
  bool left = false;  // the thread has returned
  unsigned lane() const { return t % kWarp; }
  Group &group(unsigned part, bool others) const {
    return *b.groups[(t / kWarp * std::size(kParts) + part) * 2 + others];
  }
  void leave() {
    left = true;
    b.gone[t] = 1;
    for (unsigned part = 0; part < std::size(kParts); part++)
      group(part, !(kParts[part].mask >> lane() & 1)).meet.arrive_and_drop();
    b.meet.arrive_and_drop();
  }
};

struct Word {
  std::string text;
  std::function<unsigned(const Thread &)> value;
};
struct Statement {
  std::string text;
  std::function<void(Thread &)> run;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed), leave_(seed % 2) {}
  Statement program() { return several(5 + pick(4), 3, true); }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string variable() { return "v" + std::to_string(pick(4)); }

  Word uniform() {
    if (loops_ && pick(2)) {
      const unsigned k = pick(loops_);
      return {"u" + std::to_string(k), [k](const Thread &s) { return s.u[k]; }};
    }
    if (pick(2)) return {"(n + blockIdx.x)", [](const Thread &s) { return s.b.n + s.b.block; }};
    const unsigned c = pick(9);
    return {std::to_string(c) + "u", [c](const Thread &) { return c; }};
  }

  Word word(int depth) {
    const unsigned k = pick(4);
    if (depth == 0 || pick(4) == 0) {
      if (pick(4) == 0) return uniform();
      if (pick(4) == 0) return {"threadIdx.x", [](const Thread &s) { return s.x; }};
      if (pick(4) == 0) return {"(threadIdx.y + t)", [](const Thread &s) { return s.y + s.t; }};
      return {"v" + std::to_string(k), [k](const Thread &s) { return s.v[k]; }};
    }
    const Word a = word(depth - 1), b = word(depth - 1);
    if (k == 0) return {"in[" + a.text + " & 63]", [=](const Thread &s) { return s.b.in[a.value(s) & 63]; }};
    if (k == 1)
      return {"(" + a.text + " * 5 ^ " + b.text + ")", [=](const Thread &s) { return a.value(s) * 5 ^ b.value(s); }};
    if (k == 2) return {"(" + a.text + " - " + b.text + ")", [=](const Thread &s) { return a.value(s) - b.value(s); }};
    return {"(" + a.text + " < " + b.text + " ? 3u : " + b.text + " >> 3)",
            [=](const Thread &s) { return a.value(s) < b.value(s) ? 3u : b.value(s) >> 3; }};
  }

  // `all`: every thread of the block that has not returned runs this.
  Statement several(unsigned count, int depth, bool all) {
    std::vector<Statement> parts;
    std::string text;
    for (unsigned k = 0; k < count; k++) {
      parts.push_back(all ? together(depth) : apart(depth));
      text += parts.back().text;
    }
    return {text, [parts](Thread &s) {
              for (const Statement &part : parts)
                if (!s.left) part.run(s);
            }};
  }

  Statement together(int depth) {
    switch (depth == 0 ? pick(4) : pick(10)) {
      case 0:
        return exchange();
      case 1:
      case 2:
        return group(depth);
      case 3:
        return assignment();
      case 4:
      case 5:
        return common_loop(depth);
      case 6:
        return common_branch(depth);
      case 7:
      case 8:
        return leave();
      default:
        return apart(depth);
    }
  }

  Statement apart(int depth) {
    if (depth == 0 || pick(3) == 0) return assignment();
    const Word c = word(2);
    if (pick(2)) {
      const Statement yes = several(1 + pick(2), depth - 1, false), no = several(pick(2), depth - 1, false);
      return {"if (" + c.text + " & 1) {\n" + yes.text + "} else {\n" + no.text + "}\n",
              [=](Thread &s) { (c.value(s) & 1 ? yes : no).run(s); }};
    }
    const Statement body = several(1, depth - 1, false);
    const std::string d = "d" + std::to_string(names_++);
    return {"for (unsigned " + d + " = 0, e = " + c.text + " & 3; " + d + " < e; " + d + "++) {\n" + body.text + "}\n",
            [=](Thread &s) {
              for (unsigned k = 0, e = c.value(s) & 3; k < e; k++) body.run(s);
            }};
  }

  Statement assignment() {
    const unsigned k = pick(4);
    const Word value = word(3);
    return {"v" + std::to_string(k) + " = " + value.text + ";\n", [=](Thread &s) { s.v[k] = value.value(s); }};
  }

  Statement common_loop(int depth) {
    if (loops_ == 8) return assignment();
    const Word bound = uniform();
    const unsigned k = loops_++;
    const Statement body = several(1 + pick(3), depth - 1, true);
    loops_--;
    const std::string u = "u" + std::to_string(k);
    return {"for (unsigned " + u + " = 0; " + u + " < (" + bound.text + " & 3); " + u + "++) {\n" + body.text + "}\n",
            [=](Thread &s) {
              for (s.u[k] = 0; !s.left && s.u[k] < (bound.value(s) & 3); s.u[k]++) body.run(s);
            }};
  }

  Statement common_branch(int depth) {
    const Word c = uniform();
    const Statement yes = several(1 + pick(2), depth - 1, true), no = several(pick(2), depth - 1, true);
    return {"if (" + c.text + " & 1) {\n" + yes.text + "} else {\n" + no.text + "}\n",
            [=](Thread &s) { (c.value(s) & 1 ? yes : no).run(s); }};
  }

  // Some threads return while others go on to barriers. No thread reads a value of these afterwards.
  Statement leave() {
    if (!leave_) return assignment();
    const Word c = word(2);
    const unsigned rest = pick(8);
    return {"if ((" + c.text + " & 7) == " + std::to_string(rest) + ") goto end;\n", [=](Thread &s) {
              if ((c.value(s) & 7) == rest) s.leave();
            }};
  }

  Statement exchange() {
    const unsigned shift = pick(40), to = pick(4);
    const Word given = word(2), at = word(2);
    const std::string v = "v" + std::to_string(to);
    return {"s[(t + " + std::to_string(shift) + ") % N] = " + given.text + ";\n__syncthreads();\n" + v + " ^= s[" +
                at.text + " % N];\n__syncthreads();\n",
            [=](Thread &s) {
              s.b.shared[(s.t + shift) % s.b.size] = given.value(s);
              s.b.meet.arrive_and_wait();
              s.v[to] ^= s.b.shared[at.value(s) % s.b.size];
              s.b.meet.arrive_and_wait();
            }};
  }

  // Two parts of each warp that diverge, perhaps in a loop.
  Statement group(int depth) {
    const unsigned part = pick(std::size(kParts));
    const Statement yes = operations(part, false, depth), no = operations(part, true, depth);
    return {std::string("if (") + kParts[part].text + ") {\n" + yes.text + "} else {\n" + no.text + "}\n",
            [=](Thread &s) { (kParts[part].mask >> s.lane() & 1 ? yes : no).run(s); }};
  }

  Statement operations(unsigned part, bool others, int depth) {
    const Statement one = operation(part, others), before = assignment(), two = operation(part, others);
    if (depth == 0 || loops_ == 8 || pick(2))
      return {one.text + before.text, [=](Thread &s) { one.run(s), before.run(s); }};
    const Word bound = uniform();
    const std::string d = "d" + std::to_string(names_++);
    return {"for (unsigned " + d + " = 0; " + d + " < (" + bound.text + " & 3); " + d + "++) {\n" + one.text +
                before.text + two.text + "}\n",
            [=](Thread &s) {
              for (unsigned k = 0; k < (bound.value(s) & 3); k++) one.run(s), before.run(s), two.run(s);
            }};
  }

  Statement operation(unsigned part, bool others) {
    static const char *const names[] = {
        "__ballot_sync",     "__any_sync",        "__all_sync",       "__reduce_add_sync", "__reduce_min_sync",
        "__reduce_max_sync", "__reduce_and_sync", "__match_any_sync", "__match_any_sync",  "__shfl_sync"};
    constexpr unsigned kShuffle = 9;
    const unsigned which = pick(leave_ ? kShuffle : kShuffle + 1), to = pick(4),
                   mask = others ? ~kParts[part].mask : kParts[part].mask;
    const unsigned first = mask ? static_cast<unsigned>(__builtin_ctz(mask)) : 0;  // a member, if there is one
    const Word given = word(2);
    return {"v" + std::to_string(to) + " += " + names[which] + "(" + std::to_string(mask) + "u, (unsigned" +
                (which == 8 ? " long long)(" : ")(") + given.text + ")" +
                (which == kShuffle ? ", " + std::to_string(first) : "") + ");\n",
            [=](Thread &s) {
              Group &g = s.group(part, others);
              g.words[s.lane()] = given.value(s);
              g.meet.arrive_and_wait();
              const unsigned own = g.words[s.lane()];
              unsigned bits = 0, sum = 0, all = 1, least = own, most = own, common = own, equal = 0;
              for (unsigned lane = 0, t = s.t - s.lane(); lane < kWarp && t < s.b.size; lane++, t++) {
                if (!(mask >> lane & 1) || s.b.gone[t]) continue;
                bits |= unsigned(g.words[lane] != 0) << lane;
                sum += g.words[lane];
                all &= g.words[lane] != 0;
                least = std::min(least, g.words[lane]);
                most = std::max(most, g.words[lane]);
                common &= g.words[lane];
                equal |= unsigned(g.words[lane] == own) << lane;
              }
              const unsigned results[] = {bits, bits != 0, all, sum, least, most, common, equal, equal, g.words[first]};
              s.v[to] += results[which];
              g.meet.arrive_and_wait();
            }};
  }

  std::mt19937 random_;
  const bool leave_;  // some threads may return early
  unsigned loops_ = 0, names_ = 0;
};

std::string text_of(const Statement &program) {
  return R"(extern "C" __global__ void k(const unsigned *in, unsigned *out, unsigned n) {
  __shared__ unsigned s[1024];
)" + std::string(kNumber) +
         R"(  unsigned lane = t % 32, v0 = t, v1 = in[t & 63], v2 = n * t, v3 = 7;
  s[t] = t * 5;
  __syncthreads();
)" + program.text +
         R"(  end:
  out[(blockIdx.x * N + t) * 4] = v0;
  out[(blockIdx.x * N + t) * 4 + 1] = v1;
  out[(blockIdx.x * N + t) * 4 + 2] = v2;
  out[(blockIdx.x * N + t) * 4 + 3] = v3;
})";
}

// Runs one thread of the operating system for each thread of a block.
std::vector<unsigned> by_threads(const Statement &program, const std::vector<unsigned> &in, Shape shape,
                                 unsigned blocks, unsigned n) {
  const unsigned size = shape.volume();
  std::vector<unsigned> out(size_t{blocks} * size * 4);
  for (unsigned number = 0; number < blocks; number++) {
    Block block(shape, number, n, in);
    for (unsigned t = 0; t < size; t++) block.shared[t] = t * 5;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < size; t++) {
      threads.emplace_back([&, t] {
        Thread self{block, t, t % shape.x, t / shape.x % shape.y, {t, in[t & 63], n * t, 7}};
        program.run(self);
        std::copy_n(self.v, 4, &out[(size_t{number} * size + t) * 4]);
        if (!self.left) self.leave();
      });
    }
    for (std::thread &thread : threads) thread.join();
  }
  return out;
}

// What GPUOPT_CPU_CHECK=1 reports; empty if it finds nothing.
std::string checked(const std::string &text, Shape shape, unsigned blocks, const unsigned *in, unsigned *out,
                    unsigned n) {
  TestHost::set("GPUOPT_CPU_CHECK", "1");
  const auto object = gpuopt::cpu::open_kernel(gpuopt::cpu::compile_kernel("k", text, GPUOPT_KERNEL_RAW, 3), true);
  TestHost::set("GPUOPT_CPU_CHECK", "0");
  const void *const arguments[] = {&in, &out, &n};
  gpuopt_kernel_launch launch{};
  const uint32_t sizes[2][3] = {{blocks, 1, 1}, {shape.x, shape.y, shape.z}};
  std::memcpy(launch.grid, sizes[0], sizeof launch.grid);
  std::memcpy(launch.block, sizes[1], sizeof launch.block);
  try {
    gpuopt::cpu::BlockCheck check(launch);
    gpuopt::cpu::BlockRun run(object.raw, launch, arguments, &check);
    for (uint64_t k = 0; k < blocks; k++) run.run(k);
  } catch (const gpuopt::plugin::Failure &finding) {
    return finding.message;
  }
  return "";
}

struct Counts {
  unsigned loops = 0, coroutines = 0;
};

void compare(unsigned seed, Shape shape, unsigned blocks, Counts *counts) {
  const Statement program = Generator(seed).program();
  const std::string text = text_of(program);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  const std::vector<unsigned> in = noise<unsigned>(64), want = by_threads(program, in, shape, blocks, seed);
  for (const bool fission : {true, false}) {
    const Kernel kernel(text, fission);
    std::vector<unsigned> have(want.size());
    kernel.run({blocks}, shape, in.data(), have.data(), seed);
    ASSERT_EQ(have, want) << fission;
    (kernel.loops() ? counts->loops : counts->coroutines)++;
  }
  std::vector<unsigned> have(want.size());
  ASSERT_EQ(checked(text, shape, blocks, in.data(), have.data(), seed), "");
  ASSERT_EQ(have, want) << "checked";
}

TEST(DivergentPrograms, BitsOfThreadsOfTheOperatingSystem) {
  const Shape shapes[] = {{33, 1, 1}, {5, 4, 3}, {40, 2, 1}, {2, 3, 11}, {1, 1, 1}, {96, 1, 1}};
  Counts counts;
  for (unsigned seed = 0; seed < 24 / GPUOPT_TEST_SHARE; seed++) {
    compare(seed, shapes[seed % std::size(shapes)], 2, &counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.loops, 0u);
  EXPECT_GT(counts.coroutines, 24u / GPUOPT_TEST_SHARE) << "not only where they are asked for";
}

TEST(DivergentPrograms, InBlocksOf1024Threads) {
  const Shape shapes[] = {{1024, 1, 1}, {16, 8, 8}};
  Counts counts;
  for (unsigned k = 0; k < std::size(shapes); k++) {
    compare(1000 + k, shapes[k], 1, &counts);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
