// tools/plugin_test/table_rules.cpp -- see table_rules.h.
#include "tools/plugin_test/table_rules.h"

namespace gpuopt::plugin_test {
namespace {

// Returns whether the table is long enough to have the slot, and the slot is not NULL.
bool offers(const gpuopt_table_header &table, const Slot &slot) {
  void *function = nullptr;
  if (slot.offset + sizeof function <= table.struct_size)
    std::memcpy(&function, reinterpret_cast<const char *>(&table) + slot.offset, sizeof function);
  return function != nullptr;
}

}  // namespace

std::string header_problem(const gpuopt_table_header &header, uint16_t major) {
  constexpr uint32_t kLargest = 1 << 16;
  const uint32_t size = header.struct_size;
  if (size < sizeof header || size > kLargest || (size - sizeof header) % sizeof(void *) != 0)
    return "its table claims " + std::to_string(size) + " bytes, which cannot be";
  if (header.abi_major != major) return "its table is of interface version " + std::to_string(header.abi_major);
  return header.flags || header.reserved ? "flags and reserved members of its table's header are not 0" : "";
}

void check_slots(const gpuopt_table_header &table, const Slot *slots, size_t count, Recorder &recorder) {
  std::string missing, left_out;
  for (const Slot *slot = slots; slot < slots + count; ++slot) {
    if (offers(table, *slot)) continue;
    std::string &list = slot->required ? missing : left_out;
    list += (list.empty() ? "" : ", ") + std::string(slot->name);
  }
  recorder.check("required slots", missing.empty() ? "" : "its table lacks " + missing);
  recorder.begin("optional slots");
  recorder.end(left_out.empty() ? Verdict::kPass : Verdict::kUnsupported,
               left_out.empty() ? "" : "left to the host: " + left_out);
}

}  // namespace gpuopt::plugin_test
