// tests/unit/cpu_object_code_posix_test.cpp -- machine code from object files: what the system's compiler made runs,
// what is damaged is refused. The file object_code_sample.c, compiled, lies where GPUOPT_OBJECT_SAMPLE says.
// POSIX only: the compiler for Windows makes objects of another format
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

#include "plugins/cpu/code/elf_object.h"
#include "plugins/cpu/code/object_code.h"

namespace {

using gpuopt::cpu::ObjectCode;

std::string sample() {
  std::ifstream file(GPUOPT_OBJECT_SAMPLE, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int twice(int x) { return 2 * x; }

void *resolve(const std::string &name) {
  if (name == "outside") return reinterpret_cast<void *>(&twice);
  return nullptr;
}

template <class Function>
Function *function_of(const ObjectCode &code, const char *name) {
  return reinterpret_cast<Function *>(code.find(name));
}

TEST(ObjectCode, CodeConstantsDataAndCalls) {
  ASSERT_GT(sample().size(), 0u);
  const ObjectCode code(sample(), resolve);
  ASSERT_NE(code.find("dot"), nullptr);
  const double x[4] = {1, 2, 3, 4};
  EXPECT_EQ(function_of<double(const double *)>(code, "dot")(x), 1 * 0.5 + 2 * 0.25 + 3 * 8 + 4 * 16);
  EXPECT_EQ(function_of<int(int)>(code, "through")(21), 43);
  EXPECT_STREQ(function_of<const char *(int)>(code, "word")(1), "two");
  EXPECT_EQ(function_of<int()>(code, "count")(), 6);
  EXPECT_EQ(function_of<int()>(code, "count")(), 7) << "data keeps what is written to it";
  EXPECT_EQ(ObjectCode(sample(), resolve).find("hidden"), nullptr) << "it is static";
  EXPECT_EQ(code.find("absent"), nullptr);
}

TEST(ObjectCode, EachHasItsOwnData) {
  const ObjectCode a(sample(), resolve), b(sample(), resolve);
  function_of<int()>(a, "count")();
  EXPECT_EQ(function_of<int()>(a, "count")(), 7);
  EXPECT_EQ(function_of<int()>(b, "count")(), 6);
}

TEST(ObjectCode, WhatIsNotThereIsNamed) {
  try {
    ObjectCode(sample(), [](const std::string &) { return nullptr; });
    FAIL() << "it linked";
  } catch (const std::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("outside"), std::string::npos) << e.what();
  }
}

// Either it is refused, or the damage is where nothing looks (names, padding) or in the code itself.
bool links(const std::string &object) {
  try {
    ObjectCode(object, resolve);
    return true;
  } catch (const std::runtime_error &) {
    return false;
  }
}

// What code reaches from where it is: ADR_PREL_PG_HI21, JUMP26, CALL26; PC32, PLT32.
#if defined(__aarch64__)
constexpr uint32_t kDistances[] = {275, 282, 283};
#else
constexpr uint32_t kDistances[] = {2, 4};
#endif

// Where the relocation's 24 bytes lie in the object file: offset, symbol and type, addend.
size_t place_of(const std::string &object, const gpuopt::cpu::ElfRelocation &r) {
  const uint64_t bytes[] = {r.offset, uint64_t{r.symbol} << 32 | r.type, static_cast<uint64_t>(r.addend)};
  return object.find(std::string(reinterpret_cast<const char *>(bytes), sizeof bytes));
}

std::string with_addend(std::string object, const gpuopt::cpu::ElfRelocation &r, int64_t addend) {
  const size_t at = place_of(object, r);
  std::memcpy(object.data() + at + 16, &addend, sizeof addend);
  return object;
}

TEST(ObjectCode, WhatIsTooFarAwayIsRefused) {
  const std::string object = sample();
  const gpuopt::cpu::ElfObject elf(object);
  int found = 0;
  for (const gpuopt::cpu::ElfSection &section : elf.sections()) {
    for (const gpuopt::cpu::ElfRelocation &r : section.relocations) {
      if (!section.in_memory || !std::count(std::begin(kDistances), std::end(kDistances), r.type)) continue;
      found++;
      EXPECT_TRUE(links(with_addend(object, r, r.addend)));
      for (const int64_t far : {int64_t{1} << 34, -(int64_t{1} << 34)})
        EXPECT_FALSE(links(with_addend(object, r, far))) << "type " << r.type;
    }
  }
  EXPECT_GE(found, 3);
}

std::string with_offset(std::string object, const gpuopt::cpu::ElfRelocation &r, uint64_t offset) {
  const size_t at = place_of(object, r);
  std::memcpy(object.data() + at, &offset, sizeof offset);
  return object;
}

std::string why_refused(const std::string &object) {
  try {
    ObjectCode(object, resolve);
    return "it was not refused";
  } catch (const std::runtime_error &e) {
    return e.what();
  }
}

// No relocation has fewer than 4 bytes, so that it cannot stand at the last 3 of its section.
TEST(ObjectCode, WhatEndsBeyondItsSectionIsRefused) {
  const std::string object = sample();
  const gpuopt::cpu::ElfObject elf(object);
  int found = 0;
  for (const gpuopt::cpu::ElfSection &section : elf.sections()) {
    for (const gpuopt::cpu::ElfRelocation &r : section.relocations) {
      if (!section.in_memory) continue;
      found++;
      for (const size_t before_end : {3, 2, 1, 0})
        EXPECT_EQ(why_refused(with_offset(object, r, section.size - before_end)),
                  "compiled code: a relocation beyond its section")
            << "type " << r.type << ", " << before_end << " bytes before the end";
    }
  }
  EXPECT_GE(found, 3);
}

TEST(ObjectCode, EveryTruncationIsRefused) {
  const std::string object = sample();
  for (size_t n = 0; n < object.size(); n++) ASSERT_FALSE(links(object.substr(0, n))) << n;
}

TEST(ObjectCode, DamagedHeadersHarmNothing) {
  const std::string object = sample();
  std::mt19937 rng(7);
  int refused = 0;
  for (int k = 0; k < 20000; k++) {
    std::string damaged = object;
    for (int bytes = 0; bytes < 3; bytes++) damaged[rng() % damaged.size()] = static_cast<char>(rng());
    refused += !links(damaged);
  }
  EXPECT_GT(refused, 1000);
  std::string other = object;
  other[18] = 3;  // a 32-bit processor
  EXPECT_FALSE(links(other));
}

}  // namespace
