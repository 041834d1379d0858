// tests/cuda/hardware_test.cpp -- is there NVIDIA hardware? Made-up machines, a directory each.
#include "plugins/cuda/driver/hardware.h"

#include "tests/loader/child.h"

namespace {

using child::Scratch;
using gpuopt::cuda::hardware_present;
using gpuopt::cuda::kernel_module_version;
using gpuopt::cuda::permission_problem;

void add_pci(const Scratch &root, const std::string &address, const std::string &vendor, const std::string &kind) {
  const std::string directory = root.directory("sys/bus/pci/devices/" + address);
  child::write_file(directory + "/vendor", vendor + "\n");
  child::write_file(directory + "/class", kind + "\n");
}

TEST(Hardware, AMachineThatDoesNotSayIsUnknown) { EXPECT_EQ(hardware_present(Scratch().path()), -1); }

TEST(Hardware, PciDevicesAreToldByVendorAndClass) {
  const Scratch root;
  root.directory("sys/bus/pci/devices");
  EXPECT_EQ(hardware_present(root.path()), 0);
  add_pci(root, "0000:00:02.0", "0x8086", "0x030000");  // another vendor's display
  add_pci(root, "0000:01:00.1", "0x10de", "0x040300");  // the sound function of a card
  EXPECT_EQ(hardware_present(root.path()), 0);
  add_pci(root, "0000:01:00.0", "0x10de", "0x030200");  // 3D controller
  EXPECT_EQ(hardware_present(root.path()), 1);
}

TEST(Hardware, DeviceFilesAreEnough) {
  for (const char *name : {"nvidiactl", "nvidia0", "dxg"}) {
    const Scratch root;
    root.directory("sys/bus/pci/devices");
    child::write_file(root.directory("dev") + "/" + name, "");
    EXPECT_EQ(hardware_present(root.path()), 1) << name;
  }
}

TEST(Hardware, TegraIsInTheDeviceTree) {
  const Scratch root;
  const std::string tree = root.directory("sys/firmware/devicetree/base");
  child::write_file(tree + "/compatible", std::string("raspberrypi,5\0brcm,bcm2712", 27));
  EXPECT_EQ(hardware_present(root.path()), -1);
  child::write_file(tree + "/compatible", std::string("nvidia,p3737\0nvidia,tegra234", 28));
  EXPECT_EQ(hardware_present(root.path()), 1);
}

TEST(Hardware, AFileThatMayNotBeOpenedIsNamed) {
  const Scratch root;
  EXPECT_EQ(permission_problem(root.path()), "");
  child::write_file(root.directory("dev") + "/nvidiactl", "");
  EXPECT_EQ(permission_problem(root.path()), "");
  root.directory("dev/nvidia0");  // nobody may write to a directory
  EXPECT_EQ(permission_problem(root.path()), (root / "dev/nvidia0") + ": Is a directory");
}

TEST(Hardware, TheKernelModuleSaysItsVersion) {
  const Scratch root;
  EXPECT_EQ(kernel_module_version(root.path()), "");
  child::write_file(root.directory("sys/module/nvidia") + "/version", "580.65.06\n");
  EXPECT_EQ(kernel_module_version(root.path()), "580.65.06");
}

}  // namespace
