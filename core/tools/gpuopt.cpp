// core/tools/gpuopt.cpp -- the `gpuopt` command: what is installed here, what works, and what to do about the rest.
#include <gpuopt/gpuopt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

namespace {

enum Exit { kFine = 0, kSomethingToMend = 1, kUsage = 2 };

constexpr const char *kHelp =
    R"(usage: gpuopt <command> [--json]

  info     lists the search directories, the plugins found, the devices, and why a backend cannot be used
  doctor   says in plain words whether the best hardware present is used, and if not, what to do

  --json     print one JSON object instead of text
  --help     print this
  --version  print the version of the library

environment: GPUOPT_BACKEND, ARRAY_MODULE  the default request      GPUOPT_PLUGIN_PATH  more plugin directories (absolute)
             GPUOPT_DISABLE                backends to leave out    GPUOPT_LOG          off, error, warn, info or debug
exit status: 0  info: done; doctor: the best hardware present is used
             1  doctor: there is something to mend; info: the report could not be made
             2  the command line was not understood
)";

// What opening a request came to.
struct Outcome {
  std::string request;
  gpuopt_device device = nullptr;
  gpuopt_status status = GPUOPT_OK;
  gpuopt_reason reason = GPUOPT_REASON_NONE;  // why not, or why something else was taken
  std::string message;
};

Outcome open(const char *request) {
  Outcome outcome;
  outcome.request = request ? request : "(default)";
  gpuopt_error error = GPUOPT_ERROR_INIT;
  outcome.status = gpuopt_device_open_report(request, nullptr, &outcome.device, &outcome.reason, &error);
  if (outcome.status == GPUOPT_OK) return outcome;
  outcome.reason = error.reason;
  outcome.message = error.message;
  return outcome;
}

// The command prints its own findings; warnings about the same things would only repeat them.
void discard(const gpuopt_log_record *, void *) {}

std::string discovery_report(bool json) {
  char *text = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  if (gpuopt_discovery_report(nullptr, json, &text, &error) != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt: %s\n", error.message);
    return {};
  }
  const std::string report = text;
  gpuopt_string_free(text);
  return report;
}

// Opens every device of a backend, so that the report can name them all.
void open_all(const char *backend) {
  for (int i = 0; open((std::string(backend) + ":" + std::to_string(i) + "!").c_str()).device; ++i) {
  }
}

int info(bool json) {
  open_all("cuda");
  const std::string report = discovery_report(json);
  std::fputs(report.c_str(), stdout);
  return report.empty() ? kSomethingToMend : kFine;
}

// ---- doctor

