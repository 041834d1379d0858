// tests/conformance/cooperation/collectives.cpp -- see generator.h: statements in which threads work together.
#include <algorithm>
#include <bit>
#include <utility>

#include "tests/conformance/cooperation/combine.h"
#include "tests/conformance/cooperation/generator.h"

namespace gpuopt::test::cooperation {
namespace {

std::string number(uint32_t value) { return std::to_string(value) + "u"; }
std::string tile_of(unsigned count) { return "tile" + std::to_string(count); }

std::vector<uint32_t> values_of(const Machine &m, const Threads &group, const Word &word) {
  std::vector<uint32_t> out;
  for (const uint32_t t : group) out.push_back(word.value(m, t));
  return out;
}

// The bits of those for which a word holds, at the places that place(i) gives.
template <class Holds, class PlaceOf>
uint32_t bits_of(size_t count, Holds holds, PlaceOf place) {
  uint32_t out = 0;
  for (size_t i = 0; i < count; i++)
    if (holds(i)) out |= 1u << place(i);
  return out;
}

// The thread of a group that has a lane, or the own one.
uint32_t with_lane(const Machine &m, const Threads &group, uint32_t lane, uint32_t own) {
  for (const uint32_t t : group)
    if (m.lane(t) == lane) return t;
  return own;
}

// "unsigned s = ...": the lane that a word says, or the own one where that is not among the mask's.
std::string source(const std::string &name, const Word &from, const std::string &mask) {
  return "unsigned " + name + " = " + from.text + " & 31u;\nif (!(" + mask + " >> " + name + " & 1u)) " + name +
         " = lane;\n";
}

}  // namespace

// Sets a variable of each thread to what compute(machine, group, i) says of the i-th thread of its group.
Part Generator::given(unsigned k, const std::string &text, unsigned width, Compute compute) const {
  return {text, [=](Machine &m, const Threads &threads) {
            std::vector<std::pair<uint32_t, uint32_t>> found;
            for (const auto &[number, group] : by_group(m, threads, width))
              for (size_t i = 0; i < group.size(); i++) found.emplace_back(group[i], compute(m, group, i));
            for (const auto &[thread, value] : found) m.threads[thread].u[k] = value;
          }};
}

// The lanes of the warp that come here, whatever the mask says.
Part Generator::lanes_here(Random &random, const Context &at) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords);
  if (random.one_in(3))
    return given(k,
                 "{ const unsigned here = __activemask();\n" + of(k) + " = __reduce_xor_sync(here, " + value.text +
                     ") + __popc(here); }\n",
                 32, [=](const Machine &m, const Threads &group, size_t) {
                   uint32_t all = 0;
                   for (const uint32_t t : group) all ^= value.value(m, t);
                   return all + static_cast<uint32_t>(group.size());
                 });
  return given(k,
               "{ const auto here = cg::coalesced_threads();\n" + of(k) + " = here.shfl(" + value.text + ", (" +
                   from.text + ") % here.size()) + 3u * here.thread_rank() + here.size();\nhere.sync(); }\n",
               32, [=](const Machine &m, const Threads &group, size_t i) {
                 const auto size = static_cast<uint32_t>(group.size());
                 return value.value(m, group[from.value(m, group[i]) % size]) + 3 * static_cast<uint32_t>(i) + size;
               });
}

