// tests/unit/cpu_fission_programs_test.cpp -- random programs whose threads wait for each other, lowered to loops,
// lowered to coroutines, and interpreted. The results have the same bits.
//
// Each expression and statement has two forms: its text, and a function of the interpreter, which runs one statement at
// a time for one thread, or for all threads of the block that reach it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::kNumber;
using gpuopt::test::noise;
using gpuopt::test::Shape;

struct State {
  unsigned v[4] = {}, local[4] = {};
  float f[2] = {};
  unsigned x = 0, y = 0, z = 0, t = 0, i[4] = {};
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
    if (pick(3) == 0) {  // some threads return early, behind the last barrier
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

  // An expression that is uniform.
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
      if (strides_ && pick(3) == 0) {
        const unsigned i = pick(strides_);
        return {"unsigned(i" + std::to_string(i) + ")", [i](Block &, State &s) { return s.i[i]; }};
      }
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

  // together: all threads of the block run it. waits: it may contain barriers.
  Statement statement(int depth, bool together, bool waits) {
    if (depth == 0) return assignment();
    switch (pick(waits ? 11 : 6)) {
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
        return strided_loop(depth);
      case 6:
        return count();
      case 7:
        return common_loop(depth, waits);
      case 8:
        return warp();
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
      const std::string f = "f" + std::to_string(k & 1);  // kept small, as the bits of a NaN are not specified
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
          std::vector<unsigned> counts;
          for (State *s : active) counts.push_back(bound.value(b, *s) & 3);
          for (size_t k = 0; k < active.size(); k++)
            for (unsigned each = 0; each < counts[k]; each++) body.run(b, {active[k]});
        }};
  }

  // A grid-stride loop: each thread starts at its own index, and all have one stride.
  Statement strided_loop(int depth) {
    if (strides_ == 4) return assignment();
    const Word begin = uniform(1), step = uniform(1), bound = uniform(2);
    const unsigned k = strides_++;
    const Statement body = several(1 + pick(3), pick(3) ? 0 : depth - 1, false, false);
    strides_--;
    const std::string i = "i" + std::to_string(k), type = pick(2) ? "int" : "unsigned";
    return {"for (" + type + " " + i + " = t + (" + begin.text + " & 63); " + i + " < " + type + "(" + bound.text +
                " & 511); " + i + " += " + type + "((" + step.text + " & 63) + 16)) {\n" + body.text + "}\n",
            [=](Block &b, const Active &active) {
              for (State *s : active) {
                const unsigned end = bound.value(b, *s) & 511, by = (step.value(b, *s) & 63) + 16;
                for (unsigned at = s->t + (begin.value(b, *s) & 63); at < end; at += by) {
                  s->i[k] = at;
                  body.run(b, {s});
                }
              }
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

  // A shuffle or a reduction of one word of each lane.
  Statement warp() {
    static const char *const names[] = {"__shfl_sync",   "__shfl_up_sync",    "__shfl_down_sync", "__shfl_xor_sync",
                                        "__ballot_sync", "__reduce_add_sync", "__all_sync"};
    const unsigned which = pick(7), to = pick(4), width = which < 4 ? 4u << pick(4) : 32;
    const Word given = word(2), by = word(1);
    const std::string v = "v" + std::to_string(to),
                      rest = which < 4 ? ", int(" + by.text + " & 31), " + std::to_string(width) : "";
    return {v + " += " + names[which] + "(0xffffffffu, unsigned(" + given.text + ")" + rest + ");\n",
            [=](Block &b, const Active &active) {
              std::vector<unsigned> words;
              for (State *s : active) words.push_back(given.value(b, *s));
              for (State *s : active) {
                const unsigned other = by.value(b, *s) & 31;
                s->v[to] += which < 4 ? shuffled(words, s->t, which, other, width) : together(words, s->t, which);
              }
            }};
  }

  static unsigned shuffled(const std::vector<unsigned> &words, unsigned t, unsigned which, unsigned by,
                           unsigned width) {
    const unsigned lane = t % width;  // within its group of lanes
    const unsigned from[] = {by % width, lane - by, lane + by, lane ^ by};
    const bool there = from[which] < width && t - lane + from[which] < words.size();
    return words[there ? t - lane + from[which] : t];
  }

  static unsigned together(const std::vector<unsigned> &words, unsigned t, unsigned which) {
    unsigned bits = 0, sum = 0, all = 1;
    for (size_t k = t / 32 * 32; k < std::min<size_t>(words.size(), t / 32 * 32 + 32); k++) {
      bits |= unsigned(words[k] != 0) << k % 32;
      sum += words[k];
      all &= words[k] != 0;
    }
    return which == 4 ? bits : which == 5 ? sum : all;
  }

  // Each thread writes one word of shared memory, some under a condition; then each reads a word at any place.
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
  unsigned loops_ = 0, strides_ = 0, names_ = 0;
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

TEST(FissionPrograms, BitsOfLoopsCoroutinesAndAnInterpreter) {
  const Shape shapes[] = {{33, 1, 1}, {5, 4, 3}, {64, 2, 1}, {1, 1, 1}, {16, 8, 1}};
  const std::vector<unsigned> in = noise<unsigned>(64);
  for (unsigned seed = 0; seed < 40; seed++) {
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
