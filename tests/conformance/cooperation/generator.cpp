// tests/conformance/cooperation/generator.cpp -- see generator.h: expressions, branches, loops, and the whole kernel.
#include "tests/conformance/cooperation/generator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace gpuopt::test::cooperation {
namespace {

std::string number(uint32_t value) { return std::to_string(value) + "u"; }

Part sequence(std::vector<Part> parts) {
  Part out;
  for (const Part &part : parts) out.text += part.text;
  out.run = [parts = std::move(parts)](Machine &machine, const Threads &threads) {
    for (const Part &part : parts) part.run(machine, threads);
  };
  return out;
}

// The threads for which a word is not 0, or is.
Threads those(const Machine &machine, const Threads &threads, const Word &word, bool holds) {
  Threads out;
  for (const uint32_t thread : threads)
    if ((word.value(machine, thread) != 0) == holds) out.push_back(thread);
  return out;
}

}  // namespace

Word Generator::leaf(Random &random, const Context &at) {
  const unsigned k = random.below(kWords), constant = static_cast<uint32_t>(random.word());
  switch (random.below(at.loops ? 7 : 6)) {
    case 0:
    case 1:
      return {of(k), [k](const Machine &m, uint32_t t) { return m.threads[t].u[k]; }};
    case 2:
      return {number(constant), [constant](const Machine &, uint32_t) { return constant; }};
    case 3:
      return {"rank", [](const Machine &m, uint32_t t) { return m.rank(t); }};
    case 4:
      return {"gid", [](const Machine &, uint32_t t) { return t; }};
    case 5:
      return {"unsigned(w >> 32)", [](const Machine &m, uint32_t t) { return uint32_t(m.threads[t].w >> 32); }};
    default: {
      const unsigned loop = random.below(at.loops);
      return {"i" + std::to_string(loop), [loop](const Machine &m, uint32_t t) { return m.threads[t].counters[loop]; }};
    }
  }
}

Word Generator::word(Random &random, const Context &at, unsigned depth) {
  if (depth == 0 || random.one_in(4)) return leaf(random, at);
  const Word a = word(random, at, depth - 1), b = word(random, at, depth - 1);
  const auto two = [&](const char *op, auto function) {
    return Word{"(" + a.text + " " + op + " " + b.text + ")",
                [=](const Machine &m, uint32_t t) { return function(a.value(m, t), b.value(m, t)); }};
  };
  switch (random.below(11)) {
    case 0:
    case 1:
      return two("+", [](uint32_t x, uint32_t y) { return x + y; });
    case 2:
      return two("-", [](uint32_t x, uint32_t y) { return x - y; });
    case 3:
      return two("*", [](uint32_t x, uint32_t y) { return x * y; });
    case 4:
      return two("^", [](uint32_t x, uint32_t y) { return x ^ y; });
    case 5:
      return two("|", [](uint32_t x, uint32_t y) { return x | y; });
    case 6:
      return two(">> 3 ^", [](uint32_t x, uint32_t y) { return x >> 3 ^ y; });
    case 7:
      return {"__popc(" + a.text + ")",
              [=](const Machine &m, uint32_t t) { return uint32_t(std::popcount(a.value(m, t))); }};
    case 8:
      return {"in[" + a.text + " & 1023u]", [=](const Machine &m, uint32_t t) { return m.in[a.value(m, t) & 1023]; }};
    case 9:
      return {"(" + a.text + " & 1u ? " + b.text + " : " + a.text + " / 7u)", [=](const Machine &m, uint32_t t) {
                const uint32_t x = a.value(m, t);
                return x & 1 ? b.value(m, t) : x / 7;
              }};
    default:
      return two("% 1000u +", [](uint32_t x, uint32_t y) { return x % 1000 + y; });
  }
}