Part Generator::warp_vote(Random &random, const Context &at) {
  const unsigned k = random.below(kWords), which = random.below(6);
  const Word word = this->word(random, at);
  const auto lane = [](const Machine &m, const Threads &group) { return [&](size_t i) { return m.lane(group[i]); }; };
  const std::string low = word.text + " & 3u", to = of(k) + " = ";
  const auto two_bits = [word](const Machine &m, uint32_t t) { return word.value(m, t) & 3; };
  switch (which) {
    case 0:
      return given(k, to + "__ballot_sync(" + at.mask + ", " + low + ");\n", 32,
                   [=](const Machine &m, const Threads &group, size_t) {
                     return bits_of(
                         group.size(), [&](size_t i) { return two_bits(m, group[i]) != 0; }, lane(m, group));
                   });
    case 1:
      return given(
          k, to + "unsigned(__any_sync(" + at.mask + ", (" + low + ") == 0u) != 0);\n", 32,
          [=](const Machine &m, const Threads &group, size_t) {
            return uint32_t(std::any_of(group.begin(), group.end(), [&](uint32_t t) { return two_bits(m, t) == 0; }));
          });
    case 2:
      return given(
          k, to + "unsigned(__all_sync(" + at.mask + ", (" + low + ") != 1u) != 0);\n", 32,
          [=](const Machine &m, const Threads &group, size_t) {
            return uint32_t(std::all_of(group.begin(), group.end(), [&](uint32_t t) { return two_bits(m, t) != 1; }));
          });
    case 3:
      return given(k, to + "__match_any_sync(" + at.mask + ", " + low + ");\n", 32,
                   [=](const Machine &m, const Threads &group, size_t own) {
                     return bits_of(
                         group.size(), [&](size_t i) { return two_bits(m, group[i]) == two_bits(m, group[own]); },
                         lane(m, group));
                   });
    case 4: {
      const std::string same = name("s");
      return given(k,
                   "{ int " + same + ";\n" + to + "__match_all_sync(" + at.mask + ", " + low + ", &" + same + ");\n" +
                       of(k) + " += unsigned(" + same + " != 0); }\n",
                   32, [=](const Machine &m, const Threads &group, size_t) {
                     for (const uint32_t t : group)
                       if (two_bits(m, t) != two_bits(m, group[0])) return 0u;
                     return 1u + bits_of(
                                     group.size(), [](size_t) { return true; }, lane(m, group));
                   });
    }
    default: {
      const Combine &combine = kCombines[random.below(kCombineCount)];
      return given(
          k, to + combine.reduce + "(" + at.mask + ", " + word.text + ");\n", 32,
          [=](const Machine &m, const Threads &group, size_t) { return combined(combine, values_of(m, group, word)); });
    }
  }
}

Part Generator::warp_shuffle(Random &random, const Context &at) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords);
  const std::string s = name("s");
  const std::string begin = "{ " + source(s, from, at.mask);
  const auto from_of = [from](const Machine &m, const Threads &group, size_t i) {
    return with_lane(m, group, from.value(m, group[i]) & 31, group[i]);
  };
  if (random.one_in(3)) {
    const bool wide = random.one_in(2);
    const std::string variable = wide ? "w" : "f";
    return {begin + variable + " = __shfl_sync(" + at.mask + ", " + variable + ", int(" + s + ")); }\n",
            [=](Machine &m, const Threads &threads) {
              std::map<uint32_t, std::pair<uint64_t, float>> found;
              for (const auto &[number, group] : by_group(m, threads, 32))
                for (size_t i = 0; i < group.size(); i++) {
                  const Thread &other = m.threads[from_of(m, group, i)];
                  found[group[i]] = {other.w, other.f};
                }
              for (const auto &[thread, both] : found) {
                if (wide) m.threads[thread].w = both.first;
                if (!wide) m.threads[thread].f = both.second;
              }
            }};
  }
  return given(k, begin + of(k) + " = __shfl_sync(" + at.mask + ", " + value.text + ", int(" + s + ")); }\n", 32,
               [=](const Machine &m, const Threads &group, size_t i) { return value.value(m, from_of(m, group, i)); });
}

// Up, down and across in segments, all of whose threads are there.
Part Generator::segment_shuffle(Random &random, const Context &at) {
  const std::vector<unsigned> sizes = tiles(std::min(at.width, 32u));
  const unsigned count = sizes[random.below(unsigned(sizes.size()))], which = random.below(3);
  const unsigned by = which == 2 ? random.below(count) : random.below(32), k = random.below(kWords);
  const Word value = word(random, at);
  const char *const words[] = {"__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};
  const std::string text = of(k) + " = " + words[which] + "(" + at.mask + ", " + value.text + ", " +
                           (which == 2 ? std::to_string(by) : number(by)) + ", " + std::to_string(count) + ");\n";
  return given(k, text, count, [=](const Machine &m, const Threads &group, size_t i) {
    size_t from = which == 0 ? i - by : which == 1 ? i + by : i ^ by;
    if (which == 0 && i < by) from = i;
    if (from >= group.size()) from = i;
    return value.value(m, group[from]);
  });
}

Part Generator::warp_exchange(Random &random, const Context &at) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords);
  const std::string s = name("s");
  const std::string text = "{ row[rank] = " + value.text + ";\n__syncwarp(" + at.mask + ");\n" +
                           source(s, from, at.mask) + of(k) + " = row[base + " + s + "];\n__syncwarp(" + at.mask +
                           "); }\n";
  return given(k, text, 32, [=](const Machine &m, const Threads &group, size_t i) {
    return value.value(m, with_lane(m, group, from.value(m, group[i]) & 31, group[i]));
  });
}