bool colours() {
  const char *off = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return isatty(fileno(stdout)) && !(off && *off) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

std::string coloured(const char *code, const std::string &text) {
  return colours() ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
}
std::string good(const std::string &text) { return coloured("32", text); }
std::string bad(const std::string &text) { return coloured("31", text); }

struct Finding {
  std::string subject;  // what is wrong, in words
  std::string backend;
  Outcome outcome;
  std::string cure() const;
};

std::string Finding::cure() const {
  std::string text = gpuopt_reason_hint(outcome.reason);
  constexpr std::string_view placeholder = "<name>";
  if (const size_t at = text.find(placeholder); at != std::string::npos) text.replace(at, placeholder.size(), backend);
  return text;
}

struct Diagnosis {
  Outcome best, usual;            // of "auto", and of the default request
  std::vector<Finding> findings;  // what is to be mended
  bool fine() const { return findings.empty(); }
};

// The failure of a backend in its own words: a required open has no fallback to hide it.
Outcome required(const std::string &backend) { return open((backend + "!").c_str()); }

Diagnosis diagnose() {
  Diagnosis diagnosis{open("auto"), open(nullptr), {}};
  const auto find = [&](const char *subject, const char *backend, Outcome outcome) {
    diagnosis.findings.push_back({subject, backend, std::move(outcome)});
  };
  const bool passed_over = diagnosis.best.device && diagnosis.best.reason != GPUOPT_REASON_NONE;
  if (passed_over) find("there is hardware that the cuda backend could use, but it cannot", "cuda", required("cuda"));
  if (!diagnosis.best.device) find("no backend works, not even the CPU", "cpu", required("cpu"));
  if (diagnosis.best.device && !diagnosis.usual.device)
    find("the default request cannot be served", "", diagnosis.usual);
  if (diagnosis.usual.device && diagnosis.usual.reason != GPUOPT_REASON_NONE && !passed_over) {
    find("the default request (GPUOPT_BACKEND or ARRAY_MODULE) is not what is used", "", diagnosis.usual);
  }
  return diagnosis;
}

std::string processor(gpuopt_device device) {
  gpuopt_device_info facts{};
  facts.struct_size = sizeof facts;
  if (gpuopt_device_get_info(device, &facts, nullptr) != GPUOPT_OK) return {};
  return std::string(" (") + facts.name + ")";
}

void print_finding(const Finding &finding) {
  const gpuopt_reason reason = finding.outcome.reason;
  std::printf("%s %s\n", bad("problem:").c_str(), finding.subject.c_str());
  if (reason != GPUOPT_REASON_NONE)
    std::printf("  why:    %s (%s)\n", gpuopt_reason_message(reason), gpuopt_reason_name(reason));
  if (!finding.outcome.message.empty()) std::printf("  tried:  %s\n", finding.outcome.message.c_str());
  if (reason != GPUOPT_REASON_NONE) std::printf("  to do:  %s\n", finding.cure().c_str());
}

void print_diagnosis(const Diagnosis &diagnosis) {
  if (diagnosis.best.device) {
    std::printf("best device here:  %s%s\n", gpuopt_device_name(diagnosis.best.device),
                processor(diagnosis.best.device).c_str());
  }
  if (diagnosis.usual.device) std::printf("used by default:   %s\n", gpuopt_device_name(diagnosis.usual.device));
  for (const Finding &finding : diagnosis.findings) print_finding(finding);
  if (diagnosis.fine()) std::printf("%s the best hardware present works.\n", good("all well:").c_str());
  std::printf("\n%s", discovery_report(false).c_str());
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  out += '"';
  return out;
}

std::string device_json(const Outcome &outcome) {
  return outcome.device ? quoted(gpuopt_device_name(outcome.device)) : "null";
}

void print_json(const Diagnosis &diagnosis) {
  std::string findings;
  for (const Finding &finding : diagnosis.findings) {
    const gpuopt_reason reason = finding.outcome.reason;
    findings += findings.empty() ? "" : ", ";
    findings += "{\"problem\": " + quoted(finding.subject) + ", \"reason\": " + quoted(gpuopt_reason_name(reason)) +
                ", \"detail\": " + quoted(finding.outcome.message) + ", \"hint\": " + quoted(finding.cure()) + "}";
  }
  std::string report = discovery_report(true);
  if (report.empty()) report = "null\n";
  std::printf("{\"fine\": %s, \"best\": %s, \"default\": %s, \"findings\": [%s], \"report\": %s}\n",
              diagnosis.fine() ? "true" : "false", device_json(diagnosis.best).c_str(),
              device_json(diagnosis.usual).c_str(), findings.c_str(), report.substr(0, report.size() - 1).c_str());
}

int doctor(bool json) {
  const Diagnosis diagnosis = diagnose();
  if (json) {
    print_json(diagnosis);
  } else {
    print_diagnosis(diagnosis);
  }
  return diagnosis.fine() ? kFine : kSomethingToMend;
}

int usage(const std::string &problem) {
  std::fprintf(stderr, "gpuopt: %s\n%s", problem.c_str(), kHelp);
  return kUsage;
}

int run(const std::vector<std::string> &arguments) {
  std::string command;
  bool json = false;
  for (const std::string &argument : arguments) {
    if (argument == "--json") {
      json = true;
    } else if (argument == "--help" || argument == "-h") {
      std::fputs(kHelp, stdout);
      return kFine;
    } else if (argument == "--version") {
      const uint32_t version = gpuopt_version();
      std::printf("gpuopt %u.%u.%u\n", version / 1000000, version / 1000 % 1000, version % 1000);
      return kFine;
    } else if (command.empty() && (argument == "info" || argument == "doctor")) {
      command = argument;
    } else {
      return usage("\"" + argument + "\" is not understood");
    }
  }
  if (command.empty()) return usage("a command is missing");
  gpuopt_log_set_callback(discard, nullptr);
  return command == "info" ? info(json) : doctor(json);
}

}  // namespace

int main(int count, char **arguments) { return run(std::vector<std::string>(arguments + 1, arguments + count)); }