// A word that is the same for all threads of each group of this width.
Word Generator::uniform(Random &random, unsigned width) {
  const unsigned a = random.below(kInputs), b = random.below(kInputs) | 1;
  std::string group = "0u";
  if (width == Machine::kBlock) group = "block";
  if (width < Machine::kBlock) group = "(block * 1024u + rank / " + number(width) + ")";
  return {"in[(" + number(a) + " + " + number(b) + " * " + group + ") & 1023u]",
          [=](const Machine &m, uint32_t t) { return m.in[(a + b * m.group(t, width)) & 1023]; }};
}

std::vector<unsigned> Generator::tiles(unsigned most) const {
  std::vector<unsigned> out;
  for (unsigned count = 1; count <= std::min(most, 1024u); count *= 2)
    if (block_size_ % count == 0) out.push_back(count);
  return out;
}

Part Generator::statements(Random &random, const Context &at, unsigned count) {
  std::vector<Part> parts;
  for (unsigned k = 0; k < count; k++) parts.push_back(statement(random.word(), at));
  return sequence(std::move(parts));
}

Part Generator::statement(uint64_t seed, const Context &at) {
  if (dropped_.count(seed)) return {"", [](Machine &, const Threads &) {}};
  out_.statements.push_back(seed);
  Random random(seed);
  if (coalesced_ && random.one_in(3)) return lanes_here(random, at);
  if (at.depth < 3 && random.one_in(4)) return random.one_in(2) ? branch(random, at) : loop(random, at);
  if (at.width == Machine::kGrid && at.all_left && random.one_in(6)) return grid_exchange(random, at);
  if (at.width >= Machine::kBlock && random.one_in(3)) {
    const unsigned which = random.below(3);
    return which == 0 ? block_vote(random, at) : which == 1 ? block_exchange(random, at) : block_atomics(random, at);
  }
  if (at.all_left && at.width > 1 && random.one_in(2)) {
    const std::vector<unsigned> sizes = tiles(at.width);
    const unsigned count = sizes[random.below(unsigned(sizes.size()))];
    switch (random.below(6)) {
      case 0:
        return tile_exchange(random, at, count);
      case 1:
        return tile_atomics(random, at, count);
      case 2:
        return count <= 32 ? partition(random, at, count) : tile_call(random, at, count);
      case 3:
        return count <= 32 ? small_tile_call(random, at, count) : tile_call(random, at, count);
      case 4:
        return segment_shuffle(random, at);
      default:
        return tile_call(random, at, count);
    }
  }
  switch (random.below(9)) {
    case 0:
    case 1:
      return warp_vote(random, at);
    case 2:
    case 3:
      return warp_shuffle(random, at);
    case 4:
      return warp_exchange(random, at);
    case 5:
      return global_atomic(random, at);
    case 6:
      return random.one_in(3) ? lock(random, at) : tickets(random, at);
    default:
      return assign(random, at);
  }
}

Part Generator::assign(Random &random, const Context &at) {
  const Word value = word(random, at, 3);
  const unsigned k = random.below(kWords), which = random.below(6);
  if (which == 0)
    return {"w = w * 6364136223846793005ull + " + value.text + ";\n", [=](Machine &m, const Threads &threads) {
              for (const uint32_t t : threads)
                m.threads[t].w = m.threads[t].w * 6364136223846793005ull + value.value(m, t);
            }};
  if (which == 1)
    return {"f = f * 0.375f + float(" + value.text + " & 65535u);\n", [=](Machine &m, const Threads &threads) {
              for (const uint32_t t : threads) {
                const volatile float product = m.threads[t].f * 0.375f;
                m.threads[t].f = product + float(value.value(m, t) & 65535);
              }
            }};
  return given(k, of(k) + " = " + value.text + ";\n", 1,
               [=](const Machine &m, const Threads &group, size_t i) { return value.value(m, group[i]); });
}

