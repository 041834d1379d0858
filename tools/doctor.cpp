// tools/doctor.cpp -- gpuopt doctor: checks whether the best hardware present is used, and if not, says what to do.
#include <algorithm>
#include <mutex>
#include <sstream>

#include "tools/advice.h"
#include "tools/command.h"
#include "tools/compiler.h"
#include "tools/devices.h"
#include "tools/output.h"
#include "tools/settings.h"

namespace gpuopt::tools {
namespace {

// What a finding means for the user, and what to do about it, for findings without a reason code.
struct Remedy {
  std::string means, cure;
};

// A problem that the user can fix.
struct Finding {
  std::string subject;  // what is wrong, in words
  std::string backend;  // the backend concerned, "" if none
  Outcome outcome;      // its reason and message explain the problem
  Remedy remedy = {};   // used if outcome.reason is GPUOPT_REASON_NONE
};

// Returns the text with the backend's name in place of "<name>".
std::string named(std::string text, const std::string &backend) {
  constexpr std::string_view placeholder = "<name>";
  for (size_t at; !backend.empty() && (at = text.find(placeholder)) != std::string::npos;)
    text.replace(at, placeholder.size(), backend);
  return text;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> steps_of(gpuopt_reason reason, const std::string &backend) {
  return lines_of(named(advice(reason).steps, backend));
}

struct Diagnosis {
  Outcome best, usual;             // of the request "auto", and of the default request
  std::vector<Finding> findings;   // problems
  std::vector<std::string> notes;  // facts worth knowing that are not problems
  bool fine() const { return findings.empty(); }
};

// Collects the library's log records of level warning and above as findings, as long as it lives. "backend.fallback" is
// left out, since diagnose() looks for that itself. Records may come from any thread.
class Warnings {
 public:
  Warnings() { gpuopt_log_set_callback(add, this); }
  ~Warnings() { keep_log_quiet(); }
  Warnings(const Warnings &) = delete;

  std::vector<Finding> take() {
    const std::lock_guard lock(mutex_);
    return std::move(findings_);
  }

 private:
  static void add(const gpuopt_log_record *record, void *user) {
    if (record->level > 2 || std::string(record->event) == "backend.fallback") return;
    Outcome outcome;
    outcome.reason = record->reason;
    Warnings *const self = static_cast<Warnings *>(user);
    const std::lock_guard lock(self->mutex_);
    self->findings_.push_back({record->detail, "", std::move(outcome), {}});
  }

  std::mutex mutex_;
  std::vector<Finding> findings_;
};

// Computes a matrix product on the CPU backend. The backend reads each setting when it first needs it, and a fast
// product needs all of them, so that warnings about bad values appear.
void work_on_cpu(std::vector<Finding> &findings) try {
  const device cpu("cpu!");
  const array x = ones({16, 16}, float32, cpu);
  matmul(x, x, product_mode::fast).eval();
  cpu.synchronize();
} catch (const error &failure) {
  if (failure.code() == GPUOPT_ERR_UNAVAILABLE) return;  // already among the findings
  Outcome outcome;
  outcome.reason = failure.reason();
  outcome.message = failure.what();
  findings.push_back({"the CPU backend does not compute", "cpu", std::move(outcome), {}});
}

// Returns whether the discovery report says that hardware for this backend is present. The library detects that without
// the driver, so the answer is also valid for a backend that is switched off.
bool hardware_present(const std::string &backend) {
  const std::string report = discovery_report(true), key = "\"hardware\": \"";
  const size_t entry = report.find("{\"name\": \"" + backend + "\""), at = report.find(key, entry);
  if (entry == std::string::npos || at == std::string::npos) return false;
  const size_t begin = at + key.size();
  return report.substr(begin, report.find('"', begin) - begin).ends_with("-present");
}

void look_at_devices(Diagnosis &diagnosis) {
  const auto find = [&](const char *subject, const char *backend, Outcome outcome) {
    diagnosis.findings.push_back({subject, backend, std::move(outcome), {}});
  };
  const bool passed_over = diagnosis.best.device && diagnosis.best.reason != GPUOPT_REASON_NONE;
  const bool off = diagnosis.best.reason == GPUOPT_REASON_DISABLED;
  if (off && !hardware_present("cuda"))
    diagnosis.notes.push_back("GPUOPT_DISABLE switches the cuda backend off; no hardware for it was seen here");
  else if (passed_over)
    find(off ? "the cuda backend is switched off" : "there is hardware that the cuda backend could use, but it cannot",
         "cuda", open_required("cuda"));
  if (!diagnosis.best.device) find("no backend works, not even the CPU", "cpu", open_required("cpu"));
  if (diagnosis.best.device && !diagnosis.usual.device)
    find("the default request cannot be served", "", diagnosis.usual);
  if (diagnosis.usual.device && diagnosis.usual.reason != GPUOPT_REASON_NONE && !passed_over)
    find("the default request (GPUOPT_BACKEND or ARRAY_MODULE) is not what is used", "", diagnosis.usual);
}

Finding finding_of(std::string subject, std::string message, Remedy remedy) {
  Outcome outcome;
  outcome.message = std::move(message);
  return {std::move(subject), "", std::move(outcome), std::move(remedy)};
}

void look_at_the_compiler(Diagnosis &diagnosis) {
  const CompilerFacts compiler = look_at_compiler();
  if (!compiler.works)
    diagnosis.findings.push_back(finding_of("the CPU backend has no compiler", compiler.problem,
                                            {"Programs that run often stay interpreted, at a fraction of their speed, "
                                             "and kernels given as text fail on the "
                                             "CPU.",
                                             "install the package gpuopt-plugin-jit, of the same release as the "
                                             "library; or unset GPUOPT_JIT if it is set"}));
  if (compiler.policy != "on")
    diagnosis.notes.push_back("GPUOPT_JIT_POLICY=" + compiler.policy +
                              " keeps the CPU backend from compiling kernels and programs");
  if (compiler.tier_up == "off")
    diagnosis.notes.push_back("GPUOPT_CPU_TIER_UP=off: recorded programs stay interpreted, however often they run");
}

// Adds settings whose values have no effect, unless a warning has already reported them.
void look_at_settings(const std::vector<BadSetting> &bad, std::vector<Finding> &findings) {
  for (const BadSetting &setting : bad) {
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding &finding) {
      return finding.subject.find(setting.name) != std::string::npos ||
             finding.outcome.message.find(setting.name) != std::string::npos;
    });
    if (known) continue;
    findings.push_back(finding_of(setting.name + " has no effect: \"" + setting.value + "\" " + setting.problem, "",
                                  {"The library behaves as if it were not set.",
                                   "correct the value, or unset the variable: gpuopt help environment"}));
  }
}

// Adds directories and files of the search list that are not used. The discovery report has a line about each, such as
//
//     refused  /a/b  (GPUOPT_PLUGIN_PATH): /a may be written by every user
void look_at_places(std::vector<Finding> &findings) {
  const std::vector<std::string> lines = lines_of(discovery_report(false));
  for (const std::string &line : lines) {
    const bool refused = line.rfind("  refused  ", 0) == 0;
    const bool absent = line.rfind("  absent  ", 0) == 0 && line.find("(GPUOPT_PLUGIN_PATH)") != std::string::npos;
    const bool file = line.rfind("    tried ", 0) == 0 && line.find(": UNTRUSTED_PATH: ") != std::string::npos;
    if (!refused && !absent && !file) continue;
    Finding finding =
        finding_of((absent ? "a plugin path leads nowhere: " : "a plugin path is refused: ") +
                       line.substr(file || absent ? 10 : 11),
                   "", {"No plugin of it is used.", "correct GPUOPT_PLUGIN_PATH, or take the entry out of it"});
    if (!absent) finding.outcome.reason = GPUOPT_REASON_UNTRUSTED_PATH;
    findings.push_back(std::move(finding));
  }
}

Diagnosis diagnose() {
  const std::vector<BadSetting> bad = bad_settings();  // before a variable is set below
  set_environment("GPUOPT_LOG", "warn");               // whatever the user has set: warnings become findings
  Warnings warnings;
  Diagnosis diagnosis{open_request("auto"), open_request(nullptr), {}, {}};
  look_at_devices(diagnosis);
  work_on_cpu(diagnosis.findings);
  look_at_the_compiler(diagnosis);
  for (Finding &finding : warnings.take()) diagnosis.findings.push_back(std::move(finding));
  look_at_places(diagnosis.findings);
  look_at_settings(bad, diagnosis.findings);
  return diagnosis;
}

// ---- Text

std::string processor(gpuopt_device device) {
  gpuopt_device_info facts{};
  facts.struct_size = sizeof facts;
  if (gpuopt_device_get_info(device, &facts, nullptr) != GPUOPT_OK) return {};
  return std::string(" (") + facts.name + ")";
}

std::string steps_text(gpuopt_reason reason, const std::string &backend) {
  std::string text;
  for (const std::string &step : steps_of(reason, backend)) text += "          - " + step + "\n";
  return text;
}

std::string finding_text(const Finding &finding) {
  const gpuopt_reason reason = finding.outcome.reason;
  std::string text = bad("problem:") + " " + finding.subject + "\n";
  if (reason != GPUOPT_REASON_NONE)
    text += std::string("  why:    ") + gpuopt_reason_message(reason) + " (" + gpuopt_reason_name(reason) + ")\n";
  if (!finding.outcome.message.empty()) text += "  tried:  " + finding.outcome.message + "\n";
  if (reason == GPUOPT_REASON_NONE) {
    if (!finding.remedy.means.empty())
      text += "  means:  " + finding.remedy.means + "\n  to do:  " + finding.remedy.cure + "\n";
    return text;
  }
  text += std::string("  means:  ") + advice(reason).means + "\n";
  text += "  to do:  " + named(gpuopt_reason_hint(reason), finding.backend) + "\n";
  return text + steps_text(reason, finding.backend);
}

// Returns what carries messages between processes, a line for each plugin.
std::vector<std::string> communication() {
  char *text = nullptr;
  if (gpuopt_comm_report(&text, nullptr) != GPUOPT_OK) return {};
  const std::string copy = text;
  gpuopt_string_free(text);
  return lines_of(copy);
}

std::string diagnosis_text(const Diagnosis &diagnosis) {
  std::string text;
  const gpuopt_device best = diagnosis.best.device, usual = diagnosis.usual.device;
  if (best) text += std::string("best device here:  ") + gpuopt_device_name(best) + processor(best) + "\n";
  if (usual) text += std::string("used by default:   ") + gpuopt_device_name(usual) + "\n";
  for (const Finding &finding : diagnosis.findings) text += finding_text(finding);
  for (const std::string &note : diagnosis.notes) text += "note: " + note + "\n";
  if (diagnosis.fine()) text += good("all well:") + " the best hardware present works, with all it needs.\n";
  text += "\n" + discovery_report(false) + "between processes:\n";
  for (const std::string &line : communication()) text += "  " + line + "\n";
  return text;
}

// ---- JSON

std::string device_json(const Outcome &outcome) {
  return outcome.device ? json::string(gpuopt_device_name(outcome.device)) : "null";
}

std::string steps_json(gpuopt_reason reason, const std::string &backend) {
  std::vector<std::string> steps;
  for (const std::string &step : steps_of(reason, backend)) steps.push_back(json::string(step));
  return json::array(steps);
}

std::string finding_json(const Finding &finding) {
  const gpuopt_reason reason = finding.outcome.reason;
  const bool own = reason == GPUOPT_REASON_NONE && !finding.remedy.cure.empty();
  return json::object(
      {{"problem", json::string(finding.subject)},
       {"reason", json::string(gpuopt_reason_name(reason))},
       {"detail", json::string(finding.outcome.message)},
       {"hint", json::string(own ? finding.remedy.cure : named(gpuopt_reason_hint(reason), finding.backend))},
       {"means", json::string(own ? finding.remedy.means : advice(reason).means)},
       {"steps", own ? json::array({}) : steps_json(reason, finding.backend)}});
}

std::string diagnosis_json(const Diagnosis &diagnosis) {
  std::vector<std::string> findings;
  for (const Finding &finding : diagnosis.findings) findings.push_back(finding_json(finding));
  std::vector<std::string> notes;
  for (const std::string &note : diagnosis.notes) notes.push_back(json::string(note));
  std::vector<std::string> carriers;
  for (const std::string &line : communication()) carriers.push_back(json::string(line));
  std::string report = discovery_report(true);
  while (!report.empty() && report.back() == '\n') report.pop_back();
  return json::object({{"fine", json::boolean(diagnosis.fine())},
                       {"best", device_json(diagnosis.best)},
                       {"default", device_json(diagnosis.usual)},
                       {"findings", json::array(findings)},
                       {"notes", json::array(notes)},
                       {"report", report},
                       {"communication", json::array(carriers)}}) +
         "\n";
}

// ---- --explain: what a reason code means, whether it applies here or not

std::string explanation_text(gpuopt_reason reason) {
  return strong(gpuopt_reason_name(reason)) + ": " + gpuopt_reason_message(reason) +
         "\n  means:  " + advice(reason).means + "\n  to do:  " + gpuopt_reason_hint(reason) + "\n" +
         steps_text(reason, "");
}

std::string explanation_json(gpuopt_reason reason) {
  return json::object({{"reason", json::string(gpuopt_reason_name(reason))},
                       {"sentence", json::string(gpuopt_reason_message(reason))},
                       {"hint", json::string(gpuopt_reason_hint(reason))},
                       {"means", json::string(advice(reason).means)},
                       {"steps", steps_json(reason, "")}});
}

int explain(const std::string &name, bool as_json) {
  const gpuopt_reason one = reason_named(name);
  if (name != "all" && (one == GPUOPT_REASON_COUNT || one == GPUOPT_REASON_NONE))
    throw UsageError("--explain: \"" + name + "\" is not a reason code");
  std::string text;
  std::vector<std::string> entries;
  for (gpuopt_reason reason = 1; reason < GPUOPT_REASON_COUNT; ++reason) {
    if (name != "all" && reason != one) continue;
    text += (text.empty() ? "" : "\n") + explanation_text(reason);
    entries.push_back(explanation_json(reason));
  }
  print(as_json ? json::object({{"reasons", json::array(entries)}}) + "\n" : text);
  return kFine;
}

int doctor(const Arguments &arguments) {
  if (arguments.has("--explain")) return explain(arguments.text("--explain", ""), arguments.json());
  const Diagnosis diagnosis = diagnose();
  print(arguments.json() ? diagnosis_json(diagnosis) : diagnosis_text(diagnosis));
  return diagnosis.fine() ? kFine : kFound;
}

}  // namespace

const Command kDoctor = {
    "doctor",
    "",
    0,
    0,
    "is the best hardware present used, and if not, what to do; exit status 1 if there is something to mend",
    "Settings that have no effect, plugin paths that are refused and a missing compiler are found, too; what is\n"
    "switched off on purpose is a note.\n"
    "JSON keys: fine, best, default, findings [{problem, reason, detail, hint, means, steps}], notes,\n"
    "report (that of info), communication.\n"
    "With --explain: reasons [{reason, sentence, hint, means, steps}].\n",
    {kJson, {"--explain", "REASON", "say what a reason code means and what to do about it; all: every one"}},
    doctor};

}  // namespace gpuopt::tools
