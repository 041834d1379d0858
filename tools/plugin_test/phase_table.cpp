// tools/plugin_test/phase_table.cpp -- checks a backend's query function: without side effects, correct about versions,
// and with a complete table.
#include <cstddef>

#include "tools/plugin_test/phase.h"
#include "tools/plugin_test/table_rules.h"

namespace gpuopt::plugin_test {
namespace {

constexpr int kMostRows = 4096;  // more rows than any table of operations has

bool same_answer(const gpuopt_plugin_desc &a, const gpuopt_plugin_desc &b) {
  return a.minor_min == b.minor_min && a.minor_max == b.minor_max && a.op_count == b.op_count &&
         a.reduction_count == b.reduction_count && a.scan_count == b.scan_count && same_text(a.name, b.name) &&
         same_text(a.version, b.version) && same_text(a.build_id, b.build_id) && same_text(a.toolkit, b.toolkit) &&
         a.api == b.api;
}

std::string counts_problem(const gpuopt_plugin_desc &desc) {
  const auto wrong = [](int32_t count) { return count < 0 || count > kMostRows; };
  if (!wrong(desc.op_count) && !wrong(desc.reduction_count) && !wrong(desc.scan_count)) return "";
  return "it claims " + std::to_string(desc.op_count) + " operations, " + std::to_string(desc.reduction_count) +
         " reductions and " + std::to_string(desc.scan_count) + " scans";
}

constexpr bool REQUIRED = true, OPTIONAL = false;
constexpr Slot kSlots[] = {
#define GPUOPT_SLOT(need, result, name, args) {#name, offsetof(gpuopt_plugin_api, name), need},
#include <gpuopt/plugin_slots.def>
};

}  // namespace

void table_phase(const Subject &subject, Recorder &recorder) {
  const auto function = check_loading<BackendInterface>(subject, recorder);
  Guarded<gpuopt_plugin_desc> guarded;
  if (!function || !check_query<BackendInterface>(function, &guarded, recorder)) return;
  const gpuopt_plugin_desc &desc = guarded.value;
  check_range_and_name<BackendInterface>(subject, desc, recorder);
  recorder.check("version, build id and toolkit",
                 desc.version && desc.build_id && desc.toolkit ? "" : "one of them is NULL",
                 text_or(desc.version) + ", " + text_or(desc.build_id) + ", " + text_or(desc.toolkit));
  recorder.check("numbers of operations", counts_problem(desc));
  check_pure<BackendInterface>(function, desc, same_answer, recorder);
  check_refusal<BackendInterface>(function, true, recorder);
  check_table<BackendInterface>(desc.api, kSlots, recorder);
}

}  // namespace gpuopt::plugin_test
