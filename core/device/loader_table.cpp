// core/device/loader_table.cpp -- copies a plugin's function table: checks it, and fills absent slots with stubs.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/device/loader.h"

namespace gpuopt {
namespace {

gpuopt_status unsupported(gpuopt_error *error, const char *slot) {
  return host_services().fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "this backend does not offer %s",
                              slot);
}

// A stub for each slot, of the slot's type. Those of void slots, which all release something, do nothing: a plugin
// without the slot has nothing to release.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STUB_BODY_status(name) return unsupported(error, #name);
#define STUB_BODY_none(name)
#define GPUOPT_SLOT(need, result, name, args) \
  GPUOPT_RESULT_##result stub_##name args { STUB_BODY_##result(name) }
#include <gpuopt/plugin_slots.def>
#pragma GCC diagnostic pop

constexpr gpuopt_plugin_api kStubs = {
    {sizeof(gpuopt_plugin_api), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr},
#define GPUOPT_SLOT(need, result, name, args) stub_##name,
#include <gpuopt/plugin_slots.def>
};

constexpr bool REQUIRED = true, OPTIONAL = false;
constexpr TableSlot kSlots[] = {
#define GPUOPT_SLOT(need, result, name, args) {#name, offsetof(gpuopt_plugin_api, name), need},
#include <gpuopt/plugin_slots.def>
};

// The layout that both sides rely on: a header (24 bytes where pointers have 8), then only pointers, in the order of
// plugin_slots.def.
static_assert(sizeof(gpuopt_table_header) == 16 + sizeof(void *));
static_assert(sizeof(gpuopt_plugin_api) == sizeof(gpuopt_table_header) + std::size(kSlots) * sizeof(void *));
static_assert(offsetof(gpuopt_plugin_api, probe) == sizeof(gpuopt_table_header));
static_assert(offsetof(gpuopt_plugin_api, device_attribute) == kSlots[std::size(kSlots) - 1].offset);
#if UINTPTR_MAX == UINT64_MAX
// The layout of released versions never changes: a minor version only adds slots at the end.
static_assert(offsetof(gpuopt_plugin_api, kernel_launch) == 24 + 34 * 8, "1.0 ends with kernel_launch");
static_assert(offsetof(gpuopt_plugin_api, device_synchronize) == 24 + 35 * 8, "1.1 ends with device_synchronize");
static_assert(offsetof(gpuopt_plugin_api, kernel_variable) == 24 + 37 * 8, "1.2 ends with kernel_variable");
static_assert(offsetof(gpuopt_plugin_api, bundle_load) == 24 + 40 * 8, "1.3 ends with bundle_load");
static_assert(offsetof(gpuopt_plugin_api, elementwise_loop) == 24 + 41 * 8, "1.4 ends with elementwise_loop");
static_assert(offsetof(gpuopt_plugin_api, device_attribute) == 24 + 45 * 8, "1.5 ends with device_attribute");
static_assert(offsetof(gpuopt_plugin_desc, api) == 80, "1.0's description");
static_assert(sizeof(gpuopt_host_api) == 24 + 6 * 8, "1.0's host services");
#endif

}  // namespace

std::string copy_slots(const void *theirs, const void *stubs, std::span<const TableSlot> slots, void *ours) {
  constexpr uint32_t largest = 1 << 16;
  const gpuopt_table_header &header = *static_cast<const gpuopt_table_header *>(theirs),
                            &known = *static_cast<const gpuopt_table_header *>(stubs);
  const uint32_t size = header.struct_size;
  if (size < sizeof header || size > largest || (size - sizeof header) % sizeof(void *) != 0)
    return "its function table claims a size of " + std::to_string(size) + " bytes, which cannot be";
  if (header.abi_major != known.abi_major) {
    return "its function table is of interface version " + std::to_string(header.abi_major) + ", this library's is " +
           std::to_string(known.abi_major);
  }
  char *const table = static_cast<char *>(ours);
  std::memset(table, 0, known.struct_size);
  std::memcpy(table, theirs, std::min(size, known.struct_size));
  std::memcpy(table, &known, sizeof known);
  std::string missing;
  for (const TableSlot &slot : slots) {
    void *function;
    std::memcpy(&function, table + slot.offset, sizeof function);
    if (function) continue;
    if (slot.required) missing += (missing.empty() ? "" : ", ") + std::string(slot.name);
    std::memcpy(table + slot.offset, static_cast<const char *>(stubs) + slot.offset, sizeof function);
  }
  return missing.empty() ? missing : "its function table lacks " + missing;
}

std::string copy_table(const gpuopt_plugin_api &theirs, gpuopt_plugin_api *ours) {
  return copy_slots(&theirs, &kStubs, kSlots, ours);
}

}  // namespace gpuopt
