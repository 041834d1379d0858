// tools/advice.cpp -- the advice, one constant for each reason. The table is generated from status.def, so that this
// file does not compile if a reason has no advice.
#include "tools/advice.h"

#include <iterator>

namespace gpuopt::tools {
namespace {

struct AdviceText {
  const char *means, *steps;
};

// [[maybe_unused]]: there may be advice for reasons that status.def does not have yet.
#define ADVICE(NAME) [[maybe_unused]] constexpr AdviceText advice_##NAME

ADVICE(NONE) = {"Nothing is wrong.", ""};
ADVICE(NOT_FOUND) = {
    "A backend was asked for, and there is no file of it in any place it looks.",
    "Install its package: apt install gpuopt-plugin-<name>.\n"
    "If it is installed elsewhere, put that directory into GPUOPT_PLUGIN_PATH, with its absolute path.\n"
    "`gpuopt info` lists the directories that were searched, and why one was passed over."};
ADVICE(UNTRUSTED_PATH) = {
    "The plugin's file, or a directory above it, could be changed by other users, so it is not loaded: what it holds "
    "would run with your rights.",
    "Take the write permission from others: chmod go-w on the file or directory that the detail names.\n"
    "Let it belong to root or to yourself (chown), or put the plugin below a directory that does.\n"
    "Give absolute paths in GPUOPT_PLUGIN_PATH; relative ones are never used."};
ADVICE(LOAD_FAILED) = {
    "The plugin's file is there, but the system cannot load it: it is damaged, for another processor, or needs a "
    "library that is missing.",
    "Read the detail: it names what is missing.\n"
    "Reinstall the plugin's package: apt install --reinstall gpuopt-plugin-<name>.\n"
    "See that it is of this processor and system (file libgpuopt_<name>.so)."};
ADVICE(NO_ENTRY) = {"The file is a library, but no gpuopt plugin: something else has this name.",
                    "Remove the file, or take its directory out of GPUOPT_PLUGIN_PATH.\n"
                    "Reinstall the plugin's package."};
ADVICE(ABI_MISMATCH) = {"Plugin and library are of releases that do not understand each other.",
                        "Install both from one release: apt install libgpuopt1 gpuopt-plugin-<name>.\n"
                        "If an old plugin lies in GPUOPT_PLUGIN_PATH or in /usr/local, remove it: it is found first.\n"
                        "Authors of plugins: gpuopt-plugin-test says which rule is broken."};
ADVICE(DRIVER_MISSING) = {"There is an NVIDIA GPU, but its driver is not installed, or cannot be seen from here.",
                          "Install NVIDIA's driver, 525 or newer: on Debian apt install nvidia-driver, on Ubuntu "
                          "ubuntu-drivers install; then "
                          "reboot.\n"
                          "In a container: start it with access to the GPU (docker run --gpus all, with "
                          "nvidia-container-toolkit on the host).\n"
                          "On WSL: install the driver on Windows, not in the distribution.\n"
                          "If libcuda.so.1 is in an unusual place, name it in GPUOPT_CUDA_DRIVER."};
ADVICE(DRIVER_STUB) = {
    "The libcuda.so.1 that was found is the CUDA Toolkit's stub, which is there to be linked with and drives nothing.",
    "Take the toolkit's `stubs` directory out of LD_LIBRARY_PATH and out of /etc/ld.so.conf.d (then ldconfig).\n"
    "Install NVIDIA's driver if it is not."};
ADVICE(DRIVER_TOO_OLD) = {"The installed driver is older than what gpuopt needs.",
                          "Update NVIDIA's driver to 525 or newer, and reboot. `nvidia-smi` prints the version.\n"
                          "In a container: it is the host's driver that counts."};
ADVICE(DRIVER_MISMATCH) = {
    "The driver's library and the driver inside the kernel are of different versions, as after an update without a "
    "reboot.",
    "Reboot, or unload and load the nvidia modules.\n"
    "Remove a cuda-compat package that belongs to another driver.\n"
    "In a container: see that the image brings no libcuda.so.1 of its own."};
ADVICE(NO_DEVICE) = {
    "There is no GPU that the driver could use.",
    "If there should be one: is it plugged in and switched on (lspci | grep -i nvidia)?\n"
    "See that CUDA_VISIBLE_DEVICES is not empty and names a device that exists.\n"
    "In a container or a virtual machine: give it the device (docker run --gpus all, PCI passthrough).\n"
    "If there is none, all is well: the CPU gives the same numbers."};
ADVICE(NO_PERMISSION) = {
    "The GPU is there, but this user may not open it.",
    "Give the user access to /dev/nvidia* (on many systems: usermod -aG video USER, then log in again).\n"
    "On WSL the device is /dev/dxg.\n"
    "In a container or a batch job: ask for the GPU when it is started."};
ADVICE(ARCH_UNSUPPORTED) = {
    "The processor or GPU is too old: it lacks instructions that this backend is made of.",
    "Use a newer device, or one of the other devices (CUDA_VISIBLE_DEVICES chooses).\n"
    "The CPU backend needs x86-64-v2 (SSE4.2, POPCNT); in a virtual machine, choose a CPU model that has them."};
ADVICE(SELFTEST_FAILED) = {
    "The device was asked to add four numbers and gave wrong ones. It is not used: its results could not be believed.",
    "Run the program again; if it stays, test the hardware (memory errors: nvidia-smi -q -d ECC).\n"
    "Update the driver.\n"
    "If the plugin is not from this project, tell its authors; gpuopt-plugin-test shows the fault."};
ADVICE(FORKED) = {"The program used the GPU and then forked. A child process inherits nothing of it that works.",
                  "Open the device in the child, after the fork, or start the child as a new program (exec, spawn).\n"
                  "Python: multiprocessing.set_start_method(\"spawn\")."};
ADVICE(DISABLED) = {"Somebody switched this backend off.", "Take its name out of GPUOPT_DISABLE."};
ADVICE(COMPILER_MISSING) = {
    "The GPU and its driver work, but kernels have to be compiled for it, and there is no compiler: neither "
    "NVIDIA's NVRTC nor the Clang of libgpuopt_jit.",
    "Install the package gpuopt-plugin-jit, or NVRTC: pip install nvidia-cuda-nvrtc, or conda install "
    "cuda-nvrtc, or a CUDA Toolkit.\n"
    "Take an NVRTC that is not newer than the driver's CUDA version (nvidia-smi prints that).\n"
    "If it is in an unusual place, name the file or its directory in GPUOPT_NVRTC."};
ADVICE(PROBE_FAILED) = {"The backend says that it cannot work here, for a reason of its own.",
                        "Read the detail, and the documentation of the plugin.\n"
                        "Set GPUOPT_LOG=debug and run the program again."};
ADVICE(DEVICE_LOST) = {
    "The GPU failed while this process used it, and what was in its memory is gone.",
    "Restart the program.\n"
    "If it comes again: look for Xid messages in the system log (dmesg | grep -i xid), watch temperature and power, "
    "test "
    "the memory.\n"
    "A kernel that reads or writes outside its arrays does this, too: run the program under compute-sanitizer."};
ADVICE(DEVICE_BUSY) = {"The GPU works, but another process has it for itself, or has taken all of its memory.",
                       "See who uses it (nvidia-smi), and wait or stop that.\n"
                       "If the compute mode is Exclusive Process, set it back: nvidia-smi -c DEFAULT (as root).\n"
                       "Choose another device: CUDA_VISIBLE_DEVICES, or cuda:1."};
ADVICE(DRIVER_NOT_READY) = {
    "The driver is installed, but not ready: it is starting, or something it needs does not run.",
    "Wait a moment and try again; after an update, reboot.\n"
    "Machines with NVSwitch: systemctl status nvidia-fabricmanager must say that it runs.\n"
    "See what nvidia-smi says."};

#undef ADVICE

constexpr Advice kAdvice[] = {
#define GPUOPT_REASON(NAME, number, sentence, cure) {#NAME, advice_##NAME.means, advice_##NAME.steps},
#include <gpuopt/status.def>
};
static_assert(std::size(kAdvice) == GPUOPT_REASON_COUNT, "advice is found by the number of the reason");

// Returns whether the rows of status.def are numbered from 0 without gaps, so that a reason is an index into kAdvice.
constexpr bool numbered_in_order() {
  int next = 0;
#define GPUOPT_REASON(NAME, number, sentence, cure) \
  if (number != next++) return false;
#include <gpuopt/status.def>
  return true;
}
static_assert(numbered_in_order());

}  // namespace

const Advice &advice(gpuopt_reason reason) {
  static constexpr Advice kNone = {"", "This gpuopt command is older than the library, and knows no more of it.",
                                   "Update the command to the release of the library."};
  return reason >= 0 && reason < GPUOPT_REASON_COUNT ? kAdvice[reason] : kNone;
}

gpuopt_reason reason_named(const std::string &name) {
  gpuopt_reason reason = 0;
  while (reason < GPUOPT_REASON_COUNT && name != kAdvice[reason].name) ++reason;
  return reason;
}

}  // namespace gpuopt::tools
