// plugins/cuda/kernel_store.cpp -- kernels of one device.
#include "plugins/cuda/kernel_store.h"

namespace gpuopt::cuda {

struct KernelStore::State {};

KernelStore::KernelStore(Device &) {}
KernelStore::~KernelStore() = default;

const Kernel *KernelStore::find(const std::string &) { return nullptr; }

const Kernel &KernelStore::add(const std::string &, const KernelSource &source) {
  fail(GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_COMPILER_MISSING, 0, "%s: there is no compiler", source.operation.c_str());
}

}  // namespace gpuopt::cuda
