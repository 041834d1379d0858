// plugins/cpu/plugin/plugin.cpp -- the entry point and the function table. Every slot is called through a barrier that
// stops exceptions, in the default floating-point mode, whatever the mode of its caller.
#include "plugins/cpu/plugin/slots.h"
#include "plugins/cpu/runtime/fpu.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/entry.h"

namespace gpuopt::cpu {
namespace {

// call() calls the slot through its barrier, in the default floating-point mode. It is NULL for a slot that this
// backend does not have.
template <auto slot>
struct Slot {
  static constexpr std::nullptr_t call = nullptr;
};

template <typename Result, typename... Arguments, Result (*slot)(Arguments...)>
struct Slot<slot> {
  static Result call(Arguments... arguments) noexcept {
    const FpuScope fpu;
    return plugin::Barrier<slot>::call(arguments...);
  }
};

constexpr gpuopt_plugin_api kApi = {
    plugin::header_of(sizeof(gpuopt_plugin_api)),
#define GPUOPT_SLOT(need, result, name, args) Slot<slots::name>::call,
#include <gpuopt/plugin_slots.def>
};

}  // namespace
}  // namespace gpuopt::cpu

gpuopt_status gpuopt_plugin_query_v1(const gpuopt_host_api *api, gpuopt_plugin_desc *desc) {
  return gpuopt::plugin::answer_query(api, desc, "cpu", "", &gpuopt::cpu::kApi);
}
