// tests/unit/core_pe_image_test.cpp -- the check of Windows' plugin files, on an image made here field by field from
// the "PE Format" specification and spoilt in many ways. It runs on every system.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "core/device/image/pe_image.h"

namespace {

constexpr size_t kNewHeader = 128, kOptional = kNewHeader + 24, kSections = kOptional + 240, kSectionBytes = 40;
#if defined(__aarch64__)
constexpr uint16_t kMachine = 0xaa64, kOtherMachine = 0x8664;
#else
constexpr uint16_t kMachine = 0x8664, kOtherMachine = 0xaa64;
#endif

template <class T>
void put(std::string &image, size_t at, T value) {
  std::memcpy(image.data() + at, &value, sizeof value);
}

// A DLL with two sections of 32 bytes each behind its headers.
std::string library() {
  constexpr size_t kBegin = kSections + 2 * kSectionBytes;
  std::string image(kBegin + 64, '\0');
  put<uint16_t>(image, 0, 0x5a4d);
  put<uint32_t>(image, 60, kNewHeader);
  put<uint32_t>(image, kNewHeader, 0x4550);
  put<uint16_t>(image, kNewHeader + 4, kMachine);
  put<uint16_t>(image, kNewHeader + 6, 2);
  put<uint16_t>(image, kNewHeader + 20, 240);
  put<uint16_t>(image, kNewHeader + 22, 0x2000);
  put<uint16_t>(image, kOptional, 0x20b);
  for (uint32_t k = 0; k < 2; k++) {
    put<uint32_t>(image, kSections + k * kSectionBytes + 16, 32);
    put<uint32_t>(image, kSections + k * kSectionBytes + 20, uint32_t{kBegin} + 32 * k);
  }
  return image;
}

std::string defect(const std::string &image) {
  const auto read = [&](uint64_t offset, void *to, size_t bytes) {
    EXPECT_LE(offset + bytes, image.size());
    std::memcpy(to, image.data() + offset, bytes);
    return true;
  };
  return gpuopt::pe_image_defect({read, image.size()});
}

// The defect of the library after a number of it was changed.
template <class T>
std::string defect_with(size_t at, T value) {
  std::string image = library();
  put(image, at, value);
  return defect(image);
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(PeImage, AWholeLibraryPasses) { EXPECT_EQ(defect(library()), ""); }

TEST(PeImage, NoPrefixOfALibraryPasses) {
  const std::string whole = library();
  for (size_t size = 0; size < whole.size(); size++) EXPECT_NE(defect(whole.substr(0, size)), "") << size;
}

TEST(PeImage, WhatIsWrongIsSaid) {
  EXPECT_EQ(defect(""), "the file is empty");
  EXPECT_TRUE(has(defect("#!/bin/sh"), "does not begin with MZ"));
  EXPECT_TRUE(has(defect_with<uint32_t>(kNewHeader, 0), "no PE header"));
  EXPECT_TRUE(has(defect_with<uint16_t>(kNewHeader + 4, kOtherMachine), "built for"));
  EXPECT_TRUE(has(defect_with<uint16_t>(kNewHeader + 4, 0x14c), "32-bit x86"));
  EXPECT_TRUE(has(defect_with<uint16_t>(kNewHeader + 22, 2), "a program"));
  EXPECT_TRUE(has(defect_with<uint16_t>(kOptional, 0x10b), "damaged"));
  EXPECT_TRUE(has(defect_with<uint32_t>(kSections + 16, 1000), "a section ends at byte"));
  EXPECT_TRUE(has(defect_with<uint32_t>(kSections + kSectionBytes + 20, UINT32_MAX), "a section ends at byte"));
  EXPECT_TRUE(has(defect_with<uint16_t>(kNewHeader + 6, UINT16_MAX), "the section table ends at byte"));
  EXPECT_TRUE(has(defect_with<uint32_t>(60, UINT32_MAX), "the header ends at byte"));
}

TEST(PeImage, AFileThatCannotBeReadIsDefective) {
  EXPECT_NE(gpuopt::pe_image_defect({[](uint64_t, void *, size_t) { return false; }, 4096}), "");
}

// Whatever the bytes, nothing outside of the file is read: defect() checks each access.
TEST(PeImage, RandomChangesAreReadInsideTheFile) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    std::string image = library();
    for (int change = 0; change < 4; change++) image[random() % image.size()] = static_cast<char>(random());
    defect(image);
  }
}

}  // namespace