// ---- Tiles, all of whose threads are there ----

// What tiles of all sizes have.
Part Generator::tile_call(Random &random, const Context &at, unsigned count) {
  const Word value = word(random, at);
  const unsigned k = random.below(kWords);
  const std::string to = of(k) + " = ", tile = tile_of(count);
  const auto is_odd = [value](const Machine &m, uint32_t t) { return value.value(m, t) % 4 == 1; };
  switch (random.below(5)) {
    case 0: {
      const unsigned rank = random.below(count);
      return given(k, to + tile + ".shfl(" + value.text + ", " + std::to_string(rank) + ");\n", count,
                   [=](const Machine &m, const Threads &group, size_t) { return value.value(m, group[rank]); });
    }
    case 1:
      return given(k, to + "unsigned(" + tile + ".any(" + value.text + " % 4u == 1u) != 0);\n", count,
                   [=](const Machine &m, const Threads &group, size_t) {
                     return uint32_t(std::any_of(group.begin(), group.end(), [&](uint32_t t) { return is_odd(m, t); }));
                   });
    case 2:
      return given(
          k, to + "unsigned(" + tile + ".all(" + value.text + " % 4u != 1u) != 0);\n", count,
          [=](const Machine &m, const Threads &group, size_t) {
            return uint32_t(std::none_of(group.begin(), group.end(), [&](uint32_t t) { return is_odd(m, t); }));
          });
    case 3:
      return given(k,
                   to + tile + ".thread_rank() + 2048u * " + tile + ".meta_group_rank() + " + tile +
                       ".num_threads() * " + value.text + ";\n",
                   count, [=](const Machine &m, const Threads &group, size_t i) {
                     return uint32_t(i) + 2048 * (m.rank(group[i]) / count) + count * value.value(m, group[i]);
                   });
    default: {
      const Combine &combine = kCombines[random.below(kCombineCount)];
      return given(k, to + "cg::reduce(" + tile + ", " + value.text + ", cg::" + combine.group + "<unsigned>());\n",
                   count, [=](const Machine &m, const Threads &group, size_t) {
                     return combined(combine, values_of(m, group, value));
                   });
    }
  }
}

// What only tiles of at most a warp have.
Part Generator::small_tile_call(Random &random, const Context &at, unsigned count) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords);
  const std::string to = of(k) + " = ", tile = tile_of(count), low = value.text + " & 3u";
  const auto bits = [value](const Machine &m, uint32_t t) { return value.value(m, t) & 3; };
  const auto place = [](size_t i) { return i; };
  switch (random.below(6)) {
    case 0:
      return given(k, to + tile + ".shfl(" + value.text + ", int(" + from.text + " % " + number(count) + "));\n", count,
                   [=](const Machine &m, const Threads &group, size_t i) {
                     return value.value(m, group[from.value(m, group[i]) % count]);
                   });
    case 1:
      return given(k, to + tile + ".ballot(" + low + ");\n", count,
                   [=](const Machine &m, const Threads &group, size_t) {
                     return bits_of(
                         group.size(), [&](size_t i) { return bits(m, group[i]) != 0; }, place);
                   });
    case 2:
      return given(k, to + tile + ".match_any(" + low + ");\n", count,
                   [=](const Machine &m, const Threads &group, size_t own) {
                     return bits_of(
                         group.size(), [&](size_t i) { return bits(m, group[i]) == bits(m, group[own]); }, place);
                   });
    case 3: {
      const unsigned by = random.below(count);
      return given(k, to + tile + ".shfl_xor(" + value.text + ", " + number(by) + ");\n", count,
                   [=](const Machine &m, const Threads &group, size_t i) { return value.value(m, group[i ^ by]); });
    }
    default: {
      const bool inclusive = random.one_in(2);
      const Combine &combine = kCombines[inclusive ? random.below(kCombineCount) : 0];
      const std::string text = to + "cg::" + (inclusive ? "inclusive" : "exclusive") + "_scan(" + tile + ", " +
                               value.text + ", cg::" + combine.group + "<unsigned>());\n";
      return given(k, text, count, [=](const Machine &m, const Threads &group, size_t i) {
        std::vector<uint32_t> all = values_of(m, group, value);
        all.resize(i + (inclusive ? 1 : 0));
        return all.empty() ? 0 : combined(combine, all);
      });
    }
  }
}

