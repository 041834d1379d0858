// core/device/discovery.h -- where plugin files are searched for, and which of them exist.
#pragma once
#include <gpuopt/gpuopt.h>

#include <string>
#include <vector>

#include "core/device/loader.h"

namespace gpuopt {

// An entry of the search list: a directory, or a single plugin file.
struct SearchPlace {
  std::string path;
  const char *origin;                         // the setting or rule that put it on the list
  bool is_file = false;                       // `path` is a plugin file
  bool checked = false;                       // files are loaded with Check::kAll; not beside the library
  gpuopt_reason reason = GPUOPT_REASON_NONE;  // NONE if it is searched
  std::string detail = {};                    // why it is not searched, in words
};

// Returns a copy of the caller's options (NULL: the defaults). Throws ERR_INVALID_ARGUMENT or ERR_UNSUPPORTED unless
// they are valid; `what` names the function in messages. The copy refers to the caller's plugin_path.
gpuopt_device_options read_device_options(const gpuopt_device_options *options, const char *what);

// Returns the search list, in this order: options.plugin_path, GPUOPT_PLUGIN_PATH, <directory of the library>/gpuopt/1,
// the directory compiled in, the directory of the library. Entries that are not searched are listed, too, with the
// reason; no path is listed twice.
std::vector<SearchPlace> search_places(const gpuopt_device_options &options);

// Returns the plugin files of the backend `name` that exist on the list, in order, without duplicates by real path. One
// whose `reason` is not NONE must not be loaded.
std::vector<Candidate> find_candidates(const std::vector<SearchPlace> &places, const std::string &name);

// Returns the backend names of all plugin files on the list, sorted, for messages. Opens no file.
std::vector<std::string> names_on_list(const std::vector<SearchPlace> &places);

// Returns the message for a plugin that was not found: "no libgpuopt_x.so in: /a, /b; not searched: ./c (not an
// absolute path)".
std::string not_found_text(const std::vector<SearchPlace> &places, const std::string &name);

// Splits a text at each separator. Blanks and tabs around items are removed; empty items are not.
std::vector<std::string> split_list(const std::string &text, char separator = ',');

}  // namespace gpuopt
