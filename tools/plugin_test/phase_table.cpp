// tools/plugin_test/phase_table.cpp -- checks the query function: without side effects, correct about versions, and
// with a complete table.
#include <cstddef>

#include "tools/plugin_test/loaded.h"
#include "tools/plugin_test/phase.h"

namespace gpuopt::plugin_test {
namespace {

constexpr int kMostRows = 4096;  // more rows than any table of operations has

std::string text_or(const char *text) { return text ? text : "(NULL)"; }

bool same_text(const char *a, const char *b) { return a == b || (a && b && std::strcmp(a, b) == 0); }

bool same_answer(const gpuopt_plugin_desc &a, const gpuopt_plugin_desc &b) {
  return a.minor_min == b.minor_min && a.minor_max == b.minor_max && a.op_count == b.op_count &&
         a.reduction_count == b.reduction_count && a.scan_count == b.scan_count && same_text(a.name, b.name) &&
         same_text(a.version, b.version) && same_text(a.build_id, b.build_id) && same_text(a.toolkit, b.toolkit) &&
         a.api == b.api;
}

std::string range_text(const gpuopt_plugin_desc &desc) {
  return std::to_string(desc.minor_min) + " to " + std::to_string(desc.minor_max);
}

std::string range_problem(const gpuopt_plugin_desc &desc) {
  if (desc.minor_min > desc.minor_max) return "its range " + range_text(desc) + " is backward";
  if (desc.minor_min > GPUOPT_PLUGIN_ABI_MINOR)
    return "it wants minor version " + range_text(desc) + "; this kit speaks up to " +
           std::to_string(GPUOPT_PLUGIN_ABI_MINOR);
  return "";
}

std::string counts_problem(const gpuopt_plugin_desc &desc) {
  const auto wrong = [](int32_t count) { return count < 0 || count > kMostRows; };
  if (!wrong(desc.op_count) && !wrong(desc.reduction_count) && !wrong(desc.scan_count)) return "";
  return "it claims " + std::to_string(desc.op_count) + " operations, " + std::to_string(desc.reduction_count) +
         " reductions and " + std::to_string(desc.scan_count) + " scans";
}

std::string header_problem(const gpuopt_table_header &header) {
  constexpr uint32_t kLargest = 1 << 16;
  const uint32_t size = header.struct_size;
  if (size < sizeof header || size > kLargest || (size - sizeof header) % sizeof(void *) != 0)
    return "its table claims " + std::to_string(size) + " bytes, which cannot be";
  if (header.abi_major != GPUOPT_PLUGIN_ABI_MAJOR)
    return "its table is of interface version " + std::to_string(header.abi_major);
  return header.flags || header.reserved ? "flags and reserved members of its table's header are not 0" : "";
}

struct Slot {
  const char *name;
  size_t offset;
  bool required;
};
constexpr bool REQUIRED = true, OPTIONAL = false;
constexpr Slot kSlots[] = {
#define GPUOPT_SLOT(need, result, name, args) {#name, offsetof(gpuopt_plugin_api, name), need},
#include <gpuopt/plugin_slots.def>
};

// Returns whether the table is long enough to have the slot, and the slot is not NULL.
bool offers(const gpuopt_plugin_api &api, const Slot &slot) {
  void *function = nullptr;
  if (slot.offset + sizeof function <= api.header.struct_size)
    std::memcpy(&function, reinterpret_cast<const char *>(&api) + slot.offset, sizeof function);
  return function != nullptr;
}

void check_slots(const gpuopt_plugin_api &api, Recorder &recorder) {
  std::string missing, left_out;
  for (const Slot &slot : kSlots) {
    if (offers(api, slot)) continue;
    std::string &list = slot.required ? missing : left_out;
    list += (list.empty() ? "" : ", ") + std::string(slot.name);
  }
  recorder.check("required slots", missing.empty() ? "" : "its table lacks " + missing);
  recorder.begin("optional slots");
  recorder.end(left_out.empty() ? Verdict::kPass : Verdict::kUnsupported,
               left_out.empty() ? "" : "left to the host: " + left_out);
}

// Checks that a second query gives the same answer and has no side effects.
void check_pure(gpuopt_plugin_query_fn function, const gpuopt_plugin_desc &first, Recorder &recorder) {
  recorder.begin("the query is pure");
  const ProcessState before = read_process();
  Guarded<gpuopt_plugin_desc> again;
  bool threw = false;
  host_use() = {};
  const gpuopt_status status = query(function, 0, GPUOPT_PLUGIN_ABI_MINOR, &again, &threw);
  std::string problem = differences(before, read_process());
  if (host_use().logs > 0) problem = "it writes to the log";
  if (threw || status != GPUOPT_OK || !same_answer(first, again.value))
    problem = "a second query answers otherwise than the first";
  recorder.end(problem);
}

// Checks the answer to a host that supports only versions of the far future: the plugin must refuse, and still give its
// name and version, which the host logs.
void check_refusal(gpuopt_plugin_query_fn function, Recorder &recorder) {
  constexpr uint16_t kFuture = 60000;
  recorder.begin("refuses hosts it does not know");
  Guarded<gpuopt_plugin_desc> desc;
  bool threw = false;
  const gpuopt_status status = query(function, kFuture, kFuture, &desc, &threw);
  std::string problem;
  if (threw)
    problem = "it threw a C++ exception";
  else if (status != GPUOPT_ERR_UNSUPPORTED)
    problem = "asked for minor version 60000 only, it returned " + std::to_string(status) +
              " instead of GPUOPT_ERR_UNSUPPORTED";
  else if (!desc.value.name || !desc.value.version)
    problem = "refusing, it does not say its name and version";
  recorder.end(problem);
}

void check_description(const Subject &subject, const gpuopt_plugin_desc &desc, Recorder &recorder) {
  recorder.check("version range", range_problem(desc), "minor " + range_text(desc));
  recorder.check("name",
                 same_text(desc.name, subject.name.c_str())
                     ? ""
                     : "the file is named for backend " + subject.name + " and says it is " + text_or(desc.name),
                 text_or(desc.name));
  recorder.check("version, build id and toolkit",
                 desc.version && desc.build_id && desc.toolkit ? "" : "one of them is NULL",
                 text_or(desc.version) + ", " + text_or(desc.build_id) + ", " + text_or(desc.toolkit));
  recorder.check("numbers of operations", counts_problem(desc));
}

}  // namespace

void table_phase(const Subject &subject, Recorder &recorder) {
  std::string problem;
  const ProcessState before = read_process();
  recorder.begin("can be loaded");
  const gpuopt_plugin_query_fn function = open_plugin(subject.path, &problem);
  recorder.end(problem);
  if (!function) return;
  recorder.check("loading changes nothing", differences(before, read_process()));

  Guarded<gpuopt_plugin_desc> desc;
  bool threw = false;
  recorder.begin("query");
  const gpuopt_status status = query(function, 0, GPUOPT_PLUGIN_ABI_MINOR, &desc, &threw);
  if (threw)
    problem = "it threw a C++ exception";
  else if (status != GPUOPT_OK)
    problem = "it returned status " + std::to_string(status) + "; its range is " + range_text(desc.value);
  else if (!desc.intact())
    problem = "it wrote behind the description";
  recorder.end(problem);
  if (!problem.empty()) return;

  check_description(subject, desc.value, recorder);
  check_pure(function, desc.value, recorder);
  check_refusal(function, recorder);
  const gpuopt_plugin_api *api = desc.value.api;
  recorder.check("table header", api ? header_problem(api->header) : "it gives no table");
  if (api && header_problem(api->header).empty()) check_slots(*api, recorder);
}

}  // namespace gpuopt::plugin_test