// Which threads go where is the same in groups of a width that is drawn; below that of a warp, the lanes that go there
// are kept in a mask of their own.
Part Generator::branch(Random &random, const Context &at) {
  std::vector<unsigned> widths = {1, 1};
  if (at.all_left)
    for (const unsigned count : tiles(at.width)) widths.push_back(count);
  if (at.width >= Machine::kBlock) widths.insert(widths.end(), 3, Machine::kBlock);
  if (at.width == Machine::kGrid) widths.insert(widths.end(), 2, Machine::kGrid);
  Context inner = at;
  inner.depth++;
  inner.width = widths[random.below(unsigned(widths.size()))];
  Word decides = inner.width == 1 ? word(random, at) : uniform(random, inner.width);
  const unsigned modulus = 2 + random.below(2);
  const Word holds = {decides.text + " % " + number(modulus) + " != 0u",
                      [=](const Machine &m, uint32_t t) { return uint32_t(decides.value(m, t) % modulus != 0); }};
  const bool masks = inner.width < 32;
  const std::string condition = name("b"), mask = name("m");
  Context other = inner;
  if (masks) inner.mask = mask, other.mask = mask + "_";
  const Part first = statements(random, inner, 1 + random.below(3));
  const bool has_other = random.one_in(2);
  const Part second = statements(random, other, has_other ? 1 + random.below(2) : 0);
  std::string text = "{ const bool " + condition + " = " + holds.text + ";\n";
  if (masks)
    text += "const unsigned " + mask + " = __ballot_sync(" + at.mask + ", " + condition + "), " + mask +
            "_ = " + at.mask + " & ~" + mask + ";\n(void)" + mask + "_;\n";
  text += "if (" + condition + ") {\n" + first.text + "}";
  if (has_other) text += " else {\n" + second.text + "}";
  return {text + " }\n", [=](Machine &m, const Threads &threads) {
            const Threads yes = those(m, threads, holds, true), no = those(m, threads, holds, false);
            first.run(m, yes);
            if (has_other) second.run(m, no);
          }};
}

Part Generator::loop(Random &random, const Context &at) {
  std::vector<unsigned> widths = {1, at.width};
  if (at.all_left)
    for (const unsigned count : tiles(at.width)) widths.push_back(count);
  Context inner = at;
  inner.depth++, inner.loops++;
  inner.width = widths[random.below(unsigned(widths.size()))];
  if (!at.all_left && inner.width != at.width) inner.width = 1;
  const bool masks = inner.width < 32;
  const Word from = inner.width == 1 ? word(random, at) : uniform(random, inner.width);
  const unsigned most = 2 + random.below(3);
  const std::string counter = "i" + std::to_string(at.loops), count = name("n"), mask = name("m"), goes = name("g");
  if (masks) inner.mask = mask;
  const Part body = statements(random, inner, 1 + random.below(3));
  std::string text = "{ const unsigned " + count + " = " + from.text + " % " + number(most) + ";\n";
  if (masks) {
    text += "unsigned " + mask + " = " + at.mask + ";\nfor (unsigned " + counter + " = 0;; " + counter + "++) {\n" +
            "const bool " + goes + " = " + counter + " < " + count + ";\n" + mask + " = __ballot_sync(" + mask + ", " +
            goes + ");\nif (!" + goes + ") break;\n";
  } else {
    text += "for (unsigned " + counter + " = 0; " + counter + " < " + count + "; " + counter + "++) {\n";
  }
  return {text + body.text + "} }\n", [=, loop = at.loops](Machine &m, const Threads &threads) {
            std::map<uint32_t, uint32_t> counts;
            for (const uint32_t t : threads) {
              counts[t] = from.value(m, t) % most;
              m.threads[t].counters.resize(loop + 1);
            }
            for (uint32_t i = 0; i < most; i++) {
              Threads going;
              for (const uint32_t t : threads)
                if (i < counts[t]) going.push_back(t), m.threads[t].counters[loop] = i;
              if (!going.empty()) body.run(m, going);
            }
          }};
}

// Threads of some ranks return, the others go on.
Part Generator::leave(Random &random, Context &at) {
  const unsigned cut = 1 + random.below(block_size_ - 1);
  const bool first_stay = random.one_in(2);
  at.first = first_stay ? 0 : cut;
  at.end = first_stay ? cut : block_size_;
  at.all_left = false;
  at.width = Machine::kBlock;
  return {"{ const bool stays = rank >= " + number(at.first) + " && rank < " + number(at.end) +
              ";\nwhole = __ballot_sync(whole, stays);\nif (!stays) {\nSTORE\nreturn;\n} }\n",
          [](Machine &, const Threads &) {}};
}