// Groups of the threads of a tile that have the same label.
Part Generator::partition(Random &random, const Context &at, unsigned count) {
  const Word label = word(random, at), value = word(random, at);
  const unsigned k = random.below(kWords), modulus = random.one_in(2) ? 2 : 3;
  const Combine &combine = kCombines[random.below(kCombineCount)];
  const std::string part = name("part");
  const std::string made = modulus == 2 ? "cg::binary_partition(" + tile_of(count) + ", " + label.text + " % 2u != 0u)"
                                        : "cg::labeled_partition(" + tile_of(count) + ", int(" + label.text + " % 3u))";
  return given(k,
               "{ const auto " + part + " = " + made + ";\n" + of(k) + " = cg::reduce(" + part + ", " + value.text +
                   ", cg::" + combine.group + "<unsigned>()) * 64u + " + part + ".thread_rank() + 32u * " + part +
                   ".num_threads(); }\n",
               count, [=](const Machine &m, const Threads &group, size_t own) {
                 std::vector<uint32_t> same;
                 uint32_t before = 0;
                 for (size_t i = 0; i < group.size(); i++) {
                   if (label.value(m, group[i]) % modulus != label.value(m, group[own]) % modulus) continue;
                   same.push_back(value.value(m, group[i]));
                   before += i < own;
                 }
                 return combined(combine, same) * 64 + before + 32 * uint32_t(same.size());
               });
}

Part Generator::tile_exchange(Random &random, const Context &at, unsigned count) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords);
  const std::string sync = tile_of(count) + ".sync();\n";
  return given(k,
               "row[rank] = " + value.text + ";\n" + sync + of(k) + " = row[rank / " + number(count) + " * " +
                   number(count) + " + " + from.text + " % " + number(count) + "];\n" + sync,
               count, [=](const Machine &m, const Threads &group, size_t i) {
                 return value.value(m, group[from.value(m, group[i]) % count]);
               });
}

Part Generator::tile_atomics(Random &random, const Context &at, unsigned count) {
  const Word value = word(random, at), joins = word(random, at);
  const Combine &combine = kCombines[random.below(kCombineCount)];
  const unsigned k = random.below(kWords), begin = static_cast<uint32_t>(random.word());
  const std::string sync = tile_of(count) + ".sync();\n",
                    cell = "own_cell[rank / " + number(count) + " * " + number(count) + "]";
  return given(k,
               "if (rank % " + number(count) + " == 0u) " + cell + " = " + number(begin) + ";\n" + sync + "if (" +
                   joins.text + " % 3u != 0u) " + combine.atomic + "(&" + cell + ", " + value.text + ");\n" + sync +
                   of(k) + " = " + cell + ";\n" + sync,
               count, [=](const Machine &m, const Threads &group, size_t) {
                 uint32_t out = begin;
                 for (const uint32_t t : group)
                   if (joins.value(m, t) % 3 != 0) out = combine.of(out, value.value(m, t));
                 return out;
               });
}

// ---- Blocks and the grid ----

Part Generator::block_vote(Random &random, const Context &at) {
  const Word value = word(random, at);
  const unsigned k = random.below(kWords), which = random.below(3);
  const char *const words[] = {"__syncthreads_count", "__syncthreads_and", "__syncthreads_or"};
  const std::string call = std::string(words[which]) + "(" + value.text + " % 4u != 1u)";
  return given(k, of(k) + " = unsigned(" + (which == 0 ? call : call + " != 0") + ");\n", Machine::kBlock,
               [=](const Machine &m, const Threads &group, size_t) {
                 size_t count = 0;
                 for (const uint32_t t : group) count += value.value(m, t) % 4 != 1;
                 return uint32_t(which == 0 ? count : which == 1 ? count == group.size() : count != 0);
               });
}

Part Generator::block_exchange(Random &random, const Context &at) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords), count = at.end - at.first;
  const std::string sync = random.one_in(2) ? "__syncthreads();\n" : "team.sync();\n";
  return given(k,
               "row[rank] = " + value.text + ";\n" + sync + of(k) + " = row[" + number(at.first) + " + " + from.text +
                   " % " + number(count) + "];\n" + sync,
               Machine::kBlock, [=](const Machine &m, const Threads &group, size_t i) {
                 return value.value(m, group[from.value(m, group[i]) % count]);
               });
}

