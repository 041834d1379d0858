// tests/cuda/arch_test.cpp -- the table of version skews between driver, compiler and device, row by row.
#include "plugins/cuda/compile/arch.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

using gpuopt::cuda::choose_target;
using gpuopt::cuda::Target;

// What nvrtcGetSupportedArchs says, by version.
const std::vector<int> k11 = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
const std::vector<int> k12 = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
const std::vector<int> k13 = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

struct Row {
  const char *situation;
  int driver, nvrtc;
  std::vector<int> archs;
  int capability;
  const char *target;  // "" where the compiler will not do
  const char *problem;
};

const Row kRows[] = {
    {"supported", 13000, 13000, k13, 90, "sm_90", ""},
    {"supported, the oldest", 13000, 13000, k13, 75, "sm_75", ""},
    {"supported, compiler of an older major", 13000, 12040, k12, 70, "sm_70", ""},
    {"supported, Tegra", 13000, 13000, k13, 87, "sm_87", ""},
    {"compiler newer by a minor: a cubin still runs", 12020, 12080, k12, 90, "sm_90", ""},
    {"device newer by a minor", 12080, 12040, k12, 86, "sm_86", ""},
    {"device newer by a minor, unknown", 13000, 12040, k12, 89, "sm_89", ""},
    {"device newer by a minor, not listed", 13020, 13000, k13, 122, "sm_121", ""},
    {"device newer by a minor, only an older one of its major is listed",
     12080,
     12080,
     {{80, 90, 100}},
     103,
     "sm_100",
     ""},
    {"device newer by a minor, compiler newer by a minor", 12020, 12080, {{80, 90}}, 89, "sm_80", ""},
    {"a cubin of Tegra is not for others", 13000, 13000, {{75, 80, 87}}, 89, "sm_80", ""},
    {"nor one of others for Tegra: PTX", 13000, 13000, {{75, 80, 86}}, 87, "compute_86", ""},
    {"device of a newer major", 12080, 12040, k12, 100, "compute_90", ""},
    {"device of a newer major, compiler as new as the driver", 12040, 12040, k12, 120, "compute_90", ""},
    {"a greater minor of the same major is no use", 12080, 12040, {{75, 80, 103}}, 100, "compute_80", ""},
    {"device of a newer major, compiler too new for the driver's PTX", 12020, 12040, k12, 100, "",
     "NVRTC 12.4 knows no cubin for a device of compute capability 10.0, and is too new to give PTX to the driver, "
     "which "
     "is for CUDA 12.2"},
    {"device below the minimum", 13000, 13000, k13, 70, "",
     "NVRTC 13.0 no longer serves a device of compute capability 7.0"},
    {"device far below the minimum", 13000, 13000, k13, 35, "",
     "NVRTC 13.0 no longer serves a device of compute capability 3.5"},
    {"device below one compiler's minimum, not below an older one's", 13000, 11080, k11, 35, "sm_35", ""},
    {"compiler of a newer major", 12080, 13000, k13, 90, "",
     "NVRTC 13.0 is too new for the driver, which is for CUDA 12.8"},
    {"compiler of a newer major, device not supported either", 12080, 13000, k13, 70, "",
     "NVRTC 13.0 is too new for the driver, which is for CUDA 12.8"},
    {"a compiler that knows nothing",
     12080,
     12080,
     {},
     90,
     "",
     "NVRTC 12.8 no longer serves a device of compute capability 9.0"},
};

TEST(Arch, EveryRowOfTheTable) {
  for (const Row &row : kRows) {
    const Target target = choose_target(row.driver, row.nvrtc, row.archs, row.capability);
    EXPECT_EQ(target.problem, row.problem) << row.situation;
    EXPECT_EQ(target.problem.empty() ? target.name() : "", row.target) << row.situation;
  }
}

// Whatever is offered runs: never more than the device's, cubins never from another major, PTX never too new.
TEST(Arch, NothingIsOfferedThatCannotRun) {
  for (const int driver : {12000, 12020, 12090, 13000, 13020}) {
    for (const int nvrtc : {11020, 11080, 12000, 12040, 12090, 13000, 13020}) {
      const std::vector<int> &archs = nvrtc < 12000 ? k11 : nvrtc < 13000 ? k12 : k13;
      for (int capability = 30; capability < 150; ++capability) {
        const Target target = choose_target(driver, nvrtc, archs, capability);
        if (!target.problem.empty()) continue;
        EXPECT_LE(nvrtc / 1000, driver / 1000);
        EXPECT_LE(target.arch, capability);
        if (target.ptx) {
          EXPECT_LE(nvrtc, driver) << capability;
        } else {
          EXPECT_EQ(target.arch / 10, capability / 10);
        }
      }
    }
  }
}

// A cubin for each that no other's runs on gives one to every device that the whole list has one for.
TEST(Arch, TheFewestServeAll) {
  EXPECT_EQ(gpuopt::cuda::fewest_archs(k13), (std::vector<int>{75, 80, 87, 90, 100, 110, 120}));
  for (const std::vector<int> &archs : {k11, k12, k13}) {
    const std::vector<int> fewest = gpuopt::cuda::fewest_archs(archs);
    EXPECT_LT(fewest.size(), archs.size());
    for (int capability = 30; capability < 130; ++capability) {
      const Target of_all = choose_target(14000, 13000, archs, capability);
      const Target of_fewest = choose_target(14000, 13000, fewest, capability);
      EXPECT_EQ(of_all.ptx, of_fewest.ptx) << capability;
      EXPECT_EQ(of_all.problem, of_fewest.problem) << capability;
    }
  }
}

TEST(Arch, Options) {
  EXPECT_EQ((Target{90, false, ""}.option()), "-arch=sm_90");
  EXPECT_EQ((Target{121, true, ""}.option()), "-arch=compute_121");
  EXPECT_EQ(gpuopt::cuda::version_text(12040), "12.4");
  EXPECT_EQ(gpuopt::cuda::capability_text(103), "10.3");
}

}  // namespace
