// tools/cache.cpp -- gpuopt cache: lists, verifies and removes compiled kernels in the cache on disk.
//
// Parsing, checks of ownership and removal are the code that backends use (plugins/shared/cache/cache.h).
#include "plugins/shared/cache/cache.h"

#include <algorithm>
#include <cstdlib>

#include "plugins/shared/cache/cache_files.h"
#include "plugins/shared/host/host.h"
#include "tools/command.h"
#include "tools/output.h"

namespace gpuopt::tools {
namespace {

using plugin::CacheFiles;
using plugin::DiskCache;

// Returns host services of this program for the cache, which reads its settings through the services that a plugin gets
// from its host.
const gpuopt_host_api &services() {
  static const gpuopt_host_api table = [] {
    gpuopt_host_api api{};
    api.header = {sizeof api, GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
    api.log = [](int32_t, const char *, gpuopt_reason, const char *) {};
    api.warn_once = [](const char *, gpuopt_reason, const char *, const char *detail) {
      std::fprintf(stderr, "gpuopt: %s\n", detail);
    };
    api.setting = [](const char *name) -> const char * { return std::getenv(name); };
    return api;
  }();
  return table;
}

// Returns the directory that --dir names, or that of this user's cache. Throws Failed if there is none.
std::string directory_of(const Arguments &arguments) {
  plugin::set_host(&services());
  std::string directory = arguments.has("--dir") ? arguments.text("--dir", "") : plugin::cache_directory();
  const char *const chosen = plugin::setting("GPUOPT_CACHE_DIR");
  if (directory.empty() && chosen && *chosen)
    throw Failed(std::string("there is no cache: GPUOPT_CACHE_DIR=") + chosen + " is not an absolute path");
  if (directory.empty()) throw Failed("there is no cache: neither GPUOPT_CACHE_DIR nor a home directory is set");
  return directory;
}

struct Contents {
  std::string directory;
  bool present = false;  // false: the directory does not exist
  CacheFiles files;
  std::vector<CacheFiles::Entry> entries;  // most recently used first
  uint64_t bytes = 0;
};

// Fills `contents` from the directory. It is not opened as this user's own (`owned` is false), because reading entries
// would then count as use and change the order of eviction.
void look(const Arguments &arguments, Contents &contents) {
  contents.directory = directory_of(arguments);
  std::string problem;
  const auto opened = contents.files.open(contents.directory, false, false, problem);
  if (opened == CacheFiles::Opening::refused) throw Failed(contents.directory + " is not used as a cache: " + problem);
  contents.present = opened == CacheFiles::Opening::done;
  if (!contents.present) return;
  contents.entries = contents.files.list();
  std::sort(contents.entries.begin(), contents.entries.end(),
            [](const auto &a, const auto &b) { return a.age < b.age; });
  for (const auto &entry : contents.entries) contents.bytes += entry.bytes;
}

std::string age_text(int64_t seconds) {
  const int64_t days = seconds / 86400, hours = seconds / 3600, minutes = seconds / 60;
  if (days > 0) return std::to_string(days) + (days == 1 ? " day" : " days");
  if (hours > 0) return std::to_string(hours) + (hours == 1 ? " hour" : " hours");
  return std::to_string(std::max<int64_t>(minutes, 0)) + (minutes == 1 ? " minute" : " minutes");
}

std::string entries_text(size_t count) { return std::to_string(count) + (count == 1 ? " entry" : " entries"); }

std::string summary_text(const Contents &contents) {
  return entries_text(contents.entries.size()) + ", " + bytes_text(contents.bytes) + " in " + contents.directory + "\n";
}

using Members = std::vector<std::pair<const char *, std::string>>;

Members summary_members(const Contents &contents) {
  return {{"directory", json::string(contents.directory)},
          {"present", json::boolean(contents.present)},
          {"entries", json_count(contents.entries.size())},
          {"bytes", json_count(contents.bytes)},
          {"max_bytes", json_count(plugin::cache_max_bytes())}};
}

std::string entry_json(const CacheFiles::Entry &entry) {
  return json::object({{"key", json::string(entry.folder + entry.name)},
                       {"bytes", json_count(entry.bytes)},
                       {"age_seconds", json::number(entry.age)},
                       {"unfinished", json::boolean(entry.unfinished)}});
}

// ---- The commands

int path(const Arguments &arguments) {
  const std::string directory = directory_of(arguments);
  print(arguments.json() ? json::object({{"directory", json::string(directory)}}) + "\n" : directory + "\n");
  return kFine;
}

int size(const Arguments &arguments) {
  Contents contents;
  look(arguments, contents);
  print(arguments.json() ? json::object(summary_members(contents)) + "\n" : summary_text(contents));
  return kFine;
}

int list(const Arguments &arguments) {
  Contents contents;
  look(arguments, contents);
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> entries;
  for (const auto &entry : contents.entries) {
    rows.push_back({entry.folder + entry.name, bytes_text(entry.bytes), age_text(entry.age),
                    entry.unfinished ? "unfinished" : ""});
    entries.push_back(entry_json(entry));
  }
  Members members = summary_members(contents);
  members.emplace_back("list", json::array(entries));
  print(arguments.json() ? json::object(members) + "\n" : table(rows) + summary_text(contents));
  return kFine;
}

int verify(const Arguments &arguments) {
  Contents contents;
  look(arguments, contents);
  std::string text;
  std::vector<std::string> damaged_json;
  Progress progress(contents.entries.size());
  const auto damaged = plugin::damaged_entries(contents.files, contents.entries, [&](const auto &entry) {
    progress.step("checking " + entry.folder + entry.name.substr(0, 8));
  });
  for (const auto &entry : damaged) {
    text += bad("damaged") + "  " + entry.folder + entry.name + "\n";
    damaged_json.push_back(json::string(entry.folder + entry.name));
  }
  text += summary_text(contents);
  text += damaged.empty() ? good("all intact") + "\n"
                          : entries_text(damaged.size()) + " damaged; they are never used, and made anew when needed\n";
  Members members = summary_members(contents);
  members.emplace_back("damaged", json::array(damaged_json));
  print(arguments.json() ? json::object(members) + "\n" : text);
  return damaged.empty() ? kFine : kFound;
}

// Removes the least recently used entries until at most `bytes` bytes are left, and reports what was removed.
int shrink(const Arguments &arguments, uint64_t bytes) {
  Contents before, after;
  look(arguments, before);
  DiskCache cache(before.directory, DiskCache::Use::own, ~uint64_t{0});
  if (before.present && !cache.shrink(bytes))
    throw Failed(before.directory + " was left as it is: another process is at it, or it belongs to another user");
  look(arguments, after);
  const size_t removed = before.entries.size() - std::min(before.entries.size(), after.entries.size());
  Members members = summary_members(after);
  members.emplace_back("removed", json_count(removed));
  print(arguments.json() ? json::object(members) + "\n"
                         : "removed " + entries_text(removed) + "; left: " + summary_text(after));
  return kFine;
}

int prune(const Arguments &arguments) {
  plugin::set_host(&services());
  return shrink(arguments, arguments.count("--max-bytes", plugin::cache_max_bytes()));
}

int clear(const Arguments &arguments) { return shrink(arguments, 0); }

const Option kDirectory = {"--dir", "DIR", "that directory instead of this user's cache"};

}  // namespace

const Command kCachePath = {
    "cache path", "", 0, 0, "where compiled kernels are kept", "JSON keys: directory.\n", {kJson, kDirectory}, path};
const Command kCacheList = {"cache list",
                            "",
                            0,
                            0,
                            "the entries, last used first: key, size, time since it was used",
                            "JSON keys: those of cache size, and list [{key, bytes, age_seconds, unfinished}].\n",
                            {kJson, kDirectory},
                            list};
const Command kCacheSize = {"cache size",
                            "",
                            0,
                            0,
                            "how many entries, and how many bytes",
                            "JSON keys: directory, present, entries, bytes, max_bytes.\n",
                            {kJson, kDirectory},
                            size};
const Command kCacheVerify = {"cache verify",
                              "",
                              0,
                              0,
                              "checks every entry against its checksum; exit status 1 if one is damaged",
                              "JSON keys: those of cache size, and damaged [key].\n",
                              {kJson, kDirectory},
                              verify};
const Command kCachePrune = {
    "cache prune",
    "",
    0,
    0,
    "removes what was not used for longest",
    "JSON keys: those of cache size as it is afterwards, and removed.\n",
    {kJson, kDirectory, {"--max-bytes", "N", "leave at most this many (64M, 1e6); default: GPUOPT_CACHE_MAX_BYTES"}},
    prune};
const Command kCacheClear = {"cache clear",
                             "",
                             0,
                             0,
                             "removes all entries",
                             "JSON keys: those of cache size as it is afterwards, and removed.\n",
                             {kJson, kDirectory},
                             clear};

}  // namespace gpuopt::tools
