// tools/plugin_test/table_rules.h -- rules of the query function and its table that backends and communication plugins
// have in common. An Interface is one of loaded.h.
#pragma once
#include <cstddef>
#include <string>

#include "tools/plugin_test/loaded.h"
#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

inline std::string text_or(const char *text) { return text ? text : "(NULL)"; }
inline bool same_text(const char *a, const char *b) { return a == b || (a && b && std::strcmp(a, b) == 0); }

template <class Description>
std::string range_text(const Description &desc) {
  return std::to_string(desc.minor_min) + " to " + std::to_string(desc.minor_max);
}

template <class Interface>
std::string range_problem(const typename Interface::Description &desc) {
  if (desc.minor_min > desc.minor_max) return "its range " + range_text(desc) + " is backward";
  if (desc.minor_min > Interface::minor)
    return "it wants minor version " + range_text(desc) + "; this kit speaks up to " + std::to_string(Interface::minor);
  return "";
}

// Loads the plugin. Returns its query function, NULL if there is none.
template <class Interface>
typename Interface::Query check_loading(const Subject &subject, Recorder &recorder) {
  std::string problem;
  const ProcessState before = read_process();
  recorder.begin("can be loaded");
  const auto function = open_plugin<Interface>(subject.path, &problem);
  recorder.end(problem);
  if (function) recorder.check("loading changes nothing", differences(before, read_process()));
  return function;
}

// Queries the plugin as a host of this interface's newest version. Returns whether there is an answer.
template <class Interface>
bool check_query(typename Interface::Query function, Guarded<typename Interface::Description> *desc,
                 Recorder &recorder) {
  std::string problem;
  bool threw = false;
  recorder.begin("query");
  const gpuopt_status status = query<Interface>(function, 0, Interface::minor, desc, &threw);
  if (threw)
    problem = "it threw a C++ exception";
  else if (status != GPUOPT_OK)
    problem = "it returned status " + std::to_string(status) + "; its range is " + range_text(desc->value);
  else if (!desc->intact())
    problem = "it wrote behind the description";
  recorder.end(problem);
  return problem.empty();
}

template <class Interface>
void check_range_and_name(const Subject &subject, const typename Interface::Description &desc, Recorder &recorder) {
  recorder.check("version range", range_problem<Interface>(desc), "minor " + range_text(desc));
  const std::string kind = subject.is_comm ? "" : "backend ";
  recorder.check("name",
                 same_text(desc.name, subject.name.c_str())
                     ? ""
                     : "the file is named for " + kind + subject.name + " and says it is " + text_or(desc.name),
                 text_or(desc.name));
}

// Checks that a second query gives the same answer, of which same() decides, and has no side effects.
template <class Interface, class Same>
void check_pure(typename Interface::Query function, const typename Interface::Description &first, Same same,
                Recorder &recorder) {
  recorder.begin("the query is pure");
  const ProcessState before = read_process();
  Guarded<typename Interface::Description> again;
  bool threw = false;
  host_use() = {};
  const gpuopt_status status = query<Interface>(function, 0, Interface::minor, &again, &threw);
  std::string problem = differences(before, read_process());
  if (host_use().logs > 0) problem = "it writes to the log";
  if (threw || status != GPUOPT_OK || !same(first, again.value))
    problem = "a second query answers otherwise than the first";
  recorder.end(problem);
}

// Checks the answer to a host that supports only versions of the far future: the plugin must refuse. Where `names` is
// set it still has to give its name and version, which the host logs.
template <class Interface>
void check_refusal(typename Interface::Query function, bool names, Recorder &recorder) {
  constexpr uint16_t kFuture = 60000;
  recorder.begin("refuses hosts it does not know");
  Guarded<typename Interface::Description> desc;
  bool threw = false;
  const gpuopt_status status = query<Interface>(function, kFuture, kFuture, &desc, &threw);
  std::string problem;
  if (threw)
    problem = "it threw a C++ exception";
  else if (status != GPUOPT_ERR_UNSUPPORTED)
    problem = "asked for minor version 60000 only, it returned " + std::to_string(status) +
              " instead of GPUOPT_ERR_UNSUPPORTED";
  else if (names && (!desc.value.name || !desc.value.version))
    problem = "refusing, it does not say its name and version";
  recorder.end(problem);
}

// A row of an interface's list of slots.
struct Slot {
  const char *name;
  size_t offset;
  bool required;
};

// Checks the table's header, and which slots it has. Returns whether slots may be called that are there.
std::string header_problem(const gpuopt_table_header &header, uint16_t major);
void check_slots(const gpuopt_table_header &table, const Slot *slots, size_t count, Recorder &recorder);

template <class Interface, size_t count>
bool check_table(const typename Interface::Table *table, const Slot (&slots)[count], Recorder &recorder) {
  const std::string problem = table ? header_problem(table->header, Interface::major) : "it gives no table";
  recorder.check("table header", problem);
  if (problem.empty()) check_slots(table->header, slots, count, recorder);
  return problem.empty();
}

}  // namespace gpuopt::plugin_test