Part Generator::block_atomics(Random &random, const Context &at) {
  const Word value = word(random, at), joins = word(random, at);
  const Combine &combine = kCombines[random.below(kCombineCount)];
  const unsigned k = random.below(kWords), begin = static_cast<uint32_t>(random.word());
  return given(k,
               "if (rank == " + number(at.first) + ") block_cell = " + number(begin) + ";\n__syncthreads();\nif (" +
                   joins.text + " % 3u != 0u) " + combine.atomic + "(&block_cell, " + value.text +
                   ");\n__syncthreads();\n" + of(k) + " = block_cell;\n__syncthreads();\n",
               Machine::kBlock, [=](const Machine &m, const Threads &group, size_t) {
                 uint32_t out = begin;
                 for (const uint32_t t : group)
                   if (joins.value(m, t) % 3 != 0) out = combine.of(out, value.value(m, t));
                 return out;
               });
}

Part Generator::grid_exchange(Random &random, const Context &at) {
  const Word value = word(random, at), from = word(random, at);
  const unsigned k = random.below(kWords), count = blocks_ * block_size_;
  return given(k,
               "buffer[gid] = " + value.text + ";\ncg::this_grid().sync();\n" + of(k) + " = buffer[" + from.text +
                   " % " + number(count) + "];\ncg::this_grid().sync();\n",
               Machine::kGrid, [=](const Machine &m, const Threads &group, size_t i) {
                 return value.value(m, group[from.value(m, group[i]) % count]);
               });
}

// Words of the grid, each of which is changed in one way only, and read when all is over.
Part Generator::global_atomic(Random &random, const Context &at) {
  const Word value = word(random, at);
  const unsigned cell = random.below(8);
  const std::string address = "&cells[" + std::to_string(cell) + "]";
  if (cell == 6)
    return {"atomicInc(" + address + ", 1000003u);\n", [](Machine &m, const Threads &threads) {
              for (size_t i = 0; i < threads.size(); i++) m.cells[6] = m.cells[6] >= 1000003 ? 0 : m.cells[6] + 1;
            }};
  if (cell == 7) {
    const std::string old = name("old"), seen = name("seen");
    return {"{ unsigned " + old + " = cells[7], " + seen + ";\ndo {\n" + seen + " = " + old + ";\n" + old +
                " = atomicCAS(" + address + ", " + seen + ", (" + seen + " + " + value.text +
                " % 1000u) % 65521u);\n} while (" + seen + " != " + old + "); }\n",
            [=](Machine &m, const Threads &threads) {
              for (const uint32_t t : threads) m.cells[7] = (m.cells[7] + value.value(m, t) % 1000) % 65521;
            }};
  }
  const Combine &combine = kCombines[cell];
  return {std::string(combine.atomic) + "(" + address + ", " + value.text + ");\n",
          [=](Machine &m, const Threads &threads) {
            for (const uint32_t t : threads) m.cells[cell] = combine.of(m.cells[cell], value.value(m, t));
          }};
}

// A word behind a lock, for which the threads of a warp contend, too.
Part Generator::lock(Random &random, const Context &at) {
  const Word value = word(random, at);
  const std::string done = name("done"), seen = name("seen");
  return {"for (bool " + done + " = false; !" + done + ";) {\nif (atomicCAS(&cells[9], 0u, 1u) == 0u) {\n" +
              "__threadfence();\nconst unsigned " + seen + " = *(volatile unsigned *)&cells[8];\n" +
              "*(volatile unsigned *)&cells[8] = (" + seen + " + " + value.text +
              " % 5000u) % 65537u;\n__threadfence();\natomicExch(&cells[9], 0u);\n" + done + " = true;\n}\n}\n",
          [=](Machine &m, const Threads &threads) {
            for (const uint32_t t : threads) m.cells[8] = (m.cells[8] + value.value(m, t) % 5000) % 65537;
          }};
}

// Who gets which number is open; that each number is given once is not.
Part Generator::tickets(Random &, const Context &) {
  return {"atomicXor(&cells[11], (atomicAdd(&cells[10], 1u) + 1u) * 0x9E3779B1u);\n",
          [](Machine &m, const Threads &threads) {
            for (size_t i = 0; i < threads.size(); i++) m.cells[11] ^= (m.cells[10]++ + 1) * 0x9E3779B1u;
          }};
}

}  // namespace gpuopt::test::cooperation