Kernel Generator::kernel() {
  const unsigned sizes[] = {32, 32, 64, 64, 64, 96, 128, 128, 40, 100, 24, 192, 256, 512, 1024};
  block_size_ = sizes[random_.below(15)];
  blocks_ = 1 + random_.below(block_size_ > 256 ? 2 : 4);
  const unsigned y = block_size_ % 4 == 0 && random_.one_in(3) ? 4 : 1;
  Machine &m = out_.begin;
  m.blocks = blocks_, m.block_size = block_size_;
  m.threads.resize(size_t(blocks_) * block_size_);
  for (unsigned k = 0; k < kInputs; k++)
    m.in.push_back(static_cast<uint32_t>(random_.word()) >> (random_.one_in(2) ? 0 : 20));
  m.cells = {1, ~0u, 0, ~0u, 0, 5, 0, 7, 3, 0, 0, 0};

  Context at;
  at.end = block_size_;
  const Part first = statements(random_, at, 2 + random_.below(6));
  Part second{"", {}}, third{"", {}};
  if (random_.one_in(4)) {
    second = leave(random_, at);
    third = statements(random_, at, 2 + random_.below(4));
  }
  std::string tiles_text;
  for (const unsigned count : tiles(1024))
    tiles_text += "const auto tile" + std::to_string(count) + " = cg::tiled_partition<" + std::to_string(count) +
                  ">(team);\n(void)tile" + std::to_string(count) + ";\n";
  const std::string store =
      "{ unsigned *const own = out + 8 * gid; own[0] = u0; own[1] = u1; own[2] = u2; own[3] = u3; own[4] = u4;\n"
      "own[5] = unsigned(w); own[6] = unsigned(w >> 32); own[7] = __float_as_uint(f); }";
  std::string body = first.text + second.text + third.text;
  if (const size_t place = body.find("STORE"); place != std::string::npos) body.replace(place, 5, store);
  const std::string size = std::to_string(block_size_);
  out_.text =
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include "
      "<cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void cooperate(const unsigned *in, unsigned *buffer, unsigned *cells, unsigned *out) {\n"
      "__shared__ unsigned row[" +
      size + "], own_cell[" + size +
      "], block_cell;\n"
      "__shared__ cg::block_tile_memory<1024> memory;\nconst auto team = cg::this_thread_block(memory);\n" +
      tiles_text + "const unsigned rank = threadIdx.x + threadIdx.y * blockDim.x, block = blockIdx.x, gid = block * " +
      size + " + rank, lane = rank % 32u, base = rank / 32u * 32u;\n(void)lane, (void)base;\nunsigned whole = " + size +
      "u - base >= 32u ? ~0u : (1u << (" + size +
      "u - base)) - 1u;\n"
      "unsigned u0 = gid * 2654435761u, u1 = rank, u2 = block, u3 = in[gid & 1023u], u4 = 0;\n"
      "unsigned long long w = gid; float f = float(rank);\n" +
      body + store + "\n}\n";
  for (uint32_t t = 0; t < m.threads.size(); t++) {
    Thread &own = m.threads[t];
    own.u[0] = t * 2654435761u, own.u[1] = m.rank(t), own.u[2] = m.block(t), own.u[3] = m.in[t & 1023], own.u[4] = 0;
    own.w = t, own.f = float(m.rank(t));
  }
  out_.y = y;
  out_.body.run = [first, third, at](Machine &machine, const Threads &threads) {
    first.run(machine, threads);
    if (!third.run) return;
    Threads staying;
    for (const uint32_t t : threads)
      if (machine.rank(t) >= at.first && machine.rank(t) < at.end) staying.push_back(t);
    third.run(machine, staying);
  };
  return std::move(out_);
}

}  // namespace gpuopt::test::cooperation
