// core/device/discovery.cpp -- see discovery.h. The working directory and PATH are never searched, and a bare file name
// is never loaded.
#include "core/device/discovery.h"

#include <algorithm>
#include <set>

#include "core/base/log.h"

namespace gpuopt {
namespace {

constexpr const char *kPathVariable = name_of(Setting::GPUOPT_PLUGIN_PATH);

bool is_separator(char c) { return c == kDirectorySeparator || c == '/'; }

std::string join(const std::string &directory, const std::string &file) {
  const bool ends = !directory.empty() && is_separator(directory.back());
  return ends ? directory + file : directory + kDirectorySeparator + file;
}

// "/a/b/" and "/a/b" are the same entry.
std::string without_trailing_separator(std::string path) {
  while (path.size() > 1 && is_separator(path.back())) path.pop_back();
  return path;
}

std::string file_part(const std::string &path) { return path.substr(path.find_last_of("/\\") + 1); }

void refuse(SearchPlace &place, gpuopt_reason reason, std::string detail) {
  place.reason = reason;
  place.detail = std::move(detail);
}

// Sets is_file, and the reason if the place is not searched. A relative path is refused without a look at the file
// system, since its meaning depends on the working directory.
void judge(SearchPlace &place) {
  if (!is_absolute(place.path)) return refuse(place, GPUOPT_REASON_UNTRUSTED_PATH, "not an absolute path");
  std::string problem;
  const FileKind kind = file_kind(place.path, &problem);
  place.is_file = kind != FileKind::kDirectory && !plugin_name(file_part(place.path)).empty();
  if (kind == FileKind::kMissing)
    return refuse(place, GPUOPT_REASON_NOT_FOUND, place.is_file ? "no such file" : "no such directory");
  if (place.is_file) return;  // its contents and owner are checked when it is loaded
  if (kind == FileKind::kFile)
    return refuse(place, GPUOPT_REASON_NOT_FOUND, "neither a directory nor named " + plugin_file_name("<name>"));
  if (kind == FileKind::kOther) return refuse(place, GPUOPT_REASON_NOT_FOUND, problem);
  if (!place.checked) return;
  if (std::string distrusted = trusted::distrust_directory(place.path); !distrusted.empty())
    refuse(place, GPUOPT_REASON_UNTRUSTED_PATH, distrusted);
}

void add(std::vector<SearchPlace> &places, std::string path, const char *origin, bool checked) {
  SearchPlace place{without_trailing_separator(std::move(path)), origin};
  place.checked = checked;
  const bool known =
      std::any_of(places.begin(), places.end(), [&](const SearchPlace &p) { return p.path == place.path; });
  if (known) return;
  judge(place);
  places.push_back(std::move(place));
}

void add_options(std::vector<SearchPlace> &places, const gpuopt_device_options &options) {
  for (int32_t i = 0; i < options.plugin_path_count; ++i) add(places, options.plugin_path[i], "options", true);
}

void warn_ignored_path() {
  if (!log_enabled(GPUOPT_LOG_WARN) || !first_time("plugin_path.ignored", GPUOPT_REASON_UNTRUSTED_PATH, kPathVariable))
    return;
  LogRecord record{GPUOPT_LOG_WARN, "plugin_path.ignored", GPUOPT_REASON_UNTRUSTED_PATH};
  record.detail =
      std::string(kPathVariable) + " is set, but this process has more rights than its user and does not follow it";
  record.hint = "install the plugin beside the library";
  log(record);
}

std::string plugin_subdirectory() {
  std::string path = GPUOPT_PLUGIN_SUBDIR;
  std::replace(path.begin(), path.end(), '/', kDirectorySeparator);
  return path;
}

void add_environment(std::vector<SearchPlace> &places) {
  if (environment_ignored(kPathVariable)) return warn_ignored_path();
  const char *value = environment(kPathVariable);
  for (const std::string &path : split_list(value ? value : "", kPathListSeparator)) {
    if (!path.empty()) add(places, path, kPathVariable, true);
  }
}

// Returns why the file, found at the place, must not be loaded; "" if it may be.
std::string candidate_distrust(const SearchPlace &place, const std::string &path) {
  if (place.reason == GPUOPT_REASON_UNTRUSTED_PATH) return place.detail;
  return place.checked ? trusted::distrust_file(path) : std::string();
}

}  // namespace

gpuopt_device_options read_device_options(const gpuopt_device_options *options, const char *what) {
  const gpuopt_device_options known = options_or_default(options, what);
  if (known.flags != 0) fail(GPUOPT_ERR_UNSUPPORTED, "%s: options->flags is %u, no flag is defined", what, known.flags);
  const int32_t count = known.plugin_path_count;
  if (count < 0 || (count > 0 && !known.plugin_path)) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: options->plugin_path_count is %d, plugin_path %s", what, count,
         known.plugin_path ? "is set" : "is NULL");
  }
  for (int32_t i = 0; i < count; ++i) {
    if (!known.plugin_path[i]) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: options->plugin_path[%d] is NULL", what, i);
  }
  return known;
}

std::vector<std::string> split_list(const std::string &text, char separator) {
  std::vector<std::string> items;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    const size_t first = std::min(text.find_first_not_of(" \t", start), end);
    size_t last = end;
    while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
    items.push_back(text.substr(first, last - first));
    start = end + 1;
  }
  return items;
}

std::vector<SearchPlace> search_places(const gpuopt_device_options &options) {
  std::vector<SearchPlace> places;
  add_options(places, options);
  add_environment(places);
  static const auto *const kept = new std::string(library_directory());
  const std::string &own = *kept;
  if (!own.empty()) add(places, join(own, plugin_subdirectory()), "beside the library", false);
  if (is_absolute(GPUOPT_PLUGINDIR)) add(places, GPUOPT_PLUGINDIR, "compiled in", true);
  if (!own.empty()) add(places, own, "directory of the library", false);
  return places;
}

std::vector<Candidate> find_candidates(const std::vector<SearchPlace> &places, const std::string &name) {
  std::vector<Candidate> found;
  std::set<std::string> seen;
  const std::string file = plugin_file_name(name);
  for (const SearchPlace &place : places) {
    if (!is_absolute(place.path) || (place.is_file && file_part(place.path) != file)) continue;
    const std::string path = place.is_file ? place.path : join(place.path, file);
    if (file_kind(path) == FileKind::kMissing || !seen.insert(real_path(path)).second) continue;
    Candidate candidate{path};
    candidate.check = place.checked ? trusted::Check::kAll : trusted::Check::kKind;
    candidate.detail = candidate_distrust(place, path);
    if (!candidate.detail.empty()) candidate.reason = GPUOPT_REASON_UNTRUSTED_PATH;
    found.push_back(std::move(candidate));
  }
  return found;
}

std::vector<std::string> names_on_list(const std::vector<SearchPlace> &places) {
  std::set<std::string> names;
  for (const SearchPlace &place : places) {
    if (place.is_file) names.insert(plugin_name(file_part(place.path)));
    if (place.is_file || place.reason != GPUOPT_REASON_NONE) continue;
    for (const std::string &file : list_directory(place.path)) names.insert(plugin_name(file));
  }
  names.erase("");
  return {names.begin(), names.end()};
}

std::string not_found_text(const std::vector<SearchPlace> &places, const std::string &name) {
  std::string searched, refused;
  for (const SearchPlace &place : places) {
    if (place.reason == GPUOPT_REASON_UNTRUSTED_PATH) {
      refused += (refused.empty() ? "" : ", ") + place.path + " (" + place.detail + ")";
    } else if (!place.is_file) {
      searched += (searched.empty() ? "" : ", ") + place.path;
    }
  }
  return "no " + plugin_file_name(name) + " in: " + searched + (refused.empty() ? "" : "; not searched: " + refused);
}

}  // namespace gpuopt
